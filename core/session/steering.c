#include "session/steering.h"

#include "prompt/prompt_content.h"
#include "session/internal.h"

/* ---- Questions that the work waits for ---- */

static bool blocks(str agent_id, void *user)
{
    const struct session *s = user;
    return !agent_id.p || live_tasks_foreground(&s->live, agent_id);
}

void session_sync_waiting(struct session *s)
{
    turns_set_blocked(&s->turns, questions_any(&s->questions, blocks, s));
}

/* ---- Steers ---- */

static bool any(str agent_id, void *user)
{
    (void)user;
    (void)agent_id;
    return true;
}

static bool inject(struct session *s, json blocks_of_it, struct session_error *error)
{
    char uuid[UUID_SIZE];
    str argument;
    AUTO_BUF(line);
    /* A goal is replaced or cleared at once: behind an open question it would wait for the goal's own work.
     */
    bool goal = prompt_goal_argument(prompt_first_text(blocks_of_it), &argument);
    bool later = !goal && questions_any(&s->questions, any, NULL);
    if (uuid_v4(uuid)) {
        prompt_put_user_message(&line, blocks_of_it, str_of(s->id), str_of(uuid),
                                later ? STR("later") : STR("now"));
        if (buf_ok(&line) && turns_steer(&s->turns, uuid, buf_str(&line))) {
            cli_control_send(s->process.cli, buf_str(&line));
            extensions_sent(s, blocks_of_it, JSON_NONE, str_of(uuid));
            return true;
        }
    }
    *error = session_error_memory;
    return false;
}

bool session_steer(struct session *s, json blocks_of_it, bool prompt_required, enum steer_outcome *outcome,
                   struct session_error *error)
{
    if (s->state == SESSION_OPEN && s->process.cli && !s->restart && turns_steerable(&s->turns)) {
        *outcome = STEER_INJECTED;
        return inject(s, blocks_of_it, error);
    }
    if (s->state == SESSION_OPEN && prompt_required) {
        *outcome = STEER_NO_TURN;
        return true;
    }
    *outcome = STEER_STARTED;
    return session_prompt(s, blocks_of_it, JSON_NONE, &turn_observer_nobody, NULL, error);
}
