#include "cli_fake.h"

#include "base/utf8.h"
#include "cli/exit_report.h"

/* What a process did, as its events told it. */
struct seen {
    uv_loop_t loop;
    struct cli_process *p;
    struct buf lines; /* each followed by "|" */
    size_t count, longest, bytes;
    unsigned ended, drained;
    bool spawn_failed, keep_small;
    int64_t status;
    int signal;
    char *message, *tail;
    void (*on_line)(struct seen *s, str line);
};

static void seen_line(void *user, str line)
{
    struct seen *s = user;
    s->count++;
    s->bytes += line.n;
    s->longest = line.n > s->longest ? line.n : s->longest;
    if (line.n < 4096) {
        buf_put_str(&s->lines, line);
        buf_put_byte(&s->lines, '|');
    }
    if (s->on_line) {
        s->on_line(s, line);
    }
}

static void seen_ended(void *user, const struct cli_exit *how)
{
    struct seen *s = user;
    s->ended++;
    s->p = NULL;
    s->spawn_failed = how->spawn_failed;
    s->status = how->status;
    s->signal = how->signal;
    s->message = str_dup(how->message);
    s->tail = str_dup(how->stderr_tail);
}

static void seen_drained(void *user)
{
    struct seen *s = user;
    s->drained++;
}

static const struct cli_process_events events = {seen_line, seen_ended, seen_drained};

static void seen_free(struct seen *s)
{
    buf_free(&s->lines);
    free(s->message);
    free(s->tail);
}

#define SEEN(name) CLEANUP(seen_free) struct seen name = {0}

static void start(struct seen *s, const struct cli_spawn *spawn)
{
    assert_int_equal(uv_loop_init(&s->loop), 0);
    s->p = cli_process_start(&s->loop, NULL, spawn, &events, s);
    assert_non_null(s->p);
    assert_int_equal(s->ended, 0);
}

/* Runs a script to its end. */
static void run(struct seen *s, const char *body)
{
    struct cli_spawn spawn = fake_spawn(fake_script("cli", body), NULL);
    start(s, &spawn);
    fake_run(&s->loop);
    assert_int_equal(s->ended, 1);
}

static void test_lines_split_anywhere(void **state)
{
    (void)state;
    SEEN(s);
    run(&s, "printf 'a'; sleep 0.05; printf 'b\\nc\\r\\n\\n'; sleep 0.05; printf 'd\\000e\\n\\nlast'");
    assert_int_equal(s.count, 6);
    assert_int_equal(s.lines.n, 16);
    assert_memory_equal(s.lines.p, "ab|c||d\0e||last|", 16);
    assert_int_equal(s.status, 0);
    assert_string_equal(s.message, "Query closed before response received");
    assert_string_equal(s.tail, "");
}

static void test_environment_folder_and_arguments(void **state)
{
    (void)state;
    SEEN(s);
    const char *const argv[] = {"one two", "", "-x", NULL};
    struct cli_spawn spawn =
        fake_spawn(fake_script("cli", "echo \"$#:$1:$2:$3\"; pwd -P; env | grep -c '^FAKE=yes'; env | grep "
                                      "-c HOME; ps -o pgid= $$ | tr -d ' '; echo $$"),
                   argv);
    setenv("HOME", "/nonexistent", 1);
    start(&s, &spawn);
    int pid = cli_process_pid(s.p);
    fake_run(&s.loop);
    AUTO_BUF(expected);
    buf_printf(&expected, "3:one two::-x|%s|1|0|", fake_folder);
    assert_true(str_starts(buf_str(&s.lines), buf_str(&expected)));
    AUTO_BUF(ids);
    buf_printf(&ids, "|%d|", pid);
    assert_true(str_ends(buf_str(&s.lines), buf_str(&ids)));
}

static void test_ten_megabytes_in_one_line(void **state)
{
    (void)state;
    SEEN(s);
    run(&s, "head -c 10485760 /dev/zero | tr '\\0' x; echo; echo end");
    assert_int_equal(s.count, 2);
    assert_int_equal(s.longest, 10485760);
    assert_str(buf_str(&s.lines), "end|");
}

