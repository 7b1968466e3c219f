/* The title of a session, at the end of its turns: the stored session is asked, then perhaps the CLI; title.h
 * decides. */
#include <stdlib.h>

#include "base/clock.h"
#include "history/project_folders.h"
#include "history/summary.h"
#include "session/internal.h"

static void publish_title(struct session *s, str title)
{
    char now[CLOCK_ISO_SIZE];
    AUTO_BUF(b);
    clock_iso8601_ms(now, clock_now_ms());
    title_put_update(&b, title, str_of(now));
    s->host->surface->info(s->host->surface_self, str_of(s->id), buf_str(&b));
}

struct title_question {
    struct session *s;
    unsigned epoch;
};

static void title_answered(void *user, const struct control_error *error, json payload)
{
    struct title_question *q = user;
    struct session *s = q->s;
    AUTO_BUF(text);
    str title = error ? STR_ABSENT : json_str(json_get(payload, "title"));
    if (session_live(s) && title_generated(&s->titling.title, q->epoch, title,
                                           buf_str(&s->titling.first_prompt), &text) == TITLE_PUBLISH) {
        publish_title(s, buf_str(&text));
    }
    free(q);
    session_unref(s);
}

static void ask_title(struct session *s, str description)
{
    struct title_question *q = s->process.cli ? malloc(sizeof(*q)) : NULL;
    if (!q) {
        return;
    }
    *q = (struct title_question){s, s->titling.title.epoch};
    session_ref(s);
    AUTO_BUF(b);
    json_member_str(&b, "description", description);
    json_member_bool(&b, "persist", true);
    cli_control_request(s->process.cli, "generate_session_title", buf_str(&b), 0, title_answered, q);
}

/* ---- The stored session ---- */

/* What it says, asked on a worker. */
struct title_look {
    uv_work_t work;
    struct session *s; /* a reference */
    struct arena mem;
    str config, conversation;
    unsigned epoch;
    bool may_ask;
    bool again;  /* another turn has ended meanwhile */
    str title;   /* that a person or the model gave; absent: none */
    str summary; /* what stands for one in a list; absent: none */
};

static void read_stored(uv_work_t *work)
{
    struct title_look *l = CONTAINER_OF(work, struct title_look, work);
    struct project_folders all = project_folders(&l->mem, l->config, STR_ABSENT);
    str path = find_transcript(&l->mem, &all, l->conversation);
    struct summary_windows w = SUMMARY_WINDOWS_INIT;
    struct summary found;
    if (path.p && summary_windows_read(&w, path.p)) {
        summary_read(&found, &l->mem, &w);
        str given = summary_given_title(&found, &l->mem, path);
        l->title = given.n ? given : found.generated;
        l->summary = found.fallback;
    }
    summary_windows_free(&w);
}

static void use_stored(struct title_look *l)
{
    struct session *s = l->s;
    AUTO_BUF(text);
    if (l->summary.n) { /* the list has it: the client is told the same */
        buf_clear(&s->titling.first_prompt);
        buf_put_str(&s->titling.first_prompt, l->summary);
    }
    str summary = s->titling.first_prompt.n ? buf_str(&s->titling.first_prompt) : STR_ABSENT;
    switch (
        title_turn_end(&s->titling.title, l->title, summary, l->may_ask && s->state == SESSION_OPEN, &text)) {
    case TITLE_PUBLISH:
        publish_title(s, buf_str(&text));
        break;
    case TITLE_GENERATE:
        ask_title(s, buf_str(&text));
        break;
    case TITLE_NOTHING:
        break;
    }
}

static void stored_read(uv_work_t *work, int status)
{
    struct title_look *l = CONTAINER_OF(work, struct title_look, work);
    struct session *s = l->s;
    bool again = l->again;
    (void)status;
    s->titling.look = NULL;
    if (session_live(s) && l->epoch == s->titling.title.epoch) {
        use_stored(l);
    }
    arena_free(&l->mem);
    free(l);
    if (again && session_live(s)) {
        session_update_title(s);
    }
    session_unref(s);
}

void session_update_title(struct session *s)
{
    struct session_host *a = s->host;
    if (s->titling.look) {
        s->titling.look->again = true;
        return;
    }
    struct title_look *l = calloc(1, sizeof(*l));
    if (!l) {
        return;
    }
    l->s = s;
    l->config = arena_str(&l->mem, str_of(a->dirs->claude_config));
    l->conversation = arena_str(&l->mem, str_of(s->conversation));
    l->epoch = s->titling.title.epoch;
    l->may_ask = s->state == SESSION_OPEN && !s->turns.cancelled;
    if (!arena_ok(&l->mem) || uv_queue_work(a->loop, &l->work, read_stored, stored_read) != 0) {
        arena_free(&l->mem);
        free(l);
        return;
    }
    s->titling.look = l;
    session_ref(s);
}
