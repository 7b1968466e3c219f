#include "launch/launch_gate.h"

void launch_gate_init(struct launch_gate *g)
{
    *g = (struct launch_gate){0};
    list_init(&g->waiters);
}

void launch_gate_close(struct launch_gate *g)
{
    g->closed = true;
}

void launch_gate_open(struct launch_gate *g)
{
    g->closed = false;
    for (struct gate_waiter *w; !g->closed && (w = LIST_FIRST(&g->waiters, struct gate_waiter, link));) {
        list_remove(&w->link);
        w->go_on(w);
    }
}

void launch_gate_wait(struct launch_gate *g, struct gate_waiter *w, void (*go_on)(struct gate_waiter *w))
{
    w->go_on = go_on;
    if (g->closed) {
        list_append(&g->waiters, &w->link);
    } else {
        go_on(w);
    }
}
