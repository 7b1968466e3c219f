/* The hooks of the turn engine, as its tests have them: each test defines those that are declared here, the
 * others do nothing. */
#ifndef HERALD_TESTS_TURN_FIXTURE_H
#define HERALD_TESTS_TURN_FIXTURE_H

#include "turn/turn.h"
#include "unit.h"

static void on_cancel_queued(void *user, const char *uuid);
static bool on_interrupt(void *user);
static void on_activated(void *user, struct turn *t, bool by_result);
static bool on_task_holds(void *user, str id);
static void on_close_calls(void *user, struct turn *t, bool cancelled, bool *lost);
static bool on_before_answer(void *user, struct turn *t, const struct turn_end *end, bool may_wait);
static void on_finish(void *user, struct turn *t, json result, struct turn_end *end);
static void on_finish_cancelled(void *user, struct turn *t, struct turn_end *end);
static void on_finish_faulty(void *user, struct turn *t, enum turn_fault fault, struct turn_end *end);
static void on_finish_cycle(void *user, json result, struct turn_end *end);
static bool on_failed_beside(void *user, struct turn *held, json result, struct turn_end *end);
static void on_result(void *user, json result, bool own);
static void on_foreground(void *user, enum foreground what, const struct turn_end *end);
static uint64_t on_start_timer(void *user, unsigned ms, struct turn *t);
static void on_stop_timer(void *user, uint64_t timer);

static void on_cancelling(void *user)
{
    (void)user;
}

static void on_result_done(void *user, bool own, bool quiet)
{
    (void)user, (void)own, (void)quiet;
}

static void on_gone(void *user)
{
    (void)user;
}

static const struct turn_hooks hooks = {
    .cancel_queued = on_cancel_queued,
    .interrupt = on_interrupt,
    .cancelling = on_cancelling,
    .activated = on_activated,
    .task_holds = on_task_holds,
    .close_calls = on_close_calls,
    .before_answer = on_before_answer,
    .finish = on_finish,
    .finish_cancelled = on_finish_cancelled,
    .finish_faulty = on_finish_faulty,
    .finish_cycle = on_finish_cycle,
    .failed_beside = on_failed_beside,
    .result = on_result,
    .result_done = on_result_done,
    .foreground = on_foreground,
    .gone = on_gone,
    .start_timer = on_start_timer,
    .stop_timer = on_stop_timer,
};

#endif
