#include "history_fixture.h"

#include "history/conversations.h"

#define SESSION_C "33333333-3333-4333-8333-333333333333"

struct fixture {
    struct stored stored;
    uv_loop_t loop;
    struct log log;
    str state;
};

static int set_up(void **state)
{
    static struct fixture f;
    f = (struct fixture){.log = {.level = LOG_ERROR}};
    stored_make(&f.stored);
    f.state = arena_printf(&f.stored.mem, "%s/not/there/yet", f.stored.home.dir);
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

static void note(struct fixture *f, const char *session, const char *conversation)
{
    conversations_note(&f->loop, &f->log, f->state, str_of(session), str_of(conversation));
    assert_int_equal(uv_run(&f->loop, UV_RUN_DEFAULT), 0);
}

static str find(struct fixture *f, const char *session)
{
    return conversations_find(&f->stored.mem, f->state, str_of(session));
}

static void test_the_last_note_counts(void **state)
{
    struct fixture *f = *state;
    assert_false(str_present(find(f, SESSION_A)));
    note(f, SESSION_A, SESSION_B);
    assert_str(find(f, SESSION_A), SESSION_B);
    note(f, SESSION_A, SESSION_C);
    assert_str(find(f, SESSION_A), SESSION_C);
    assert_false(str_present(find(f, SESSION_B)));
    conversations_forget(f->state, STR(SESSION_A));
    assert_false(str_present(find(f, SESSION_A)));
}

static void test_ids_are_no_paths(void **state)
{
    struct fixture *f = *state;
    note(f, "../../" SESSION_A, SESSION_B);
    note(f, SESSION_A, "no id");
    note(f, "", "");
    struct stat st;
    assert_int_equal(stat(f->state.p, &st), -1);
    assert_false(str_present(find(f, "../../" SESSION_A)));
}

static void test_odd_files_say_nothing(void **state)
{
    struct fixture *f = *state;
    static const char *const texts[] = {"", "short\n", "../../../../etc/passwd; not a conversation\n"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        home_write(&f->stored.home, "not/there/yet/conversations/" SESSION_A, texts[i]);
        assert_false(str_present(find(f, SESSION_A)));
    }
    note(f, SESSION_A, SESSION_B); /* mends it */
    assert_str(find(f, SESSION_A), SESSION_B);
}

static void test_without_a_state_folder(void **state)
{
    struct fixture *f = *state;
    f->state = STR_ABSENT;
    note(f, SESSION_A, SESSION_B);
    assert_false(str_present(find(f, SESSION_A)));
    conversations_forget(f->state, STR(SESSION_A));
}

static void test_old_notes_go(void **state)
{
    struct fixture *f = *state;
    note(f, SESSION_A, SESSION_B);
    str path = arena_printf(&f->stored.mem, "%s/conversations/" SESSION_A, f->state.p);
    const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    assert_int_equal(utimensat(AT_FDCWD, path.p, old, 0), 0);
    note(f, SESSION_B, SESSION_C);
    assert_false(str_present(find(f, SESSION_A)));
    assert_str(find(f, SESSION_B), SESSION_C);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_last_note_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ids_are_no_paths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_odd_files_say_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_a_state_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_old_notes_go, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
