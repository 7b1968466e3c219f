#include "history/fork.h"

#include "history_fixture.h"

#define FILE_TEXT                                                                                            \
    USER("u1", "null", "first")                                                                              \
    ATTACHMENT("t1", "\"u1\"")                                                                               \
    ASSISTANT("a1", "\"t1\"", "m1", "Same.")                                                                 \
    "{\"type\":\"progress\",\"uuid\":\"g\",\"parentUuid\":\"a1\"}\n" USER("u2", "\"g\"", "second")           \
        ASSISTANT("a2", "\"u2\"", "m2", "Part a. ") ASSISTANT("a3", "\"a2\"", "m2", "Part b.")               \
            ASSISTANT("a4", "\"a3\"", "m3", "Same.")                                                         \
                USER("u3", "\"u1\"", "other branch") "{\"type\":\"user\",\"uuid\":\"side\",\"parentUuid\":"  \
                                                     "\"a4\",\"isSidechain\":true,\"message\":{}}\n"

/* Forks the file and says which records of it the copy has, or what went wrong. */
static void fork_text(const char *file, struct fork_point point, struct buf *out)
{
    struct stored f;
    char id[UUID_SIZE];
    str why = STR_ABSENT;
    stored_make(&f);
    stored_write(&f, "-w", SESSION_A, file);
    struct fork_request rq = {f.config, STR(SESSION_A), STR("/w"), point};
    enum fork_result result = session_fork(&f.mem, &rq, id, &why);
    if (result != FORK_DONE) {
        buf_printf(out, "%d %.*s", result, STR_ARG(why));
        stored_end(&f);
        return;
    }
    char *text = stored_read(arena_printf(&f.mem, "%s/projects/-w/%s.jsonl", f.home.dir, id));
    str rest = str_of(text);
    while (rest.n) {
        size_t end = str_find_byte(rest, '\n', 0);
        AUTO_JSON(doc) = json_parse(str_first(rest, end), NULL);
        json root = json_root(doc);
        str old = json_str(json_path(root, "forkedFrom", "messageUuid", NULL));
        assert_str(json_str(json_get(root, "sessionId")), id);
        buf_put_c(out, out->n ? " " : "");
        buf_put_str(out, old.p ? old : json_str(json_get(root, "customTitle")));
        if (old.p) {
            assert_true(uuid_valid(json_str(json_get(root, "uuid"))));
            assert_true(json_is(json_get(root, "isSidechain"), JSON_FALSE));
        }
        rest = str_from(rest, end + 1);
    }
    free(text);
    stored_end(&f);
}

static void assert_fork(struct fork_point point, const char *expected)
{
    AUTO_BUF(out);
    fork_text(FILE_TEXT, point, &out);
    assert_str(buf_str(&out), expected);
}

static void a_whole_session(void **state)
{
    (void)state;
    assert_fork((struct fork_point){0}, "u1 t1 a1 u2 a2 a3 a4 u3 first (fork)");
}

static void at_a_message(void **state)
{
    (void)state;
    assert_fork((struct fork_point){.message_id = STR("m2")}, "u1 t1 a1 u2 a2 a3 first (fork)");
    assert_fork((struct fork_point){.message_id = STR("m1:segment:12")}, "u1 t1 a1 first (fork)");
    assert_fork((struct fork_point){.message_id = STR("u1")}, "u1 first (fork)");
    assert_fork((struct fork_point){.message_id = STR("m1:segment:")}, "2 ");
    assert_fork((struct fork_point){.message_id = STR("nope")}, "2 ");
}

/* Of "Same." and of "Part a. Part b." */
#define SAME  "sha256:30b5061f9468a257a0773ac313cd742c8fda549db9ccb228c2ed2067f7dc8715"
#define PARTS "sha256:9db5e3fd363fb87ac356ca02593b9edb01f9e3d213acaa3da0e533e08faa794e"

