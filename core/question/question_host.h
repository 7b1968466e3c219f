/* What the CLI's questions use of the session that they belong to. */
#ifndef HERALD_QUESTION_QUESTION_HOST_H
#define HERALD_QUESTION_QUESTION_HOST_H

#include "base/dirs.h"
#include "cli/control.h"
#include "client/capabilities.h"
#include "permission/offer.h"
#include "settings/modes.h"
#include "surface/surface.h"
#include "tool/child_sessions.h"
#include "tool/tool_calls.h"
#include "turn/usage.h"

struct question_host_calls {
    /* The CLI at hand, which has asked; NULL: it is gone, and nobody is answered. */
    struct cli_control *(*cli)(const void *user);
    /* Whether the session's options offer this mode; and whether auto works there, where it is offered. */
    bool (*offers)(const void *user, enum mode mode);
    bool (*auto_supported)(const void *user);
    /* The answer `d` about this call, of a subagent or the main conversation, is written now: what else
     * follows from it, and the mode that was chosen with it. */
    void (*answered)(void *user, str call, bool of_agent, const struct permission_decision *d);
    void (*choose_mode)(void *user, enum mode mode);
    /* A question has opened or ended: questions_any() may say something else. */
    void (*waiting)(void *user);
    /* The host lives until it is dropped as often. */
    void (*keep)(void *user);
    void (*drop)(void *user);
};

/* `user` is the session. All that is pointed to lives as long. */
struct question_host {
    const struct standard_dirs *dirs;
    const struct client_capabilities *client;
    const struct surface *surface;
    void *surface_self;
    str session; /* its id */
    str cwd;
    const struct usage *usage;
    struct tool_calls *tools;
    struct child_sessions *children;
    const struct question_host_calls *calls;
    void *user;
};

#endif
