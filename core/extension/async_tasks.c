#include "extension/async_tasks.h"

#include <stdlib.h>

#include "extension/async_internal.h"
#include "extension/async_output.h"

enum {
    TASKS_MAX = 2048,   /* records; the oldest finished one gives way */
    IGNORED_MAX = 4096, /* subagents that are remembered */
};

/* ---- Records ---- */

static void free_update(struct async_update *u)
{
    list_remove(&u->link);
    buf_free(&u->members);
    free(u);
}

static void free_task(struct async_task *t)
{
    list_remove(&t->link);
    LIST_EACH(u, &t->held, struct async_update, link) {
        free_update(u);
    }
    for (size_t i = 0; i < ASYNC_FIELDS; i++) {
        buf_free(&t->now[i]);
        buf_free(&t->told[i]);
    }
    buf_free(&t->session);
    buf_free(&t->announced);
    buf_free(&t->name);
    buf_free(&t->type);
    free(t->id);
    free(t);
}

void async_tasks_init(struct async_tasks *at, const struct async_tasks_sink *sink, void *user)
{
    *at = (struct async_tasks){.sink = sink, .user = user};
    list_init(&at->tasks);
    list_init(&at->output_order);
}

void async_tasks_free(struct async_tasks *at)
{
    map_free(&at->by_id, NULL);
    LIST_EACH(t, &at->tasks, struct async_task, link) {
        free_task(t);
    }
    map_free(&at->ignored, NULL);
    async_outputs_free(at);
}

static struct async_task *find(const struct async_tasks *at, str id)
{
    return id.p ? map_get(&at->by_id, id) : NULL;
}

/* Makes room when there are too many: the oldest record that is over goes. */
static bool make_room(struct async_tasks *at)
{
    if (at->by_id.used < TASKS_MAX) {
        return true;
    }
    LIST_EACH(t, &at->tasks, struct async_task, link) {
        if (async_is_final(t->state)) {
            map_remove(&at->by_id, str_of(t->id));
            free_task(t);
            return true;
        }
    }
    return false;
}

/* The record of a task, made when there is none; NULL for a subagent's, or when memory is out. */
static struct async_task *open_task(struct async_tasks *at, str id)
{
    struct async_task *t = find(at, id);
    if (t || !id.p || set_has(&at->ignored, id) || !make_room(at)) {
        return t;
    }
    t = calloc(1, sizeof(*t));
    if (!t) {
        return NULL;
    }
    list_init(&t->link);
    list_init(&t->held);
    t->id = str_dup(id);
    for (size_t i = 0; i < ARRAY_LEN(t->usage); i++) {
        t->usage[i] = t->usage_told[i] = -1;
    }
    if (!t->id || !map_put(&at->by_id, id, t, NULL)) {
        free_task(t);
        return NULL;
    }
    list_append(&at->tasks, &t->link);
    return t;
}

/* An empty text is no value. */
void async_set(struct buf *b, str text)
{
    if (text.n && text.p != b->p) {
        buf_clear(b);
        buf_put_str(b, text);
    }
}

/* A subagent is never an async task, unless it was announced before that was known. */
static bool ignores(struct async_tasks *at, str id, json frame)
{
    bool subagent = json_text(json_get(frame, "subagent_type")).p ||
                    str_is(json_str(json_get(frame, "task_type")), "local_agent");
    struct async_task *t = find(at, id);
    if (!id.p || !subagent) {
        return !id.p || set_has(&at->ignored, id);
    }
    if (t && t->phase != ASYNC_SILENT) {
        return false;
    }
    if (t) {
        map_remove(&at->by_id, id);
        free_task(t);
    }
    if (at->ignored.used < IGNORED_MAX) {
        set_add(&at->ignored, id); /* without memory it is known by its next frame that tells its type */
    }
    return true;
}

/* ---- Announcing ---- */

static str type_of(const struct async_task *t)
{
    static const struct {
        const char *raw, *told;
    } types[] = {{"local_bash", "shell"},    {"local_workflow", "workflow"}, {"local_monitor", "monitor"},
                 {"monitor_mcp", "monitor"}, {"monitor_ws", "monitor"},      {"mcp", "monitor"}};
    str type = t->monitor ? STR("local_monitor") : buf_str(&t->type);
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (str_is(type, types[i].raw)) {
            return str_of(types[i].told);
        }
    }
    return type.n ? type : STR("task");
}

