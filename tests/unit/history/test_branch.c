#include "history/branch.h"

#include "history_fixture.h"

/* The uuids of the conversation of a file, with blanks between them. */
static void assert_conversation(const char *file, const char *expected)
{
    struct stored f;
    struct records r;
    struct branch b;
    AUTO_BUF(got);
    stored_make(&f);
    stored_write(&f, "p", SESSION_A, file);
    assert_true(records_load(&r, f.path.p));
    assert_true(branch_select(&b, &r, false));
    for (size_t i = 0; i < b.n; i++) {
        buf_put_c(&got, i ? " " : "");
        buf_put_str(&got, r.rows[b.rows[i]].uuid);
    }
    assert_str(buf_str(&got), expected);
    branch_free(&b);
    records_free(&r);
    stored_end(&f);
}

static void a_plain_chain(void **state)
{
    (void)state;
    assert_conversation(USER("a", "null", "x") ATTACHMENT("b", "\"a\"") ASSISTANT("c", "\"b\"", "m", "y"),
                        "a c");
    assert_conversation("{}\n", "");
    assert_conversation("{\"type\":\"ai-title\",\"aiTitle\":\"user\"}\n", "");
}

static void the_end_written_last_wins(void **state)
{
    (void)state;
    assert_conversation(USER("a", "null", "x") USER("b", "\"a\"", "old") USER("c", "\"a\"", "new"), "a c");
    assert_conversation(USER("a", "null", "x") USER("b", "\"a\"", "old") USER("c", "\"a\"", "new")
                            ATTACHMENT("d", "\"b\""),
                        "a b");
}

static void broken_lines_are_passed_over(void **state)
{
    (void)state;
    assert_conversation(
        USER("a", "null",
             "x") "{\"type\":\"user\",\"uuid\":\"torn\nnull\n[1]\n\"user\"\n\n"
                  "{\"type\":\"user\",\"uuid\":7}\n{\"type\":[\"user\"]}\n"
                  "\xff\xfe\n" ASSISTANT("b", "\"a\"", "m",
                                         "y") "{\"type\":\"user\",\"uuid\":\"z\",\"parentUuid\":\"b\",\"mes",
        "a b");
    assert_conversation(USER("b", "\"gone\"", "x") ASSISTANT("c", "\"b\"", "m", "y"), "b c");
}

static void cycles_end(void **state)
{
    (void)state;
    assert_conversation(USER("a", "\"b\"", "x") USER("b", "\"a\"", "y"), "");
    assert_conversation(USER("a", "\"a\"", "x"), "");
    assert_conversation(USER("a", "\"b\"", "x") USER("b", "\"a\"", "y") USER("c", "\"b\"", "z"), "a b c");
    assert_conversation(ATTACHMENT("a", "\"b\"") ATTACHMENT("b", "\"a\"") ATTACHMENT("c", "\"b\""), "");
}

static void a_repeated_uuid_counts_once(void **state)
{
    (void)state;
    assert_conversation(USER("a", "null", "x") USER("b", "null", "y") USER("b", "\"a\"", "y"), "a b");
}

static void parallel_calls_come_back(void **state)
{
    (void)state;
    assert_conversation(USER("p", "null", "x") CALL("u1", "\"p\"", "m", "t1") RESULT("r1", "\"u1\"", "t1")
                            CALL("u2", "\"u1\"", "m", "t2") RESULT("r2", "\"u2\"", "t2")
                                ASSISTANT("e", "\"r2\"", "n", "done"),
                        "p u1 u2 r1 r2 e");
    assert_conversation(USER("p", "null", "x") CALL("u1", "\"p\"", "m", "t1") CALL("u2", "\"p\"", "m", "t2")
                            RESULT("r2", "\"u2\"", "t2") RESULT("r1", "\"u1\"", "t1"),
                        "p u1 u2 r2 r1");
}

static void what_is_not_shown(void **state)
{
    (void)state;
    assert_conversation(
        USER(
            "a", "null",
            "x") "{\"type\":\"user\",\"uuid\":\"m\",\"parentUuid\":\"a\",\"isMeta\":true,\"message\":{}}\n"
                 "{\"type\":\"user\",\"uuid\":\"t\",\"parentUuid\":\"m\",\"teamName\":\"x\",\"message\":{}}\n"
                 "{\"type\":\"system\",\"uuid\":\"s\",\"parentUuid\":\"t\"}\n"
                 "{\"type\":\"progress\",\"uuid\":\"g\",\"parentUuid\":\"s\"}\n" USER(
                     "b", "\"g\"",
                     "y") "{\"type\":\"user\",\"uuid\":\"side\",\"parentUuid\":\"b\",\"isSidechain\":true,"
                          "\"message\":{}}\n",
        "a b");
}