static void at_a_text(void **state)
{
    (void)state;
    assert_fork((struct fork_point){STR("x"), STR(PARTS), 9}, "u1 t1 a1 u2 a2 a3 first (fork)");
    assert_fork((struct fork_point){STR("x"), STR(SAME), 1}, "u1 t1 a1 first (fork)");
    assert_fork((struct fork_point){STR("x"), STR(SAME), 2}, "u1 t1 a1 u2 a2 a3 a4 first (fork)");
    assert_fork((struct fork_point){STR("x"), STR(SAME), 3}, "2 ");
    assert_fork((struct fork_point){STR("x"), STR(SAME), 0}, "2 ");
    assert_fork((struct fork_point){STR("x"), STR("sha256:"), 1}, "2 ");
}

static void references_are_mapped(void **state)
{
    struct stored f;
    char id[UUID_SIZE];
    str why;
    (void)state;
    stored_make(&f);
    stored_write(
        &f, "-w", SESSION_A,
        USER("a", "null",
             "x") "{\"type\":\"progress\",\"uuid\":\"g\",\"parentUuid\":\"a\"}\n"
                  "{\"uuid\":\"B\",\"type\":\"system\",\"subtype\":\"compact_boundary\",\"parentUuid\":\"g\","
                  "\"logicalParentUuid\":\"a\",\"slug\":\"s\",\"n\":9007199254740993,\"compactMetadata\":{"
                  "\"preservedMessages\":{\"anchorUuid\":\"zz\",\"uuids\":[\"a\",\"zz\"]}}}\n"
                  "{\"type\":\"content-replacement\",\"replacements\":[1]}\n"
                  "{\"type\":\"content-replacement\",\"replacements\":[2]}\n"
                  "{\"type\":\"atis-latch\",\"atis\":true,\"sessionId\":\"old\"}\n");
    struct fork_request rq = {f.config, STR(SESSION_A), STR("/w"), {.occurrence = 0}};
    assert_int_equal(session_fork(&f.mem, &rq, id, &why), FORK_DONE);
    char *text = stored_read(arena_printf(&f.mem, "%s/projects/-w/%s.jsonl", f.home.dir, id));
    str first = str_first(str_of(text), str_find_byte(str_of(text), '\n', 0));
    AUTO_JSON(doc) = json_parse(first, NULL);
    str a = json_str(json_get(json_root(doc), "uuid"));
    str map = arena_printf(
        &f.mem,
        "\"parentUuid\":\"%.*s\",\"logicalParentUuid\":\"%.*s\",\"n\":9007199254740993,"
        "\"compactMetadata\":{\"preservedMessages\":{\"anchorUuid\":null,\"uuids\":[\"%.*s\",null]}}",
        STR_ARG(a), STR_ARG(a), STR_ARG(a));
    assert_non_null(strstr(text, map.p));
    assert_null(strstr(text, "slug"));
    assert_non_null(strstr(text, "\"replacements\":[1,2]"));
    assert_non_null(strstr(text, "{\"type\":\"atis-latch\",\"atis\":true,\"sessionId\":\""));
    free(text);
    stored_end(&f);
}

static void sources_that_are_not_there(void **state)
{
    AUTO_BUF(out);
    struct stored f;
    char id[UUID_SIZE];
    str why;
    (void)state;
    fork_text("{\"type\":\"ai-title\"}\n", (struct fork_point){0}, &out);
    assert_str(buf_str(&out), "1 Session " SESSION_A " has no messages to fork");
    stored_make(&f);
    stored_write(&f, "-elsewhere", SESSION_A, FILE_TEXT);
    struct fork_request rq = {f.config, STR(SESSION_A), STR("/w"), {.occurrence = 0}};
    assert_int_equal(session_fork(&f.mem, &rq, id, &why), FORK_NO_SESSION);
    assert_str(why, "Session " SESSION_A " not found in project directory for /w");
    stored_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_session),
        cmocka_unit_test(at_a_message),
        cmocka_unit_test(at_a_text),
        cmocka_unit_test(references_are_mapped),
        cmocka_unit_test(sources_that_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