/* What stands for a description that there is none of: the type as a title, or words. */
static void default_description(struct async_task *t)
{
    if (t->now[ASYNC_DESCRIPTION].n) {
        return;
    }
    str type = t->type.n ? type_of(t) : STR("Background task");
    struct buf *b = &t->now[ASYNC_DESCRIPTION];
    async_set(b, type);
    if (b->n && b->p[0] >= 'a' && b->p[0] <= 'z') {
        b->p[0] = (char)(b->p[0] - 'a' + 'A');
    }
}

/* The spawn says the present description. */
static void announce_as(struct async_task *t)
{
    async_set(&t->announced, buf_str(&t->now[ASYNC_DESCRIPTION]));
    async_set(&t->told[ASYNC_DESCRIPTION], buf_str(&t->announced));
}

static void spawn(struct async_tasks *at, struct async_task *t)
{
    AUTO_BUF(b);
    str session =
        at->sink->session_of(at->user, t->now[ASYNC_CALL].n ? buf_str(&t->now[ASYNC_CALL]) : STR_ABSENT);
    async_set(&t->session, session);
    /* The one that it had when it was announced: its changes wait in `held`. */
    str description = buf_str(&t->announced);
    json_member_c(&b, "asyncTaskId", t->id);
    json_member_str(&b, "name", t->name.n ? buf_str(&t->name) : description);
    json_member_str(&b, "taskType", type_of(t));
    json_member_str(&b, "description", description);
    json_member_bool(&b, "showInTranscript", !t->skipped);
    json_member_bool(&b, "canStop", true);
    async_put_changed(&b, t, ASYNC_OUTPUT);
    async_put_changed(&b, t, ASYNC_CALL);
    t->phase = ASYNC_SPAWNED;
    async_send(at, t, "async_task_spawned", &b);
    LIST_EACH(u, &t->held, struct async_update, link) {
        async_send(at, t, u->name, &u->members);
        free_update(u);
    }
}

/* The client is told, now that enough is known of it. */
static void spawn_when_due(struct async_tasks *at, struct async_task *t)
{
    if (t->phase == ASYNC_HELD && (t->now[ASYNC_CALL].n || async_is_final(t->state))) {
        spawn(at, t);
    }
}

/* The task runs in the background: the client learns of it, now or when its tool call is known. */
static void announce(struct async_tasks *at, struct async_task *t)
{
    if (t->phase != ASYNC_SILENT) {
        return;
    }
    t->phase = ASYNC_HELD;
    default_description(t);
    announce_as(t);
    spawn_when_due(at, t);
    if (async_is_final(t->state)) {
        async_send_state(at, t, buf_str(&t->now[ASYNC_SUMMARY]));
    }
}

static void learn_call(struct async_tasks *at, struct async_task *t, str call)
{
    if (call.n && !t->now[ASYNC_CALL].n) {
        async_set(&t->now[ASYNC_CALL], call);
        t->monitor = at->sink->is_monitor(at->user, call);
        async_output_of_call(at, t);
    }
    spawn_when_due(at, t);
}

/* ---- States ---- */

/* Brings the task into a state and tells it. */
static void enter(struct async_tasks *at, struct async_task *t, enum async_state next, str summary,
                  bool inferred)
{
    bool corrects = t->inferred && !inferred && async_is_final(next) && next != t->state;
    if (next == t->state || (async_is_final(t->state) && !corrects)) {
        t->inferred = t->inferred && inferred; /* what was inferred is now known */
        async_send_progress(at, t);
        return;
    }
    t->state = next;
    t->inferred = inferred;
    spawn_when_due(at, t);
    async_send_progress(at, t);
    async_set(&t->now[ASYNC_SUMMARY], summary);
    async_send_state(at, t, summary);
}

static bool read_state(str word, enum async_state *state)
{
    static const struct {
        const char *word;
        enum async_state state;
    } words[] = {
        {"pending", ASYNC_RUNNING},     {"running", ASYNC_RUNNING}, {"paused", ASYNC_PAUSED},
        {"completed", ASYNC_COMPLETED}, {"failed", ASYNC_FAILED},   {"killed", ASYNC_STOPPED},
        {"cancelled", ASYNC_STOPPED},   {"stopped", ASYNC_STOPPED},
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (str_is(word, words[i].word)) {
            *state = words[i].state;
            return true;
        }
    }
    return false;
}

