#include <fcntl.h>
#include <unistd.h>

#include "history_fixture.h"

#include "history/conversations.h"

#define SESSION_C "33333333-3333-4333-8333-333333333333"

struct fixture {
    struct stored stored;
    uv_loop_t loop;
    struct log log;
    str state;
    struct conversation_place place;
};

static int set_up(void **state)
{
    static struct fixture f;
    f = (struct fixture){.log = {.level = LOG_ERROR}};
    stored_make(&f.stored);
    f.place = (struct conversation_place){.config = f.stored.config};
    f.place.state = f.state = arena_printf(&f.stored.mem, "%s/not/there/yet", f.stored.home.dir);
    assert_int_equal(uv_loop_init(&f.loop), 0);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(uv_loop_close(&f->loop), 0);
    stored_end(&f->stored);
    return 0;
}

static void noted(void *user)
{
    (*(int *)user)++;
}

static bool note(struct fixture *f, const char *session, const char *conversation)
{
    struct open_conversation now = {{0}, {0}};
    int done = 0;
    (void)snprintf(now.id, sizeof now.id, "%s", session);
    (void)snprintf(now.conversation, sizeof now.conversation, "%s", conversation);
    bool begun = conversation_note(&f->loop, &f->log, f->state, &now, noted, &done);
    assert_int_equal(uv_run(&f->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(done, begun);
    return begun;
}

/* The id means this conversation, of which something is stored, or (NULL) nothing. */
static void assert_means(struct fixture *f, const char *session, const char *conversation)
{
    struct conversation found;
    conversation_find(&f->stored.mem, &f->place, str_of(session), &found);
    if (conversation) {
        assert_string_equal(found.id, conversation);
    }
    assert_int_equal(str_present(found.transcript), conversation != NULL);
}

/* The conversation is shown by this id, which means it. */
static void assert_name(struct fixture *f, const char *conversation, const char *name)
{
    struct conversation_names n;
    char id[UUID_SIZE];
    conversation_names_read(&n, &f->stored.mem, &f->place);
    assert_true(conversation_name(&n, str_of(conversation), id));
    assert_string_equal(id, name);
    assert_means(f, name, conversation);
    conversation_names_free(&n);
}

/* It is shown by an id that is none of these, which goes to `out`. */
static void assert_made_name(struct fixture *f, const char *conversation, char out[UUID_SIZE])
{
    struct conversation_names n;
    conversation_names_read(&n, &f->stored.mem, &f->place);
    assert_true(conversation_name(&n, str_of(conversation), out));
    assert_true(uuid_valid(str_of(out)));
    assert_string_not_equal(out, conversation);
    assert_means(f, out, conversation);
    conversation_names_free(&n);
}

static void store(struct fixture *f, const char *id)
{
    stored_write(&f->stored, "-w", id, USER("a", "null", "x"));
}

static void test_the_last_note_counts(void **state)
{
    struct fixture *f = *state;
    char name[UUID_SIZE];
    store(f, SESSION_A);
    assert_means(f, SESSION_A, SESSION_A);
    assert_name(f, SESSION_A, SESSION_A);
    store(f, SESSION_B);
    assert_true(note(f, SESSION_A, SESSION_B));
    assert_means(f, SESSION_A, SESSION_B);
    assert_name(f, SESSION_B, SESSION_A);
    assert_made_name(f, SESSION_A, name);
    store(f, SESSION_C);
    assert_true(note(f, SESSION_A, SESSION_C));
    assert_name(f, SESSION_C, SESSION_A);
    assert_name(f, SESSION_B, SESSION_B); /* its own id is free again */
    assert_name(f, SESSION_A, name);
}

/* Until something is stored of the conversation after a clear, the one before goes on. */
static void test_what_is_not_stored_does_not_count(void **state)
{
    struct fixture *f = *state;
    store(f, SESSION_A);
    assert_true(note(f, SESSION_A, SESSION_B));
    assert_name(f, SESSION_A, SESSION_A);
    assert_means(f, SESSION_B, NULL);
    assert_means(f, SESSION_C, NULL);
}

/* The talk before a clear is opened by its made name, and cleared in its turn. */
static void test_a_made_name_can_be_taken(void **state)
{
    struct fixture *f = *state;
    char first[UUID_SIZE], second[UUID_SIZE];
    store(f, SESSION_A);
    store(f, SESSION_B);
    store(f, SESSION_C);
    assert_true(note(f, SESSION_A, SESSION_B));
    assert_made_name(f, SESSION_A, first);
    assert_true(note(f, first, SESSION_C));
    assert_name(f, SESSION_C, first);
    assert_name(f, SESSION_B, SESSION_A);
    assert_made_name(f, SESSION_A, second);
    assert_string_not_equal(first, second);
}

static void test_an_open_session_knows_better(void **state)
{
    struct fixture *f = *state;
    char name[UUID_SIZE];
    struct open_conversation open[] = {{SESSION_A, SESSION_C}, {SESSION_B, SESSION_B}};
    store(f, SESSION_A);
    store(f, SESSION_B);
    assert_true(note(f, SESSION_A, SESSION_B));
    f->place.open = open;
    f->place.n_open = ARRAY_LEN(open);
    assert_name(f, SESSION_B, SESSION_B);
    assert_made_name(f, SESSION_A, name);
    assert_means(f, SESSION_A, NULL); /* its new conversation is not stored yet */
    store(f, SESSION_C);
    assert_name(f, SESSION_C, SESSION_A);
}

static void test_removals(void **state)
{
    struct fixture *f = *state;
    char name[UUID_SIZE];
    store(f, SESSION_A);
    store(f, SESSION_B);
    assert_true(note(f, SESSION_A, SESSION_B));
    assert_made_name(f, SESSION_A, name);
    assert_int_equal(unlink(f->stored.path.p), 0);
    conversation_removed(&f->place, STR(SESSION_A), STR(SESSION_B));
    struct conversation found;
    conversation_find(&f->stored.mem, &f->place, STR(SESSION_A), &found);
    assert_string_equal(found.id, ""); /* and not the talk before */
    assert_name(f, SESSION_A, name);
    assert_int_equal(
        unlink(arena_printf(&f->stored.mem, "%s/projects/-w/" SESSION_A ".jsonl", f->stored.home.dir).p), 0);
    conversation_removed(&f->place, str_of(name), STR(SESSION_A));
    str path = arena_printf(&f->stored.mem, "%s/conversations/" SESSION_A, f->state.p);
    assert_int_equal(access(path.p, F_OK), -1); /* nothing is left to say */
}

/* A session that was cleared can be removed by the conversation's own id as well. */
static void test_a_removal_by_the_own_id(void **state)
{
    struct fixture *f = *state;
    store(f, SESSION_A);
    store(f, SESSION_B);
    assert_true(note(f, SESSION_A, SESSION_B));
    assert_int_equal(unlink(f->stored.path.p), 0);
    conversation_removed(&f->place, STR(SESSION_B), STR(SESSION_B));
    struct conversation found;
    conversation_find(&f->stored.mem, &f->place, STR(SESSION_A), &found);
    assert_string_equal(found.id, "");
}

static void test_ids_are_no_paths(void **state)
{
    struct fixture *f = *state;
    assert_false(note(f, "../../" SESSION_A, "no id"));
    assert_false(note(f, SESSION_A, "no id"));
    assert_false(note(f, "", ""));
    struct stat st;
    assert_int_equal(stat(f->state.p, &st), -1);
}

static void test_odd_files_say_nothing(void **state)
{
    struct fixture *f = *state;
    static const char *const texts[] = {"",
                                        "\n",
                                        "short\n",
                                        "../../../../etc/passwd; not a conversation\n",
                                        SESSION_A "\n",
                                        SESSION_A SESSION_A SESSION_A SESSION_A "\n"};
    store(f, SESSION_A);
    store(f, SESSION_B);
    home_write(&f->stored.home, "not/there/yet/conversations/no-session", SESSION_A "\n");
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        home_write(&f->stored.home, "not/there/yet/conversations/" SESSION_A, texts[i]);
        assert_name(f, SESSION_A, SESSION_A);
        assert_name(f, SESSION_B, SESSION_B);
    }
    /* two that point at each other, and two at one */
    home_write(&f->stored.home, "not/there/yet/conversations/" SESSION_A, SESSION_B "\n");
    home_write(&f->stored.home, "not/there/yet/conversations/" SESSION_B, SESSION_A "\n");
    assert_name(f, SESSION_A, SESSION_B);
    assert_name(f, SESSION_B, SESSION_A);
    home_write(&f->stored.home, "not/there/yet/conversations/" SESSION_C, SESSION_A "\n");
    assert_name(f, SESSION_A, SESSION_B);
    assert_true(note(f, SESSION_A, SESSION_A)); /* mends it */
    assert_means(f, SESSION_A, SESSION_A);
}

static void test_without_a_state_folder(void **state)
{
    struct fixture *f = *state;
    f->place.state = f->state = STR_ABSENT;
    store(f, SESSION_A);
    assert_false(note(f, SESSION_A, SESSION_B));
    assert_name(f, SESSION_A, SESSION_A);
    conversation_removed(&f->place, STR(SESSION_A), STR(SESSION_A));
}

static void test_old_notes_go(void **state)
{
    struct fixture *f = *state;
    store(f, SESSION_A);
    store(f, SESSION_B);
    assert_true(note(f, SESSION_A, SESSION_B));
    str path = arena_printf(&f->stored.mem, "%s/conversations/" SESSION_A, f->state.p);
    const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    struct stat st;
    assert_int_equal(stat(path.p, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(utimensat(AT_FDCWD, path.p, old, 0), 0);
    assert_means(f, SESSION_A, SESSION_B); /* whoever uses it keeps it */
    assert_true(note(f, SESSION_C, SESSION_C));
    assert_means(f, SESSION_A, SESSION_B);
    assert_int_equal(utimensat(AT_FDCWD, path.p, old, 0), 0);
    assert_true(note(f, SESSION_C, SESSION_C));
    assert_means(f, SESSION_A, SESSION_A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_last_note_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_not_stored_does_not_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_made_name_can_be_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_open_session_knows_better, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_removals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_removal_by_the_own_id, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ids_are_no_paths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_odd_files_say_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_a_state_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_old_notes_go, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
