/* The output of a channel: it notices that its reader is gone, without a write, and takes nothing else for
 * that. */
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/channel.h"
#include "unit.h"

struct bench {
    uv_loop_t loop;
    uv_timer_t patience;
    uv_prepare_t counter;
    unsigned rounds; /* of the loop */
    struct channel_out *out;
    unsigned broken;
    bool gave_up;
};

static void on_progress(void *user, bool broken)
{
    struct bench *b = user;
    b->broken += broken;
    uv_stop(&b->loop);
}

static void on_patience(uv_timer_t *t)
{
    struct bench *b = t->data;
    b->gave_up = true;
    uv_stop(&b->loop);
}

static void on_round(uv_prepare_t *p)
{
    struct bench *b = p->data;
    b->rounds++;
}

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof(*b));
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(uv_loop_init(&b->loop), 0);
    assert_int_equal(uv_timer_init(&b->loop, &b->patience), 0);
    b->patience.data = b;
    assert_int_equal(uv_prepare_init(&b->loop, &b->counter), 0);
    b->counter.data = b;
    uv_prepare_start(&b->counter, on_round);
    uv_unref((uv_handle_t *)&b->counter);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    channel_out_free(b->out);
    uv_close((uv_handle_t *)&b->patience, NULL);
    uv_close((uv_handle_t *)&b->counter, NULL);
    uv_run(&b->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&b->loop), 0);
    free(b);
    return 0;
}

static void open_out(struct bench *b, int fd)
{
    b->out = channel_out_new(&b->loop, fd, on_progress, b);
    assert_non_null(b->out);
}

/* Runs until something happens to the output, or for so long. */
static void wait_for(struct bench *b, unsigned ms)
{
    uv_timer_start(&b->patience, on_patience, ms, 0);
    uv_run(&b->loop, UV_RUN_DEFAULT);
    uv_timer_stop(&b->patience);
}

static void expect_gone(struct bench *b)
{
    wait_for(b, 10000);
    assert_false(b->gave_up);
    assert_int_equal(b->broken, 1);
    wait_for(b, 20); /* it is told once, */
    assert_int_equal(b->broken, 1);
    AUTO_BUF(text);
    buf_put_c(&text, "lost");
    channel_out_write(b->out, &text); /* and what is written then is dropped */
    assert_int_equal(text.n, 0);
    assert_int_equal(channel_out_queued(b->out), 0);
}

/* Nothing is wrong, and the loop does not turn for nothing. */
static void expect_quiet(struct bench *b)
{
    wait_for(b, 20);
    assert_true(b->gave_up);
    b->gave_up = false;
    assert_int_equal(b->broken, 0);
    assert_int_equal(uv_run(&b->loop, UV_RUN_NOWAIT), 0); /* it keeps no loop alive either */
    b->rounds = 0;
    wait_for(b, 50);
    assert_true(b->rounds < 5);
    b->gave_up = false;
}

static void expect_written(struct bench *b, int reader)
{
    char got[8];
    AUTO_BUF(text);
    buf_put_c(&text, "hello");
    channel_out_write(b->out, &text);
    assert_int_equal(b->broken, 0);
    assert_int_equal(read(reader, got, sizeof(got)), 5);
    assert_memory_equal(got, "hello", 5);
}

static void test_a_pipe(void **state)
{
    struct bench *b = *state;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    open_out(b, fds[1]);
    expect_quiet(b);
    expect_written(b, fds[0]);
    close(fds[0]);
    expect_gone(b);
}

/* The reader goes while a write waits for it. */
static void test_a_full_pipe(void **state)
{
    struct bench *b = *state;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    open_out(b, fds[1]);
    AUTO_BUF(text);
    for (int i = 0; i < 1 << 18; i++) {
        buf_put_c(&text, "x");
    }
    channel_out_write(b->out, &text);
    assert_true(channel_out_queued(b->out) > 0);
    close(fds[0]);
    wait_for(b, 10000);
    assert_false(b->gave_up);
    assert_int_equal(b->broken, 1);
}

static void test_a_socket(void **state)
{
    struct bench *b = *state;
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    open_out(b, fds[1]);
    expect_quiet(b);
    expect_written(b, fds[0]);
    close(fds[0]);
    expect_gone(b);
}

/* It says that it will not write, or writes what nobody reads here; it reads all the same. */
static void test_a_socket_that_is_used_both_ways(void **state)
{
    for (int kind = 0; kind < 2; kind++) {
        int fds[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
        struct bench *b = *state;
        open_out(b, fds[1]);
        if (kind == 0) {
            assert_int_equal(shutdown(fds[0], SHUT_WR), 0);
        } else {
            assert_int_equal(write(fds[0], "?", 1), 1);
        }
        expect_quiet(b);
        expect_written(b, fds[0]);
        close(fds[0]);
        AUTO_BUF(text);
        buf_put_c(&text, "more");
        channel_out_write(b->out, &text);
        wait_for(b, 20);
        assert_int_equal(b->broken, 1);
        b->broken = 0;
        b->gave_up = false;
        channel_out_free(b->out);
        b->out = NULL;
    }
}

static void test_a_file(void **state)
{
    struct bench *b = *state;
    char path[] = "/tmp/herald-channel-XXXXXX";
    int fd = mkstemp(path), reader = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && reader >= 0);
    open_out(b, fd);
    expect_quiet(b);
    expect_written(b, reader);
    close(reader);
    unlink(path);
    expect_quiet(b);
    close(fd);
}

static void test_what_cannot_be_written(void **state)
{
    struct bench *b = *state;
    assert_null(channel_out_new(&b->loop, -1, on_progress, b));
}

#define CHANNEL_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHANNEL_TEST(test_a_pipe),   CHANNEL_TEST(test_a_full_pipe),
        CHANNEL_TEST(test_a_socket), CHANNEL_TEST(test_a_socket_that_is_used_both_ways),
        CHANNEL_TEST(test_a_file),   CHANNEL_TEST(test_what_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