static void test_everything_written_before_the_exit_is_delivered(void **state)
{
    (void)state;
    SEEN(s);
    run(&s, "seq 1 100000; exit 3");
    assert_int_equal(s.count, 100000);
    assert_int_equal(s.bytes, 488895);
    assert_int_equal(s.status, 3);
    assert_string_equal(s.message, "Claude Code process exited with code 3");
}

static void test_a_line_without_end_ends_the_process(void **state)
{
    (void)state;
    SEEN(s);
    run(&s, "echo first; head -c 300000000 /dev/zero | tr '\\0' x; sleep 60");
    assert_str(buf_str(&s.lines), "first|");
    assert_string_equal(s.message, "Claude Code wrote a line of more than 128 MiB");
    assert_false(s.spawn_failed);
}

static void test_exit_code_and_stderr(void **state)
{
    (void)state;
    SEEN(s);
    run(&s, "echo '  bad flag: --x' >&2; echo >&2; exit 7");
    assert_int_equal(s.status, 7);
    assert_string_equal(s.tail, "bad flag: --x");
    assert_string_equal(s.message, "Claude Code process exited with code 7. stderr: bad flag: --x");
}

static void test_exit_0_says_why_too(void **state)
{
    (void)state;
    SEEN(s);
    run(&s, "echo sorry >&2");
    assert_string_equal(s.message, "Query closed before response received. stderr: sorry");
}

static void test_signal(void **state)
{
    (void)state;
    SEEN(s);
    run(&s, "kill -KILL $$");
    assert_int_equal(s.signal, SIGKILL);
    assert_string_equal(s.message, "Claude Code process terminated by signal SIGKILL");
}

static void test_stderr_tail_is_cut_between_characters(void **state)
{
    (void)state;
    SEEN(s);
    /* 3 bytes each, and one byte at the end: the cut at 2048 falls inside a character. */
    run(&s, "i=0; while [ $i -lt 4000 ]; do printf '\\342\\202\\254' >&2; i=$((i+1)); done; printf 'x\\377' "
            ">&2; exit 1");
    str tail = str_of(s.tail);
    assert_true(tail.n <= CLI_STDERR_TAIL && tail.n > CLI_STDERR_TAIL - 8);
    assert_int_equal(utf8_valid_until(tail), tail.n);
    assert_true(str_starts(tail, STR("\xE2\x82\xAC\xE2")));
    assert_true(str_ends(tail, STR("\xE2\x82\xACx\xEF\xBF\xBD")));
}

static void test_tail_over_odd_chunks(void **state)
{
    (void)state;
    for (size_t chunk = 1; chunk < 9000; chunk = chunk * 3 + 1) {
        struct tail t = {.n = 0};
        char text[9000];
        size_t total = 0;
        while (total < 20000) {
            for (size_t i = 0; i < chunk; i++) {
                text[i] = (char)('a' + (total + i) % 26);
            }
            tail_add(&t, text, chunk);
            total += chunk;
        }
        AUTO_BUF(out);
        tail_text(&t, &out);
        assert_int_equal(out.n, CLI_STDERR_TAIL);
        for (size_t i = 0; i < out.n; i++) {
            assert_int_equal(out.p[i], 'a' + (total - out.n + i) % 26);
        }
    }
}

static void test_a_flood_on_stderr_blocks_nothing(void **state)
{
    (void)state;
    SEEN(s);
    run(&s, "head -c 3000000 /dev/zero | tr '\\0' e >&2; echo done");
    assert_str(buf_str(&s.lines), "done|");
    assert_int_equal(strlen(s.tail), CLI_STDERR_TAIL);
}

