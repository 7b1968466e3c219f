#include "session_fixture.h"

#include "settings/settings_watch.h"

struct bench {
    struct home home;
    struct arena mem;
    uv_loop_t loop;
    uv_timer_t limit;
    struct settings_watch *watch;
    struct buf models; /* that were told, each with a semicolon */
    unsigned stop_after;
};

static struct bench bench;

static void end_bench(struct bench *b)
{
    settings_watch_free(b->watch);
    b->watch = NULL;
    if (!uv_is_closing((uv_handle_t *)&b->limit)) {
        uv_close((uv_handle_t *)&b->limit, NULL);
    }
}

static void on_changed(void *user, struct settings *settings)
{
    struct bench *b = user;
    str model = settings_model(settings);
    buf_put_str(&b->models, model.p ? model : STR("none"));
    buf_put_byte(&b->models, ';');
    settings_free(settings);
    if (--b->stop_after == 0) {
        end_bench(b);
    }
}

static void on_limit(uv_timer_t *timer)
{
    end_bench(timer->data);
}

static int set_up(void **state)
{
    struct bench *b = &bench;
    *b = (struct bench){.stop_after = 1};
    home_make(&b->home);
    home_write(&b->home, ".claude/settings.json", "{\"model\":\"one\"}");
    home_write(&b->home, "work/.claude/other.txt", "");
    home_write(&b->home, "managed/managed-settings.d/readme.txt", "");
    assert_int_equal(uv_loop_init(&b->loop), 0);
    assert_int_equal(uv_timer_init(&b->loop, &b->limit), 0);
    b->limit.data = b;
    b->watch = settings_watch_new(&b->loop,
                                  &(struct settings_place){
                                      .home = str_of(b->home.dir),
                                      .cwd = arena_printf(&b->mem, "%s/work", b->home.dir),
                                      .managed_dir = arena_printf(&b->mem, "%s/managed", b->home.dir),
                                  },
                                  on_changed, b);
    assert_non_null(b->watch);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    assert_int_equal(uv_loop_close(&b->loop), 0);
    buf_free(&b->models);
    arena_free(&b->mem);
    home_remove(&b->home);
    return 0;
}

/* Runs until enough was told, or `ms` are over. */
static void run(struct bench *b, unsigned ms)
{
    uv_timer_start(&b->limit, on_limit, ms, 0);
    assert_int_equal(uv_run(&b->loop, UV_RUN_DEFAULT), 0);
}

static void test_each_folder_counts(void **state)
{
    static const struct {
        const char *file, *model;
    } cases[] = {
        {".claude/settings.json", "two;"},
        {"work/.claude/settings.json", "two;"},
        {"work/.claude/settings.local.json", "two;"},
        {"managed/managed-settings.json", "two;"},
        {"managed/managed-settings.d/10-more.json", "two;"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct bench *b = *state;
        home_write(&b->home, cases[i].file, "{\"model\":\"two\"}");
        run(b, 10000);
        assert_str(buf_str(&b->models), cases[i].model);
        tear_down(state);
        set_up(state);
    }
    end_bench(*state);
    run(*state, 1);
}

static void test_many_writes_are_read_once(void **state)
{
    struct bench *b = *state;
    b->stop_after = 2;
    for (int i = 0; i < 20; i++) {
        home_write(&b->home, ".claude/settings.json", "{\"model\":\"half");
    }
    home_write(&b->home, ".claude/settings.json", "{\"model\":\"whole\"}");
    run(b, 5 * SETTINGS_QUIET_MS);
    assert_str(buf_str(&b->models), "whole;");
}

static void test_other_files_do_not_count(void **state)
{
    struct bench *b = *state;
    home_write(&b->home, ".claude/history.jsonl", "{}");
    home_write(&b->home, ".claude/state.json", "{}");
    home_write(&b->home, "managed/managed-settings.d/readme.txt", "more");
    run(b, 4 * SETTINGS_QUIET_MS);
    assert_int_equal(b->models.n, 0);
}

static void test_freed_while_it_reads(void **state)
{
    struct bench *b = *state;
    home_write(&b->home, ".claude/settings.json", "{\"model\":\"two\"}");
    uv_timer_start(&b->limit, on_limit, SETTINGS_QUIET_MS, 0); /* about when the reading begins */
    assert_int_equal(uv_run(&b->loop, UV_RUN_DEFAULT), 0);
    assert_true(b->models.n == 0 || str_is(buf_str(&b->models), "two;"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_each_folder_counts),
        T(test_many_writes_are_read_once),
        T(test_other_files_do_not_count),
        T(test_freed_while_it_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