#define QUEUED(id, parent, rest)                                                                             \
    "{\"type\":\"attachment\",\"uuid\":\"" id "\",\"parentUuid\":" parent                                    \
    ",\"attachment\":{\"type\":\"queued_command\",\"prompt\":\"p\"" rest "}}\n"

static void a_late_record_makes_its_branch_the_active_one(void **state)
{
    (void)state;
    /* A record for the model, at the end of the newer branch. */
    assert_conversation(USER("a", "null", "x") USER("b", "\"a\"", "old")
                            USER("c", "\"a\"",
                                 "new") "{\"type\":\"user\",\"uuid\":\"m\",\"parentUuid\":\"c\","
                                        "\"isMeta\":true,\"message\":{}}\n",
                        "a c");
    /* One of a side chain is no end, and hides none. */
    assert_conversation(USER("a", "null", "x") USER("b", "\"a\"", "old") USER("c", "\"a\"", "new")
                            ATTACHMENT("d", "\"b\"") "{\"type\":\"user\",\"uuid\":\"s\",\"parentUuid\":\"c\","
                                                     "\"isSidechain\":true,\"message\":{}}\n",
                        "a b");
    /* What briefs a fork, and progress, is no end either. */
    assert_conversation(
        USER("a", "null", "x") USER("b", "\"a\"", "old")
            USER("c", "\"a\"",
                 "new") "{\"type\":\"attachment\",\"uuid\":\"f\",\"parentUuid\":\"b\",\"attachment\":{"
                        "\"type\":\"fork_briefing\"}}\n{\"type\":\"progress\",\"uuid\":\"p\","
                        "\"parentUuid\":\"b\"}\n",
        "a c");
    /* When no record counts, the last message of any branch is the leaf. */
    assert_conversation("{\"type\":\"user\",\"uuid\":\"s\",\"parentUuid\":null,\"isSidechain\":true,"
                        "\"message\":{}}\n",
                        "");
}

static void queued_prompts_are_shown_once(void **state)
{
    (void)state;
    assert_conversation(USER("a", "null", "x") QUEUED("q", "\"a\"", ",\"isMeta\":true")
                            ASSISTANT("b", "\"q\"", "m", "y"),
                        "a b");
    assert_conversation(USER("a", "null", "x") QUEUED("q", "\"a\"", ",\"forwardedIntent\":{}")
                            ASSISTANT("b", "\"q\"", "m", "y"),
                        "a b");
    assert_conversation(USER("a", "null", "x") QUEUED("q", "\"a\"", ",\"source_uuid\":\"b\"")
                            USER("b", "\"q\"", "p") ASSISTANT("c", "\"b\"", "m", "y"),
                        "a b c");
    assert_conversation(USER("a", "null", "x") QUEUED("q", "\"a\"", ",\"source_uuid\":\"s\"")
                            QUEUED("r", "\"q\"", ",\"source_uuid\":\"s\"") ASSISTANT("c", "\"r\"", "m", "y"),
                        "a q c");
}

#define META_USER(id, parent, text)                                                                          \
    "{\"type\":\"user\",\"uuid\":\"" id "\",\"parentUuid\":" parent                                          \
    ",\"isMeta\":true,\"message\":{\"content\":\"" text "\"}}\n"

static void a_queued_prompt_is_told_when_an_answer_follows(void **state)
{
    (void)state;
    assert_conversation(USER("a", "null", "x") QUEUED("q", "\"a\"", "") ASSISTANT("b", "\"q\"", "m", "y"),
                        "a q b");
    assert_conversation(USER("a", "null", "x") QUEUED("q", "\"a\"", "") USER("b", "\"q\"", "typed")
                            ASSISTANT("c", "\"b\"", "m", "y"),
                        "a b c");
    assert_conversation(CALL("u", "null", "m", "t") QUEUED("q", "\"u\"", "") RESULT("r", "\"q\"", "t"),
                        "u q r");
    assert_conversation(USER("a", "null", "x") QUEUED("q", "\"a\"", "")
                            USER("b", "\"q\"", "[Request interrupted by user]") USER("c", "\"b\"", "typed"),
                        "a q b c");
    /* What the model is told besides, and a command that ran without it, is no prompt. */
    assert_conversation(USER("a", "null", "x") QUEUED("q", "\"a\"", "") META_USER("b", "\"q\"", "note")
                            ASSISTANT("c", "\"b\"", "m", "y"),
                        "a q c");
#define COMMAND(after)                                                                                       \
    USER("a", "null", "x")                                                                                   \
    QUEUED("q", "\"a\"", "")                                                                                 \
    META_USER("b", "\"q\"", "<local-command-caveat>")                                                        \
    USER("c", "\"b\"", "<command-name>/x</command-name>")                                                    \
    USER("d", "\"c\"", "<local-command-stdout>o</local-command-stdout>") after
    assert_conversation(COMMAND(ASSISTANT("e", "\"d\"", "m", "y")), "a q c d e");
    assert_conversation(COMMAND(USER("e", "\"d\"", "typed")), "a c d e");
    assert_conversation(USER("a", "null", "x") QUEUED("q", "\"a\"", "")
                            USER("c", "\"q\"", "<command-name>/x</command-name>")
                                ASSISTANT("e", "\"c\"", "m", "y"),
                        "a c e"); /* a command that is a prompt */
}

