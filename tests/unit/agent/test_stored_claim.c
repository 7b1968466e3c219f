/* One writer for each conversation, with whole sessions and a script in place of the CLI: whatever id a load
 * names, no CLI is started on a transcript before the one on it is through.
 *
 * The script adds a line to `order` when it is launched and when its input has ended; it takes its time to
 * go. */
#include <sys/wait.h>

#include "agent/stored_sessions.h"
#include "agent_fixture.h"
#include "session_fixture.h"

#define SESSION_A "11111111-1111-4111-8111-111111111111"
#define SESSION_B "22222222-2222-4222-8222-222222222222"

static const char script[] =
    "cd \"${0%/*}\"; printf 'start ' >> order\n"
    "while IFS= read -r line; do case $line in *'\"type\":\"control_request\"'*)\n"
    "  printf '{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\","
    "\"response\":{\"models\":[],\"commands\":[],\"agents\":[]}}}\\n' "
    "\"$(printf '%s' \"$line\" | sed -n 's/.*\"request_id\":\"\\([^\"]*\\)\".*/\\1/p')\";;\n"
    "esac; done; sleep 0.2; printf 'end ' >> order\n";

struct bench {
    struct agent_bench base;
    struct home home;
    struct session *s; /* the first that was opened */
    const char *next;  /* the id that is loaded then */
    bool close;        /* the first one is closed before */
    bool moved;        /* it goes on in the conversation B before */
    unsigned opened;
    str said; /* why a load failed; in `mem` */
    int code;
    struct arena mem;
};

static void ready(void *user, struct session *s, const struct session_error *error);

static void load(struct bench *b, const char *id)
{
    struct session_params p = {.cwd = json_str(json_get(json_root(b->base.params), "cwd"))};
    assert_true(stored_sessions_open(b->base.a.history, &p, b->base.params, str_of(id), false, ready, b));
}

static void go_on(struct bench *b)
{
    const char *id = b->next;
    b->next = NULL;
    if (!id) {
        agent_close(&b->base.a);
        return;
    }
    if (b->moved) {
        session_conversation_changed(b->s, STR(SESSION_B));
    }
    if (b->close) {
        session_close(b->s, NULL, NULL);
    }
    load(b, id);
}

static void ready(void *user, struct session *s, const struct session_error *error)
{
    struct bench *b = user;
    if (error) {
        b->code = error->code;
        b->said = arena_str(&b->mem, error->details);
    } else {
        b->s = b->s ? b->s : s;
        b->opened++;
    }
    go_on(b);
}

static void begin(struct bench *b)
{
    static struct surface face;
    face = silent_surface();
    home_make(&b->home);
    bench_open(&b->base, script, &face, b);
    b->base.a.host.writers.state = b->home.dir;
}

static void end(struct bench *b)
{
    bench_run(&b->base);
    home_remove(&b->home);
}

static void the_own_id_of_an_open_conversation(void **state)
{
    struct bench b = {.next = SESSION_B, .moved = true};
    (void)state;
    begin(&b);
    load(&b, SESSION_A);
    end(&b);
    assert_int_equal(b.opened, 1);
    assert_int_equal(b.code, -32603);
    assert_true(str_has(b.said, STR("open as session " SESSION_A)));
    assert_false(str_has(str_of(fake_line(fake_path("order"))), STR("start start")));
    arena_free(&b.mem);
}

static void the_session_is_closed_and_loaded_at_once(void **state)
{
    struct bench b = {.next = SESSION_A, .close = true};
    (void)state;
    begin(&b);
    load(&b, SESSION_A);
    end(&b);
    assert_int_equal(b.opened, 2);
    expect_in("order", "start end start");
    arena_free(&b.mem);
}

/* Its context was cleared, and it was closed: its conversation is free only when its CLI has gone. */
static void the_own_id_of_one_that_is_closing(void **state)
{
    struct bench b = {.next = SESSION_B, .moved = true, .close = true};
    (void)state;
    begin(&b);
    load(&b, SESSION_A);
    end(&b);
    assert_int_equal(b.opened, 2);
    expect_in("order", "start end start");
    arena_free(&b.mem);
}

/* A process of Herald that has the conversation, until `hold` is closed. */
static pid_t another_herald(struct bench *b, int *hold)
{
    int life[2], locked[2];
    char byte = 0;
    assert_int_equal(pipe(life), 0);
    assert_int_equal(pipe(locked), 0);
    pid_t child = fork();
    if (child == 0) {
        struct writers w;
        pid_t holder;
        (void)close(life[1]);
        writers_init(&w, b->base.a.host.log, b->home.dir);
        byte = writers_lock(&w, STR(SESSION_A), &holder) ? 'y' : 'n';
        _exit(write(locked[1], &byte, 1) == 1 && read(life[0], &byte, 1) == 0 ? 0 : 1);
    }
    (void)close(life[0]);
    assert_int_equal(read(locked[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    (void)close(locked[0]);
    (void)close(locked[1]);
    *hold = life[1];
    return child;
}

static void open_in_another_process(void **state)
{
    struct bench b = {0};
    int hold;
    (void)state;
    begin(&b);
    pid_t child = another_herald(&b, &hold);
    b.base.a.host.limits.elsewhere = 1;
    load(&b, SESSION_A);
    end(&b);
    assert_int_equal(b.opened, 0);
    assert_int_equal(b.code, -32603);
    assert_true(str_has(b.said, STR("open in another process")));
    assert_false(fake_exists("order"));
    (void)close(hold);
    assert_int_equal(waitpid(child, NULL, 0), child);
    arena_free(&b.mem);
}

static void let_go(uv_timer_t *timer)
{
    int *hold = timer->data;
    (void)close(*hold);
    uv_close((uv_handle_t *)timer, NULL);
}

/* The editor has started Herald again, and the one before takes a moment to end. */
static void another_process_ends(void **state)
{
    struct bench b = {0};
    uv_timer_t timer;
    int hold;
    (void)state;
    begin(&b);
    pid_t child = another_herald(&b, &hold);
    b.base.a.host.limits.elsewhere = 600000;
    load(&b, SESSION_A);
    assert_int_equal(uv_timer_init(&b.base.loop, &timer), 0);
    timer.data = &hold;
    assert_int_equal(uv_timer_start(&timer, let_go, 50, 0), 0);
    end(&b);
    assert_int_equal(b.opened, 1);
    assert_int_equal(b.code, 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    arena_free(&b.mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_own_id_of_an_open_conversation, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(the_session_is_closed_and_loaded_at_once, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(the_own_id_of_one_that_is_closing, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(open_in_another_process, fake_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(another_process_ends, fake_setup, fake_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
