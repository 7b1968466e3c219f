#include "extension/goal.h"

#include "base/js_space.h"
#include "client/air_meta.h"

static const char METHOD[] = "_session/goal";

void goal_free(struct goal *g)
{
    buf_free(&g->current);
    buf_free(&g->previous);
    buf_free(&g->expected);
    *g = (struct goal){0};
}

static void put_start(struct buf *b, str objective)
{
    json_open_object(b);
    json_member_str(b, "objective", objective);
    json_member_c(b, "status", "active");
}

static void put_end(struct buf *b)
{
    json_member_c(b, "controlMethod", METHOD);
    json_close_object(b);
}

/* The snapshot becomes the current one. Out of memory, the client is still told; only what a later failure
 * would bring back is lost. */
static void publish(struct goal *g, struct buf *out)
{
    buf_clear(&g->current);
    buf_put_str(&g->current, buf_str(out));
    g->changes++;
}

bool goal_clears(str argument)
{
    static const str words[] = {STR_INIT("clear"), STR_INIT("stop"), STR_INIT("off"),
                                STR_INIT("reset"), STR_INIT("none"), STR_INIT("cancel")};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (str_eq_nocase(argument, words[i])) {
            return true;
        }
    }
    return false;
}

bool goal_is_active(const struct goal *g)
{
    return g->current.n && !str_is(buf_str(&g->current), "null");
}

void goal_submitted(struct goal *g, str uuid, str argument, struct buf *out)
{
    str objective = space_trim(argument);
    bool clears = goal_clears(objective);
    if (clears) {
        json_put_null(out);
    } else {
        put_start(out, objective);
        put_end(out);
    }
    buf_clear(&g->previous);
    buf_put_str(&g->previous, buf_str(&g->current));
    publish(g, out);
    buf_clear(&g->expected);
    if (!clears) {
        buf_put_str(&g->expected, objective);
    }
    g->pending = uuid.n == UUID_LENGTH;
    g->started = false;
    if (g->pending) {
        memcpy(g->command, uuid.p, UUID_LENGTH);
        g->command[UUID_LENGTH] = '\0';
    }
}

void goal_echoed(struct goal *g, str uuid)
{
    if (g->pending && str_is(uuid, g->command)) {
        g->started = true;
    }
}

bool goal_reported(struct goal *g, json value, struct buf *out)
{
    str objective = space_trim(json_str(json_get(value, "condition")));
    if (!json_is(value, JSON_NULL) && !objective.n) {
        return false;
    }
    if (g->pending) {
        if (!str_eq(objective, buf_str(&g->expected))) {
            return false;
        }
        g->pending = false;
    }
    if (!objective.n) {
        json_put_null(out);
        publish(g, out);
        return true;
    }
    json iterations = json_get(value, "iterations"), reason = json_get(value, "last_reason"),
         set_at = json_get(value, "set_at");
    put_start(out, objective);
    if (json_is(iterations, JSON_NUMBER)) {
        json_member(out, "iterations", iterations);
    }
    json_key(out, "lastReason");
    json_put_str(out, json_str(reason));
    if (json_is(set_at, JSON_NUMBER)) {
        json_member(out, "createdAt", set_at);
    }
    put_end(out);
    publish(g, out);
    return true;
}

/* The current snapshot is of this objective. */
static bool is_current(const struct goal *g, str objective)
{
    AUTO_JSON(doc) = json_parse(buf_str(&g->current), NULL);
    return doc && str_eq(json_str(json_get(json_root(doc), "objective")), objective);
}

bool goal_noted(struct goal *g, str condition, struct buf *out)
{
    str objective = space_trim(condition);
    if (g->pending || (objective.n ? is_current(g, objective) : !goal_is_active(g))) {
        return false;
    }
    if (objective.n) {
        put_start(out, objective);
        put_end(out);
    } else {
        json_put_null(out);
    }
    publish(g, out);
    return true;
}

void goal_settled(struct goal *g)
{
    g->pending = false;
}

bool goal_on_result(struct goal *g, bool failed, struct buf *out)
{
    if (!g->pending || !g->started) {
        return false;
    }
    g->pending = false;
    if (!failed) {
        return false;
    }
    if (g->previous.n) {
        buf_put_str(out, buf_str(&g->previous));
    } else {
        json_put_null(out);
    }
    publish(g, out);
    return true;
}

void goal_put_update(struct buf *b, str snapshot)
{
    json_key(b, "_meta");
    json_open_object(b);
    air_meta_open(b);
    json_key(b, "goal");
    json_put_raw(b, snapshot);
    air_meta_close(b);
    json_close_object(b);
}