static void a_queued_prompt_after_the_leaf_is_told(void **state)
{
    (void)state;
    assert_conversation(USER("a", "null", "x") QUEUED("q", "\"a\"", ""), "a q");
    assert_conversation(USER("a", "null", "x") ATTACHMENT("d", "\"a\"") QUEUED("q", "\"d\"", "")
                            QUEUED("r", "\"q\"", ",\"source_uuid\":\"s\""),
                        "a q r");
    /* Not one on the way to another branch; siblings come by time. */
    assert_conversation(USER("a", "null", "x") QUEUED("o", "\"a\"", "") USER("b", "\"o\"", "old")
                            USER("c", "\"a\"",
                                 "new") "{\"type\":\"attachment\",\"uuid\":\"q\",\"parentUuid\":\"c\","
                                        "\"timestamp\":\"2\",\"attachment\":{\"type\":\"queued_command\"}}\n"
                                        "{\"type\":\"attachment\",\"uuid\":\"r\",\"parentUuid\":\"c\","
                                        "\"timestamp\":\"1\",\"attachment\":{\"type\":\"queued_command\"}}\n",
                        "a c r q");
    assert_conversation(USER("a", "null", "x") QUEUED("o", "\"a\"", "") USER("b", "\"o\"", "old")
                            ATTACHMENT("d", "\"a\""),
                        "a");
}

#define ABSORBED(key, id)                                                                                    \
    "{\"type\":\"queue-operation\",\"operation\":\"remove\",\"reason\":\"absorbed_mid_turn\",\"" key         \
    "\":\"" id "\"}\n"

static void the_queue_knows_what_was_delivered(void **state)
{
    (void)state;
    /* Of one source: the last ones of the conversation, as many as the queue says. */
    assert_conversation(USER("a", "null", "x") ABSORBED("commandUuid", "s")
                            QUEUED("q", "\"a\"", ",\"source_uuid\":\"s\"") USER("b", "\"q\"", "typed"),
                        "a q b");
    assert_conversation(USER("a", "null", "x") ABSORBED("commandUuid", "s")
                            QUEUED("q", "\"a\"", ",\"source_uuid\":\"s\"") ASSISTANT("b", "\"q\"", "m", "y")
                                QUEUED("r", "\"b\"", ",\"source_uuid\":\"s\"") USER("c", "\"r\"", "typed"),
                        "a b r c");
    /* Copies that differ: the number says nothing, the neighbours do. */
    assert_conversation(USER("a", "null", "x") ABSORBED("commandUuid", "s")
                            QUEUED("q", "\"a\"", ",\"source_uuid\":\"s\"") ASSISTANT("b", "\"q\"", "m", "y")
                                QUEUED("r", "\"b\"", ",\"source_uuid\":\"s\",\"n\":1")
                                    USER("c", "\"r\"", "typed"),
                        "a q b c");
    /* Of one delivery: the last copies of the whole file. */
    assert_conversation(USER("a", "null", "x") ABSORBED("deliveryId", "d")
                            QUEUED("q", "\"a\"", ",\"delivery_id\":\"d\"") ASSISTANT("b", "\"q\"", "m", "y")
                                QUEUED("r", "\"b\"", ",\"delivery_id\":\"d\"") USER("c", "\"r\"", "old")
                                    USER("e", "\"b\"", "typed"),
                        "a b e");
    assert_conversation(USER("a", "null", "x") ABSORBED("deliveryId", "d") ABSORBED("commandUuid", "")
                            QUEUED("q", "\"a\"", ",\"delivery_id\":\"d\"") USER("c", "\"q\"", "typed"),
                        "a q c");
    /* Other words of the queue count nothing. */
    assert_conversation(USER("a", "null", "x") "{\"type\":\"queue-operation\",\"operation\":\"remove\","
                                               "\"reason\":\"gone\",\"commandUuid\":\"s\",\"x\":"
                                               "\"absorbed_mid_turn\"}\n" QUEUED("q", "\"a\"",
                                                                                 ",\"source_uuid\":\"s\"")
                                                   USER("c", "\"q\"", "typed"),
                        "a c");
}

