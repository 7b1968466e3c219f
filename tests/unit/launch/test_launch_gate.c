#include "launch/launch_gate.h"
#include "unit.h"

struct waiter {
    struct gate_waiter base;
    struct launch_gate *gate;
    struct waiter *next; /* waits in turn when this one goes on */
    bool closes;         /* and this one closes the gate again */
    int called;
};

static int order;

static void on_open(struct gate_waiter *w)
{
    struct waiter *self = CONTAINER_OF(w, struct waiter, base);
    self->called = ++order;
    if (self->closes) {
        launch_gate_close(self->gate);
    }
    if (self->next) {
        launch_gate_wait(self->gate, &self->next->base, on_open);
    }
}

static void test_an_open_gate_lets_through_at_once(void **state)
{
    (void)state;
    struct launch_gate g;
    struct waiter w = {.gate = &g};
    order = 0;
    launch_gate_init(&g);
    launch_gate_wait(&g, &w.base, on_open);
    assert_int_equal(w.called, 1);
}

static void test_who_waits_goes_on_in_order_once_it_opens(void **state)
{
    (void)state;
    struct launch_gate g;
    launch_gate_init(&g);
    struct waiter third = {.gate = &g}, first = {.gate = &g, .next = &third}, second = {.gate = &g};
    order = 0;
    launch_gate_close(&g);
    launch_gate_wait(&g, &first.base, on_open);
    launch_gate_wait(&g, &second.base, on_open);
    assert_int_equal(first.called + second.called, 0);
    launch_gate_open(&g);
    assert_int_equal(first.called, 1);
    assert_int_equal(third.called, 2); /* the gate was open for it */
    assert_int_equal(second.called, 3);
    launch_gate_open(&g);
    assert_int_equal(order, 3);
}

static void test_a_gate_that_closes_again_keeps_the_rest(void **state)
{
    (void)state;
    struct launch_gate g;
    launch_gate_init(&g);
    struct waiter first = {.gate = &g, .closes = true}, second = {.gate = &g};
    order = 0;
    launch_gate_close(&g);
    launch_gate_wait(&g, &first.base, on_open);
    launch_gate_wait(&g, &second.base, on_open);
    launch_gate_open(&g);
    assert_int_equal(first.called, 1);
    assert_int_equal(second.called, 0);
    launch_gate_open(&g);
    assert_int_equal(second.called, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_open_gate_lets_through_at_once),
        cmocka_unit_test(test_who_waits_goes_on_in_order_once_it_opens),
        cmocka_unit_test(test_a_gate_that_closes_again_keeps_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