static void test_a_grandchild_that_holds_the_pipes(void **state)
{
    (void)state;
    SEEN(s);
    uint64_t before = uv_hrtime();
    run(&s, "sleep 60 & echo $! > child; echo said; exit 4");
    uint64_t took = (uv_hrtime() - before) / 1000000;
    assert_str(buf_str(&s.lines), "said|");
    assert_int_equal(s.status, 4);
    assert_in_range(took, 1900, 4000);
    kill(fake_number("child"), SIGKILL);
}

static void test_what_a_grandchild_writes_soon_is_delivered(void **state)
{
    (void)state;
    SEEN(s);
    run(&s, "(sleep 0.5; echo late) & echo early");
    assert_str(buf_str(&s.lines), "early|late|");
}

static void test_a_grandchild_that_holds_stdout_only(void **state)
{
    (void)state;
    SEEN(s);
    run(&s, "(sleep 1; echo late) 2>/dev/null & echo early");
    assert_str(buf_str(&s.lines), "early|late|");
}

static void send_more(struct seen *s, str line)
{
    if (str_is(line, "ready")) {
        AUTO_BUF(big);
        buf_put_fill(&big, 'y', 3000000);
        cli_process_write(s->p, buf_str(&big));
        cli_process_write(s->p, STR("small"));
        cli_process_write(s->p, STR("two\nlines"));
        assert_true(cli_process_queued(s->p) > CLI_WRITE_HIGH);
        cli_process_close_input(s->p);
        cli_process_write(s->p, STR("too late"));
    }
}

static void test_writes_are_queued_and_drain(void **state)
{
    (void)state;
    SEEN(s);
    s.on_line = send_more;
    run(&s, "echo ready; sleep 0.1; head -c 3000000 /dev/zero | tr '\\0' z; echo; wc -c; echo over");
    assert_str(buf_str(&s.lines), "ready|3000007|over|");
    assert_int_equal(s.drained, 1);
    assert_int_equal(s.status, 0);
}

static void write_twice(struct seen *s, str line)
{
    (void)line;
    cli_process_write(s->p, STR("into nothing"));
    cli_process_write(s->p, STR("again"));
    cli_process_write(s->p, STR_ABSENT);
}

static void test_writing_to_a_closed_stdin_is_not_fatal(void **state)
{
    (void)state;
    SEEN(s);
    s.on_line = write_twice;
    run(&s, "exec 0<&-; sleep 0.05; echo one; sleep 0.05; echo two; exit 5");
    assert_str(buf_str(&s.lines), "one|two|");
    assert_int_equal(s.status, 5);
}

static void on_resume_time(uv_timer_t *timer)
{
    struct seen *s = timer->data;
    assert_int_equal(s->count, 2);
    assert_int_equal(s->ended, 0);
    s->on_line = NULL;
    cli_process_resume(s->p);
    assert_int_equal(s->count, 2);
    uv_close((uv_handle_t *)timer, NULL);
}

static void pause_at_b(struct seen *s, str line)
{
    if (str_is(line, "b")) {
        cli_process_pause(s->p);
    }
}

static void test_pause_holds_lines_even_over_the_exit(void **state)
{
    (void)state;
    SEEN(s);
    s.on_line = pause_at_b;
    struct cli_spawn spawn = fake_spawn(fake_script("cli", "printf 'a\\nb\\nc\\nd\\n'; printf e"), NULL);
    start(&s, &spawn);
    uv_timer_t timer = {.data = &s};
    uv_timer_init(&s.loop, &timer);
    uv_timer_start(&timer, on_resume_time, 2600, 0); /* more than what a dead process is waited for */
    fake_run(&s.loop);
    assert_str(buf_str(&s.lines), "a|b|c|d|e|");
    assert_int_equal(s.ended, 1);
}

static void end_softly(struct seen *s, str line)
{
    if (str_is(line, "ready")) {
        cli_process_end(s->p, false);
    }
}

static void end_now(struct seen *s, str line)
{
    if (str_is(line, "ready")) {
        cli_process_end(s->p, true);
        cli_process_end(s->p, true);
    }
}

