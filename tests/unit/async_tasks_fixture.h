/* The async tasks with a client that writes down what it is told, a line an update: "SESSION NAME {members}".
 */
#ifndef HERALD_TESTS_ASYNC_TASKS_FIXTURE_H
#define HERALD_TESTS_ASYNC_TASKS_FIXTURE_H

#include "unit.h"

#include "extension/async_tasks.h"

struct fixture {
    struct async_tasks at;
    struct buf told; /* "name members\n" */
};

static str session_of(void *user, str call_id)
{
    (void)user;
    return str_is(call_id, "child-call") ? STR("child") : STR("root");
}

static bool is_monitor(void *user, str call_id)
{
    (void)user;
    return str_is(call_id, "watch-call");
}

static void update(void *user, str session, const char *name, str members)
{
    struct fixture *f = user;
    buf_put_str(&f->told, session);
    buf_printf(&f->told, " %s {", name + strlen("async_task_"));
    buf_put_str(&f->told, members);
    buf_put_c(&f->told, "}\n");
}

static const struct async_tasks_sink sink = {.session_of = session_of,
                                             .is_monitor = is_monitor,
                                             .update = update};

static inline void begin(struct fixture *f)
{
    *f = (struct fixture){0};
    async_tasks_init(&f->at, &sink, f);
}

static inline void end(struct fixture *f)
{
    async_tasks_free(&f->at);
    buf_free(&f->told);
}

typedef void step(struct async_tasks *at, json frame);

static inline void feed(struct fixture *f, step *s, const char *frame)
{
    AUTO_JSON(doc) = parse_or_fail(frame);
    s(&f->at, json_root(doc));
}

static inline void expect(struct fixture *f, const char *told)
{
    assert_str(buf_str(&f->told), told);
    buf_clear(&f->told);
}

#endif