#define BOUNDARY(meta)                                                                                       \
    "{\"type\":\"system\",\"subtype\":\"compact_boundary\",\"uuid\":\"B\",\"parentUuid\":null,"              \
    "\"logicalParentUuid\":\"d\",\"compactMetadata\":{" meta "}}\n"
#define BEFORE USER("a", "null", "1") USER("b", "\"a\"", "2") USER("c", "\"b\"", "3") USER("d", "\"c\"", "4")
#define AFTER  USER("S", "\"B\"", "summary") USER("n", "\"S\"", "new")

static void compactions_keep_a_part(void **state)
{
    (void)state;
    assert_conversation(BEFORE BOUNDARY("") AFTER, "S n");
    assert_conversation(
        BEFORE BOUNDARY("\"preservedSegment\":{\"headUuid\":\"c\",\"anchorUuid\":\"S\",\"tailUuid\":\"d\"}")
            AFTER,
        "S c d n");
    assert_conversation(BEFORE BOUNDARY(
                            "\"preservedMessages\":{\"anchorUuid\":\"S\",\"uuids\":[\"b\",\"d\"]}") AFTER,
                        "S b d n");
    /* One that the file lacks, or that is no uuid, makes a list worth nothing. */
    assert_conversation(BEFORE BOUNDARY(
                            "\"preservedMessages\":{\"anchorUuid\":\"S\",\"uuids\":[\"b\",\"zz\"]}") AFTER,
                        "S n");
    assert_conversation(BEFORE BOUNDARY("\"preservedMessages\":{\"anchorUuid\":\"S\",\"uuids\":[\"b\",5]}")
                            AFTER,
                        "S n");
    /* What hangs on a record that was kept comes after the summary too. */
    assert_conversation(
        BEFORE BOUNDARY("\"preservedSegment\":{\"headUuid\":\"c\",\"anchorUuid\":\"S\",\"tailUuid\":\"d\"}")
            USER("S", "\"B\"", "summary") USER("n", "\"d\"", "new"),
        "S c d n");
    assert_conversation(BEFORE BOUNDARY(
                            "\"preservedSegment\":{\"headUuid\":7,\"anchorUuid\":\"?\",\"tailUuid\":\"S\"}")
                            AFTER,
                        "S n");
}

static void a_long_line_is_read(void **state)
{
    AUTO_BUF(text);
    (void)state;
    buf_put_c(&text, USER("a", "null",
                          "x") "{\"type\":\"assistant\",\"uuid\":\"b\",\"parentUuid\":\"a\",\"message\":"
                               "{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"");
    buf_put_fill(&text, 'y', 700000);
    buf_put_c(&text, "\"}]}}\r\n" USER("c", "\"b\"", "z"));
    assert_conversation(buf_c(&text), "a b c");
}

static void files_that_are_none(void **state)
{
    struct records r;
    struct lines l;
    (void)state;
    assert_false(records_load(&r, "/nonexistent/x.jsonl"));
    records_free(&r);
    assert_false(lines_open(&l, "/tmp"));
    assert_false(lines_open(&l, "/dev/zero"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_chain),
        cmocka_unit_test(the_end_written_last_wins),
        cmocka_unit_test(broken_lines_are_passed_over),
        cmocka_unit_test(cycles_end),
        cmocka_unit_test(a_repeated_uuid_counts_once),
        cmocka_unit_test(parallel_calls_come_back),
        cmocka_unit_test(what_is_not_shown),
        cmocka_unit_test(a_late_record_makes_its_branch_the_active_one),
        cmocka_unit_test(queued_prompts_are_shown_once),
        cmocka_unit_test(a_queued_prompt_is_told_when_an_answer_follows),
        cmocka_unit_test(a_queued_prompt_after_the_leaf_is_told),
        cmocka_unit_test(the_queue_knows_what_was_delivered),
        cmocka_unit_test(compactions_keep_a_part),
        cmocka_unit_test(a_long_line_is_read),
        cmocka_unit_test(files_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