static void test_end_closes_stdin_first(void **state)
{
    (void)state;
    SEEN(s);
    s.on_line = end_softly;
    uint64_t before = uv_hrtime();
    run(&s, "trap 'echo term; exit 143' TERM; echo ready; cat; echo eof; exit 1");
    assert_true((uv_hrtime() - before) / 1000000 < 1500);
    assert_str(buf_str(&s.lines), "ready|eof|");
    assert_int_equal(s.status, 1);
}

static void test_end_now_sends_sigterm(void **state)
{
    (void)state;
    SEEN(s);
    s.on_line = end_now;
    run(&s, "trap 'echo term; exit 143' TERM; echo ready; while :; do sleep 0.05; done");
    assert_str(buf_str(&s.lines), "ready|term|");
    assert_int_equal(s.status, 143);
}

static void test_sigterm_two_seconds_after_eof(void **state)
{
    (void)state;
    SEEN(s);
    s.on_line = end_softly;
    uint64_t before = uv_hrtime();
    run(&s, "trap 'echo term; exit 143' TERM; echo ready; while :; do sleep 0.05; done");
    assert_in_range((uv_hrtime() - before) / 1000000, 1900, 4000);
    assert_str(buf_str(&s.lines), "ready|term|");
}

/* Ignores SIGTERM, and has a descendant that left the group and its session, one that left the group only,
 * and one that stopped itself. */
static const char stubborn[] = "trap '' TERM\n"
                               "setsid sh -c 'echo $$ > far; sleep 300' &\n"
                               "sh -c 'trap \"\" TERM; kill -STOP $$' & echo $! > stopped\n"
                               "while [ ! -s far ]; do sleep 0.01; done\n"
                               "echo ready\nwhile :; do sleep 0.05; done\n";

static void test_sigkill_takes_everybody(void **state)
{
    (void)state;
    SEEN(s);
    s.on_line = end_now;
    unlink(fake_path("far"));
    uint64_t before = uv_hrtime();
    run(&s, stubborn);
    assert_in_range((uv_hrtime() - before) / 1000000, 4900, 8000);
    assert_int_equal(s.signal, SIGKILL);
    assert_true(fake_gone(fake_number("far")));
    assert_true(fake_gone(fake_number("stopped")));
}

static void kill_at_ready(struct seen *s, str line)
{
    if (str_is(line, "ready")) {
        cli_process_kill(s->p);
    }
}

static void test_kill_at_once(void **state)
{
    (void)state;
    SEEN(s);
    s.on_line = kill_at_ready;
    unlink(fake_path("far"));
    uint64_t before = uv_hrtime();
    run(&s, stubborn);
    assert_true((uv_hrtime() - before) / 1000000 < 3000);
    assert_string_equal(s.message, "Claude Code process terminated by signal SIGKILL");
    assert_true(fake_gone(fake_number("far")));
}

static void stop_and_end(struct seen *s, str line)
{
    if (str_is(line, "ready")) {
        kill(cli_process_pid(s->p), SIGSTOP);
        cli_process_end(s->p, true);
    }
}

static void test_a_stopped_process_heeds_sigterm(void **state)
{
    (void)state;
    SEEN(s);
    s.on_line = stop_and_end;
    uint64_t before = uv_hrtime();
    run(&s, "trap 'exit 143' TERM; echo ready; while :; do sleep 0.05; done");
    assert_true((uv_hrtime() - before) / 1000000 < 3000);
    assert_int_equal(s.status, 143);
}

static void abandon_at_ready(struct seen *s, str line)
{
    if (str_is(line, "ready")) {
        cli_process_abandon(s->p);
        s->p = NULL;
    }
}

static void test_abandon_tells_nothing_more(void **state)
{
    (void)state;
    SEEN(s);
    s.on_line = abandon_at_ready;
    struct cli_spawn spawn =
        fake_spawn(fake_script("cli",
                               "printf 'ready\\nmore\\n'; cat >/dev/null; seq 1 50000; echo $$ > left"),
                   NULL);
    start(&s, &spawn);
    int pid = cli_process_pid(s.p);
    fake_run(&s.loop);
    assert_str(buf_str(&s.lines), "ready|");
    assert_int_equal(s.ended, 0);
    assert_int_equal(fake_number("left"), pid);
}

