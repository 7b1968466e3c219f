/* Stands for cli/control.c: a CLI that starts at once, answers every request of ours, and whose frames are
 * those of the input. Nothing of it runs by itself; fake_cli_step() is called between the frames. */
#include "fake_cli.h"

#include <stdlib.h>

struct open_request {
    control_answer_cb *cb;
    void *user;
    bool initialize, forgotten;
    uint64_t id;
};

enum { OPEN_MAX = 256, BACK_MAX = 8 };

struct cli_control {
    struct cli_control *next;
    const struct cli_control_events *events; /* NULL: forgotten */
    void *user;
    struct open_request open[OPEN_MAX];
    size_t first, count;
    uint64_t last_id;
    struct json_doc *back[BACK_MAX]; /* frames to deliver again, the next one last */
    size_t backs;
    unsigned holds;
    bool ending;
};

static struct cli_control *all;

/* What a CLI says of itself when it is asked for the first time. */
static const char initialized[] =
    "{\"commands\":[{\"name\":\"compact\",\"description\":\"d\",\"argumentHint\":\"\"}],\"models\":["
    "{\"value\":\"default\",\"resolvedModel\":\"claude-a\",\"displayName\":\"Default\",\"description\":\"d\","
    "\"supportsEffort\":true,\"supportedEffortLevels\":[\"low\",\"high\"],\"supportsFastMode\":true,"
    "\"supportsAutoMode\":true},{\"value\":\"b\",\"displayName\":\"B\",\"description\":\"d\"}],"
    "\"account\":{\"apiKeySource\":\"user\"},\"output_style\":\"default\",\"available_output_styles\":[],"
    "\"agents\":[],\"fast_mode_state\":\"off\"}";

struct cli_control *cli_control_start(uv_loop_t *loop, const struct log *log, const struct cli_spawn *spawn,
                                      const struct cli_control_events *events, void *user)
{
    (void)loop;
    (void)log;
    (void)spawn;
    struct cli_control *c = calloc(1, sizeof(*c));
    if (c) {
        c->events = events;
        c->user = user;
        c->next = all;
        all = c;
    }
    return c;
}

uint64_t cli_control_request(struct cli_control *c, const char *subtype, str members, unsigned timeout_ms,
                             control_answer_cb *cb, void *user)
{
    (void)members;
    (void)timeout_ms;
    if (c->count == OPEN_MAX) {
        if (cb) {
            cb(user, &control_no_memory, JSON_NONE);
        }
        return 0;
    }
    c->open[(c->first + c->count++) % OPEN_MAX] =
        (struct open_request){cb, user, strcmp(subtype, "initialize") == 0, false, ++c->last_id};
    return c->last_id;
}

void cli_control_forget(struct cli_control *c, uint64_t request)
{
    for (size_t i = 0; i < c->count; i++) {
        struct open_request *r = &c->open[(c->first + i) % OPEN_MAX];
        r->forgotten = r->forgotten || r->id == request;
    }
}

static void check_line(str text)
{
    AUTO_JSON(doc) = json_parse(text, NULL);
    FUZZ_CHECK(doc, "what goes to the CLI is JSON");
}

void cli_control_answer(struct cli_control *c, str request_id, str response)
{
    (void)c;
    (void)request_id;
    if (response.p) {
        check_line(response);
    }
}

void cli_control_refuse(struct cli_control *c, str request_id, str error)
{
    (void)c;
    (void)request_id;
    (void)error;
}

void cli_control_send(struct cli_control *c, str line)
{
    (void)c;
    check_line(line);
}

void cli_control_hold(struct cli_control *c)
{
    c->holds++;
}

void cli_control_release(struct cli_control *c)
{
    FUZZ_CHECK(c->holds > 0, "a hold is released once");
    c->holds--;
}

bool cli_control_put_back(struct cli_control *c, struct json_doc *doc)
{
    if (c->backs == BACK_MAX) {
        return false;
    }
    c->back[c->backs++] = json_ref(doc);
    return true;
}

void cli_control_pause(struct cli_control *c, bool paused)
{
    (void)c;
    (void)paused;
}

void cli_control_end(struct cli_control *c, bool now)
{
    (void)now;
    c->ending = true;
}

/* ---- The test's side ---- */

static bool answer_one(struct cli_control *c)
{
    if (!c->count || !c->events) {
        return false;
    }
    struct open_request r = c->open[c->first];
    c->first = (c->first + 1) % OPEN_MAX;
    c->count--;
    if (r.cb && !r.forgotten) {
        AUTO_JSON(doc) = json_parse(r.initialize ? str_of(initialized) : STR("{}"), NULL);
        r.cb(r.user, c->ending ? &control_closed : NULL, json_root(doc));
    }
    return true;
}

static bool deliver_again(struct cli_control *c)
{
    if (!c->backs || c->holds) {
        return false;
    }
    AUTO_JSON(doc) = c->back[--c->backs];
    if (c->events) {
        c->events->frame(c->user, doc);
    }
    return true;
}

static void end(struct cli_control *c)
{
    static const struct cli_exit how = {.message = STR_INIT("Claude Code process exited with code 0")};
    for (struct cli_control **at = &all; *at; at = &(*at)->next) {
        if (*at == c) {
            *at = c->next;
            break;
        }
    }
    if (c->events) {
        c->events->ended(c->user, &how);
    }
    free(c);
}

bool fake_cli_step(void)
{
    for (struct cli_control *c = all; c; c = c->next) {
        if (answer_one(c) || deliver_again(c)) {
            return true;
        }
        if (c->ending && !c->holds) {
            end(c);
            return true;
        }
    }
    return false;
}

bool fake_cli_holds(void)
{
    return all && all->holds > 0;
}

bool fake_cli_frame(struct json_doc *doc)
{
    if (!all || !all->events || all->ending) {
        return false;
    }
    all->events->frame(all->user, doc);
    return true;
}

void fake_cli_withdraw(str request_id)
{
    if (all && all->events) {
        all->events->withdrawn(all->user, request_id);
    }
}

void fake_cli_die(void)
{
    if (all) {
        all->ending = true;
    }
}

bool fake_cli_gone(void)
{
    return !all;
}
