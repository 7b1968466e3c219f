/* A session when the provider changes: whether it works, and how it gets another CLI. */
#include "session/internal.h"

bool session_changes_options(const struct session *s)
{
    return s->state == SESSION_OPEN && !list_empty(&s->changes.changes) &&
           !option_queue_is_stuck(&s->changes, s->host->limits.change);
}

bool session_works(const struct session *s)
{
    return s->state == SESSION_OPEN && (s->restart || session_changes_options(s) || turns_working(&s->turns));
}

bool session_restarts(const struct session *s)
{
    return s->restart != NULL;
}

void session_release_held(struct session *s)
{
    session_ref(s);
    turns_release(&s->turns);
    session_unref(s);
}

/* It cannot come back. */
static void lose(struct session *s, str why)
{
    struct failure_record record;
    if (s->start.ready) {
        session_fail_start(s, &(struct session_error){.code = RPC_INTERNAL_ERROR, .details = why});
        return;
    }
    if (s->host->client.air_session_failure && !failure_is_login(why) &&
        failures_session(&s->failures, FAILURE_INTERNAL_ERROR, FAILURE_ERROR,
                         STR("This session could not go on with another provider. Start a new one."),
                         &record)) {
        session_send_failure(s, &record);
    } else if (!s->host->client.air_session_failure) {
        session_warn(s, "Session closed", "it could not go on with another provider. Start a new one.");
    }
    session_close(s, NULL, NULL);
}

static void came_back(struct session *s, str why)
{
    if (why.p) {
        lose(s, why);
    } else if (s->start.ready) {
        session_tell_ready(s, NULL);
    }
}

void session_change_provider(struct session *s)
{
    if (s->state == SESSION_OPEN &&
        !session_restart(s, &(struct restart_request){.tell = !s->start.ready, .mode = MODE_NONE},
                         came_back)) {
        lose(s, STR("out of memory"));
    }
}