static void test_stdout_closed_but_alive(void **state)
{
    (void)state;
    SEEN(s);
    run(&s, "echo bye; exec >&-; cat; exit 9");
    assert_str(buf_str(&s.lines), "bye|");
    assert_int_equal(s.status, 9);
}

static void expect_failure(const char *executable, const char *cwd, const char *expected)
{
    SEEN(s);
    struct cli_spawn spawn = fake_spawn(executable, NULL);
    spawn.cwd = cwd ? cwd : spawn.cwd;
    start(&s, &spawn);
    assert_int_equal(cli_process_pid(s.p), 0);
    cli_process_write(s.p, STR("x"));
    cli_process_kill(s.p);
    fake_run(&s.loop);
    assert_int_equal(s.ended, 1);
    assert_true(s.spawn_failed);
    if (!str_has(str_of(s.message), str_of(expected))) {
        fail_msg("%s", s.message);
    }
}

static void test_a_start_that_fails_says_why(void **state)
{
    (void)state;
    AUTO_BUF(text);
    buf_printf(&text, "Claude Code native binary not found at %s/none.", fake_folder);
    expect_failure(fake_path("none"), NULL, buf_c(&text));
    fake_script("relative", "exit 0"); /* not one of the folder in which it runs, and PATH is not searched */
    expect_failure("relative", fake_folder, "failed to launch: its path is not absolute");
    expect_failure("./relative", fake_folder, "failed to launch: its path is not absolute");
    expect_failure("sh", NULL, "failed to launch: its path is not absolute");
    expect_failure(fake_file("plain", "x", 0644), NULL,
                   "plain exists but failed to launch: Permission denied");
    expect_failure(fake_folder, NULL, "exists but failed to launch: it is not a file");
    expect_failure(fake_file("loader", "#!/no/such/interpreter\n", 0755), NULL,
                   "exists but failed to launch: ");
    expect_failure(fake_script("cli", "exit 0"), fake_path("nowhere"), "cannot be started in the folder");
}

static void test_abandoned_start_that_fails(void **state)
{
    (void)state;
    SEEN(s);
    struct cli_spawn spawn = fake_spawn("none", NULL);
    start(&s, &spawn);
    cli_process_abandon(s.p);
    fake_run(&s.loop);
    assert_int_equal(s.ended, 0);
}

#define T(name) cmocka_unit_test(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_lines_split_anywhere),
        T(test_environment_folder_and_arguments),
        T(test_ten_megabytes_in_one_line),
        T(test_everything_written_before_the_exit_is_delivered),
        T(test_a_line_without_end_ends_the_process),
        T(test_exit_code_and_stderr),
        T(test_exit_0_says_why_too),
        T(test_signal),
        T(test_stderr_tail_is_cut_between_characters),
        T(test_tail_over_odd_chunks),
        T(test_a_flood_on_stderr_blocks_nothing),
        T(test_a_grandchild_that_holds_the_pipes),
        T(test_what_a_grandchild_writes_soon_is_delivered),
        T(test_a_grandchild_that_holds_stdout_only),
        T(test_writes_are_queued_and_drain),
        T(test_writing_to_a_closed_stdin_is_not_fatal),
        T(test_pause_holds_lines_even_over_the_exit),
        T(test_end_closes_stdin_first),
        T(test_end_now_sends_sigterm),
        T(test_sigterm_two_seconds_after_eof),
        T(test_sigkill_takes_everybody),
        T(test_kill_at_once),
        T(test_a_stopped_process_heeds_sigterm),
        T(test_abandon_tells_nothing_more),
        T(test_stdout_closed_but_alive),
        T(test_a_start_that_fails_says_why),
        T(test_abandoned_start_that_fails),
    };
    return cmocka_run_group_tests_name("cli_process", tests, fake_setup, fake_teardown);
}
