/* The gate before a CLI: closed from the moment that a change of the provider is to come until it is done.
 * While it is closed no CLI is launched and no prompt is written to one; who wants to waits at it. */
#ifndef HERALD_LAUNCH_LAUNCH_GATE_H
#define HERALD_LAUNCH_LAUNCH_GATE_H

#include "base/list.h"

struct launch_gate {
    bool closed;
    unsigned generation; /* counts the changes that took effect: what a CLI was launched under */
    struct list waiters;
};

/* Who waits; part of its owner, which must live until it is called. */
struct gate_waiter {
    struct list link;
    void (*go_on)(struct gate_waiter *w);
};

void launch_gate_init(struct launch_gate *g);
void launch_gate_close(struct launch_gate *g);
/* Opens it, and calls who waits, in the order in which they came. */
void launch_gate_open(struct launch_gate *g);
/* Calls back when the gate is open, which may be at once. */
void launch_gate_wait(struct launch_gate *g, struct gate_waiter *w, void (*go_on)(struct gate_waiter *w));

#endif