/* ---- Frames ---- */

/* What any frame can tell of a task. */
static void read_common(struct async_task *t, json frame)
{
    static const char *const usage_keys[] = {"total_tokens", "tool_uses", "duration_ms"};
    async_set(&t->type, json_str(json_get(frame, "task_type")));
    async_set(&t->now[ASYNC_DESCRIPTION], json_str(json_get(frame, "description")));
    async_set(&t->now[ASYNC_LAST_TOOL], json_str(json_get(frame, "last_tool_name")));
    async_set(&t->now[ASYNC_OUTPUT], json_str(json_get(frame, "output_file")));
    t->skipped = t->skipped || json_is_true(json_get(frame, "skip_transcript"));
    int64_t usage[ARRAY_LEN(usage_keys)] = {0};
    bool all = true;
    for (size_t i = 0; i < ARRAY_LEN(usage); i++) {
        all = all && json_int(json_path(frame, "usage", usage_keys[i], NULL), &usage[i]) && usage[i] >= 0;
    }
    if (all) {
        memcpy(t->usage, usage, sizeof(usage));
    }
}

static str id_of(json frame)
{
    return json_text(json_get(frame, "task_id"));
}

void async_tasks_started(struct async_tasks *at, json frame)
{
    str id = id_of(frame), type = json_str(json_get(frame, "task_type"));
    struct async_task *t = ignores(at, id, frame) ? NULL : open_task(at, id);
    if (!t) {
        return;
    }
    json backgrounded = json_get(frame, "is_backgrounded");
    read_common(t, frame);
    str name = json_text(json_get(frame, "workflow_name"));
    if (t->phase != ASYNC_SPAWNED) {
        async_set(&t->name, name.p ? name : json_str(json_get(frame, "description")));
    }
    if (t->phase == ASYNC_HELD && list_empty(&t->held)) { /* learned otherwise: this says it better */
        announce_as(t);
    }
    bool background = json_is_bool(backgrounded) ? json_is_true(backgrounded) : !str_is(type, "local_bash");
    learn_call(at, t, json_str(json_get(frame, "tool_use_id")));
    if (background) {
        announce(at, t);
    }
    async_send_progress(at, t);
}

void async_tasks_progress(struct async_tasks *at, json frame)
{
    str id = id_of(frame);
    struct async_task *t = ignores(at, id, frame) ? NULL : find(at, id);
    if (!t) {
        return;
    }
    read_common(t, frame);
    if (!async_is_final(t->state)) {
        async_set(&t->now[ASYNC_SUMMARY], json_str(json_get(frame, "summary")));
    }
    learn_call(at, t, json_str(json_get(frame, "tool_use_id")));
    async_send_progress(at, t);
}

void async_tasks_updated(struct async_tasks *at, json frame)
{
    str id = id_of(frame);
    json patch = json_get(frame, "patch");
    enum async_state state;
    struct async_task *t = ignores(at, id, frame) ? NULL : open_task(at, id);
    if (!t) {
        return;
    }
    read_common(t, patch);
    learn_call(at, t, json_str(json_get(frame, "tool_use_id")));
    if (json_is_true(json_get(patch, "is_backgrounded"))) {
        announce(at, t);
    }
    if (read_state(json_str(json_get(patch, "status")), &state)) {
        enter(at, t, state, STR_ABSENT, false);
    }
    async_send_progress(at, t);
}

void async_tasks_notified(struct async_tasks *at, json frame)
{
    str id = id_of(frame);
    enum async_state state;
    struct async_task *t = ignores(at, id, frame) ? NULL : find(at, id);
    if (!t) {
        return;
    }
    read_common(t, frame);
    learn_call(at, t, json_str(json_get(frame, "tool_use_id")));
    if (read_state(json_str(json_get(frame, "status")), &state)) {
        enter(at, t, state, json_str(json_get(frame, "summary")), false);
    }
}

