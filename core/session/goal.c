#include "session/goal.h"

#include <stdlib.h>

#include "history/project_folders.h"
#include "history/stored_goal.h"
#include "prompt/prompt_content.h"
#include "session/internal.h"
#include "session/steering.h"

static void publish_goal(struct session *s, const struct buf *snapshot)
{
    AUTO_BUF(b);
    if (!s->host->client.air || !buf_ok(snapshot)) {
        return;
    }
    goal_put_update(&b, buf_str(snapshot));
    s->host->surface->info(s->host->surface_self, str_of(s->id), buf_str(&b));
}

/* ---- Commands ---- */

void session_goal_sent(struct session *s, str first_text, str uuid)
{
    str argument;
    if (prompt_goal_argument(first_text, &argument)) {
        AUTO_BUF(snapshot);
        goal_submitted(&s->ext.goal, uuid, argument, &snapshot);
        publish_goal(s, &snapshot);
    }
}

bool session_goal_is_urgent(const struct session *s, str first_text)
{
    str argument;
    return s->turns.busy && prompt_goal_argument(first_text, &argument) && goal_clears(argument);
}

void session_goal_on_result(struct session *s, json result)
{
    bool failed = !s->turns.cancelled && (json_is_true(json_get(result, "is_error")) ||
                                          str_is(json_str(json_get(result, "stop_reason")), "refusal"));
    AUTO_BUF(snapshot);
    if (goal_on_result(&s->ext.goal, failed, &snapshot)) {
        publish_goal(s, &snapshot);
    }
}

void session_goal_reported(struct session *s, json frame)
{
    AUTO_BUF(snapshot);
    if (goal_reported(&s->ext.goal, json_get(frame, "value"), &snapshot)) {
        publish_goal(s, &snapshot);
    }
}

/* One request of the client's that runs as a prompt. */
struct goal_request {
    session_done_cb *done;
    void *user;
};

static void goal_inserted(void *user, const char *uuid)
{
    (void)user;
    (void)uuid;
}

static void goal_ended(void *user, const struct turn_end *end)
{
    struct goal_request *r = user;
    struct session_error error = {.code = end->code, .message = end->message, .data = end->data};
    r->done(r->user, end->stop_reason ? NULL : &error);
    free(r);
}

static const struct turn_observer goal_observer = {.inserted = goal_inserted, .ended = goal_ended};

void session_goal(struct session *s, str objective, session_done_cb *done, void *user)
{
    enum steer_outcome outcome = STEER_NO_TURN;
    struct session_error error = session_error_memory;
    AUTO_BUF(text);
    AUTO_BUF(blocks);
    buf_put_c(&text, "/goal ");
    buf_put_str(&text, objective.p ? objective : STR("clear"));
    json_open_array(&blocks);
    json_open_object(&blocks);
    json_member_c(&blocks, "type", "text");
    json_member_str(&blocks, "text", buf_str(&text));
    json_close_object(&blocks);
    json_close_array(&blocks);
    AUTO_JSON(doc) = buf_ok(&text) && buf_ok(&blocks) ? json_parse(buf_str(&blocks), NULL) : NULL;
    struct goal_request *r = doc ? malloc(sizeof(*r)) : NULL;
    bool ok = r && session_steer(s, json_root(doc), true, &outcome, &error);
    if (ok && outcome == STEER_NO_TURN) {
        *r = (struct goal_request){done, user};
        ok = session_prompt(s, json_root(doc), JSON_NONE, &goal_observer, r, &error);
        r = ok ? NULL : r;
    } else if (ok) {
        done(user, NULL);
    }
    if (!ok) {
        done(user, &error);
    }
    free(r);
}

/* ---- What is stored ---- */

struct goal_look {
    uv_work_t work;
    struct session *s; /* a reference */
    struct arena mem;
    str config, conversation;
    unsigned changes; /* of the goal, when it was asked for */
    bool again;       /* it was asked for once more meanwhile */
    enum stored_goal found;
    struct buf condition;
};

static void read_goal(uv_work_t *work)
{
    struct goal_look *l = CONTAINER_OF(work, struct goal_look, work);
    struct project_folders all = project_folders(&l->mem, l->config, STR_ABSENT);
    str path = find_transcript(&l->mem, &all, l->conversation);
    l->found = path.p ? stored_goal_read(path.p, &l->condition) : STORED_GOAL_UNKNOWN;
}

static void look(struct session *s);

static void free_look(struct goal_look *l)
{
    arena_free(&l->mem);
    buf_free(&l->condition);
    free(l);
}

static void goal_read(uv_work_t *work, int status)
{
    struct goal_look *l = CONTAINER_OF(work, struct goal_look, work);
    struct session *s = l->s;
    bool known = status == 0 && l->found != STORED_GOAL_UNKNOWN && buf_ok(&l->condition);
    bool again = l->again;
    AUTO_BUF(snapshot);
    s->ext.goal_look = NULL;
    if (known && session_live(s) && l->changes == s->ext.goal.changes &&
        goal_noted(&s->ext.goal, l->found == STORED_GOAL_ACTIVE ? buf_str(&l->condition) : STR_ABSENT,
                   &snapshot)) {
        publish_goal(s, &snapshot);
    }
    free_look(l);
    if (again && session_live(s)) {
        look(s);
    }
    session_unref(s);
}

static void look(struct session *s)
{
    struct session_host *a = s->host;
    if (s->ext.goal_look) {
        s->ext.goal_look->again = true;
        return;
    }
    struct goal_look *l = calloc(1, sizeof(*l));
    if (!l) {
        return;
    }
    l->s = s;
    l->config = arena_str(&l->mem, str_of(a->dirs->claude_config));
    l->conversation = arena_str(&l->mem, str_of(s->conversation));
    l->changes = s->ext.goal.changes;
    if (!arena_ok(&l->mem) || uv_queue_work(a->loop, &l->work, read_goal, goal_read) != 0) {
        free_look(l);
        return;
    }
    s->ext.goal_look = l;
    session_ref(s);
}

void session_goal_idle(struct session *s)
{
    if (!turns_busy(&s->turns)) { /* a command that was cancelled while it was queued never ran */
        goal_settled(&s->ext.goal);
    }
    if (s->host->client.air && goal_is_active(&s->ext.goal)) {
        look(s);
    }
}

void session_goal_opened(struct session *s)
{
    if (!s->host->client.air) {
        return;
    }
    if (goal_is_active(&s->ext.goal)) {
        publish_goal(s, &s->ext.goal.current);
    } else {
        look(s);
    }
}
