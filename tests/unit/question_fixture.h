/* A CLI that is asked one thing at a time, and answers when the test says so: it stands for cli/control.c. */
#ifndef HERALD_TESTS_QUESTION_FIXTURE_H
#define HERALD_TESTS_QUESTION_FIXTURE_H

#include "cli/control.h"
#include "unit.h"

static struct {
    struct cli_control *process; /* the only one that may be asked; never looked into */
    char request[2000];          /* the last one: its subtype and members */
    unsigned limit_ms, asked, forgotten;
    control_answer_cb *cb; /* NULL: none is open */
    void *user;
    bool no_memory;
} fake;

uint64_t cli_control_request(struct cli_control *c, const char *subtype, str members, unsigned timeout_ms,
                             control_answer_cb *cb, void *user)
{
    assert_ptr_equal(c, fake.process);
    assert_null(fake.cb);
    assert_true(timeout_ms > 0);
    (void)snprintf(fake.request, sizeof(fake.request), "%s %.*s", subtype, (int)members.n,
                   members.p ? members.p : "");
    fake.limit_ms = timeout_ms;
    fake.asked++;
    if (fake.no_memory) {
        cb(user, &control_no_memory, JSON_NONE);
        return 0;
    }
    fake.cb = cb;
    fake.user = user;
    return fake.asked;
}

void cli_control_forget(struct cli_control *c, uint64_t request)
{
    assert_ptr_equal(c, fake.process);
    assert_int_equal(request, fake.asked);
    assert_non_null(fake.cb);
    fake.cb = NULL;
    fake.forgotten++;
}

/* A new test begins. */
static inline void fake_begin(struct cli_control *process)
{
    memset(&fake, 0, sizeof(fake));
    fake.process = process;
}

/* What the CLI says when it refuses. */
#define REFUSED(words) (&(struct control_error){CONTROL_REFUSED, words})

/* The CLI answers what it was asked last, or does not. */
static inline void fake_answer(const struct control_error *error, const char *payload)
{
    control_answer_cb *cb = fake.cb;
    AUTO_JSON(doc) = parse_or_fail(payload);
    assert_non_null(cb);
    fake.cb = NULL;
    cb(fake.user, error, error ? JSON_NONE : json_root(doc));
}

#endif