static bool lists(json tasks, const struct async_task *t)
{
    for (struct json_iter it = json_each(tasks); json_next(&it);) {
        if (str_is(id_of(it.value), t->id)) {
            return true;
        }
    }
    return false;
}

/* A task that was on the list has left it. One that never was is told of elsewhere, and a list of other tasks
 * says nothing of it, nor does the empty one that follows: only a CLI that lists nothing at all does. */
static void note_listed(struct async_tasks *at, json tasks)
{
    bool any = json_count(tasks) > 0, others_left = at->list_had_tasks && !any;
    LIST_EACH(t, &at->tasks, struct async_task, link) {
        bool was_listed = t->listed;
        t->listed = any && lists(tasks, t);
        bool left = !t->listed && (was_listed || (!any && !others_left));
        if (left && t->phase != ASYNC_SILENT && !async_is_final(t->state)) {
            enter(at, t, ASYNC_STOPPED, STR_ABSENT, true);
        }
    }
    at->list_had_tasks = any;
}

void async_tasks_listed(struct async_tasks *at, json tasks)
{
    if (!json_is(tasks, JSON_ARRAY)) {
        return;
    }
    for (struct json_iter it = json_each(tasks); json_next(&it);) {
        str id = id_of(it.value);
        bool known = find(at, id) != NULL;
        struct async_task *t = ignores(at, id, it.value) ? NULL : open_task(at, id);
        if (!t) {
            continue;
        }
        if (!known) {
            read_common(t, it.value);
        }
        learn_call(at, t, json_str(json_get(it.value, "tool_use_id")));
        announce(at, t);
    }
    note_listed(at, tasks);
}

static void name_by_command(struct async_task *t, str command)
{
    async_set(&t->name, command);
    async_set(&t->now[ASYNC_DESCRIPTION], command);
}

void async_tasks_result(struct async_tasks *at, str call_id, str task, str command, str text)
{
    async_output_remember(at, call_id, text);
    struct async_task *t = task.n && !set_has(&at->ignored, task) ? open_task(at, task) : NULL;
    if (t) {
        if (t->phase == ASYNC_SILENT) {
            name_by_command(t, command);
        }
        learn_call(at, t, call_id);
        announce(at, t);
    }
    LIST_EACH(any, &at->tasks, struct async_task, link) {
        if (str_eq(buf_str(&any->now[ASYNC_CALL]), call_id)) {
            async_output_of_call(at, any);
            async_send_progress(at, any);
        }
    }
}

bool async_tasks_has_call(const struct async_tasks *at, str call_id)
{
    LIST_EACH(t, &at->tasks, struct async_task, link) {
        if (t->phase != ASYNC_SILENT && str_eq(buf_str(&t->now[ASYNC_CALL]), call_id)) {
            return true;
        }
    }
    return false;
}

void async_tasks_release(struct async_tasks *at)
{
    LIST_EACH(t, &at->tasks, struct async_task, link) {
        if (t->phase == ASYNC_HELD) {
            spawn(at, t);
        }
    }
}

void async_tasks_finish(struct async_tasks *at, bool stopped)
{
    LIST_EACH(t, &at->tasks, struct async_task, link) {
        if (t->phase != ASYNC_SILENT) {
            enter(at, t, stopped ? ASYNC_STOPPED : ASYNC_FAILED, STR_ABSENT, false);
        }
    }
}

str async_tasks_session(const struct async_tasks *at, str id)
{
    const struct async_task *t = find(at, id);
    return t && t->phase == ASYNC_SPAWNED ? buf_str(&t->session) : STR_ABSENT;
}

bool async_tasks_stop(struct async_tasks *at, str id)
{
    struct async_task *t = find(at, id);
    if (!t || t->phase == ASYNC_SILENT || t->stopping || async_is_final(t->state)) {
        return false;
    }
    t->stopping = true;
    return true;
}

void async_tasks_stopped(struct async_tasks *at, str id, bool done, struct buf *name, struct buf *session)
{
    struct async_task *t = find(at, id);
    if (!t) {
        return;
    }
    t->stopping = false;
    if (done) {
        enter(at, t, ASYNC_STOPPED, STR_ABSENT, false); /* which announces it, if that was due */
        buf_put_str(name, buf_str(t->name.n ? &t->name : &t->announced));
        buf_put_str(session, buf_str(&t->session));
    }
}
