/* One writer for each conversation, in this process and among processes. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "history/writers.h"
#include "session_fixture.h"

static const char ONE[] = "11111111-1111-4111-8111-111111111111";
static const char TWO[] = "22222222-2222-4222-8222-222222222222";

struct fixture {
    struct home home;
    struct log log;
    struct writers w;
    char state[100];
    int a, b; /* stand for sessions */
};

static struct session *session(int *stand_in)
{
    return (struct session *)(void *)stand_in;
}

static int set_up(void **state)
{
    static struct fixture f;
    f = (struct fixture){.log = {.level = LOG_ERROR}};
    home_make(&f.home);
    (void)snprintf(f.state, sizeof f.state, "%s/not/there", f.home.dir);
    writers_init(&f.w, &f.log, f.state);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    writers_free(&f->w);
    home_remove(&f->home);
    return 0;
}

static void sessions(void **state)
{
    struct fixture *f = *state;
    assert_null(writers_of(&f->w, str_of(ONE)));
    writers_enter(&f->w, str_of(ONE), session(&f->a));
    writers_enter(&f->w, str_of(ONE), session(&f->b)); /* it is taken */
    assert_ptr_equal(writers_of(&f->w, str_of(ONE)), session(&f->a));
    writers_leave(&f->w, str_of(ONE), session(&f->b));
    assert_ptr_equal(writers_of(&f->w, str_of(ONE)), session(&f->a));
    writers_leave(&f->w, str_of(ONE), session(&f->a));
    assert_null(writers_of(&f->w, str_of(ONE)));
}

/* What another process finds: 'y' for a lock that it got. */
static char another_process(struct fixture *f, const char *conversation, pid_t *holder)
{
    int answer[2];
    struct {
        char got;
        pid_t holder;
    } seen = {0};
    assert_int_equal(pipe(answer), 0);
    pid_t child = fork();
    if (child == 0) {
        struct writers other;
        writers_init(&other, &f->log, f->state);
        seen.got = writers_lock(&other, str_of(conversation), &seen.holder) ? 'y' : 'n';
        _exit(write(answer[1], &seen, sizeof seen) == sizeof seen ? 0 : 1);
    }
    assert_int_equal(read(answer[0], &seen, sizeof seen), sizeof seen);
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)close(answer[0]);
    (void)close(answer[1]);
    *holder = seen.holder;
    return seen.got;
}

static void processes(void **state)
{
    struct fixture *f = *state;
    pid_t holder;
    writers_enter(&f->w, str_of(ONE), session(&f->a));
    assert_int_equal(another_process(f, ONE, &holder), 'n');
    assert_int_equal(holder, getpid());
    assert_int_equal(another_process(f, TWO, &holder), 'y');
    assert_true(writers_lock(&f->w, str_of(ONE), &holder));
    writers_unlock(&f->w, str_of(ONE)); /* the session has it still */
    assert_int_equal(another_process(f, ONE, &holder), 'n');
    writers_leave(&f->w, str_of(ONE), session(&f->a));
    assert_int_equal(another_process(f, ONE, &holder), 'y');
}

/* A process that was killed leaves nothing behind. */
static void a_killed_process(void **state)
{
    struct fixture *f = *state;
    int ready[2];
    char byte = 0;
    pid_t holder;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct writers other;
        writers_init(&other, &f->log, f->state);
        writers_enter(&other, str_of(ONE), session(&f->a));
        (void)!write(ready[1], "x", 1);
        for (;;) {
            (void)pause();
        }
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_false(writers_lock(&f->w, str_of(ONE), &holder));
    assert_int_equal(holder, child);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(writers_lock(&f->w, str_of(ONE), &holder));
    (void)close(ready[0]);
    (void)close(ready[1]);
}

static void without_a_folder(void **state)
{
    struct fixture *f = *state;
    struct writers w;
    pid_t holder;
    writers_init(&w, &f->log, NULL);
    assert_true(writers_lock(&w, str_of(ONE), &holder));
    writers_unlock(&w, str_of(ONE));
    writers_free(&w);
    home_write(&f->home, "file", "");
    (void)snprintf(f->state, sizeof f->state, "%s/file", f->home.dir);
    assert_true(writers_lock(&f->w, str_of(ONE), &holder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sessions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(processes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_killed_process, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_folder, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
