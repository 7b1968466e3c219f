#include "prompt/usage_text.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/markdown.h"

enum {
    BAR_CELLS = 20,
    TOP_SERVERS = 3,
};

#define NUMBER_MAX 9007199254740992.0 /* beyond it a double counts no more */

/* A number from 0 to `max`. */
static bool read_number(json v, double max, double *out)
{
    return json_double(v, out) && *out >= 0 && *out <= max;
}

/* ---- Numbers ---- */

/* As short as it can be: 12.5, 33.3333. */
static void put_number(struct buf *b, double n)
{
    AUTO_BUF(text);
    json_put_double(&text, n);
    buf_put_str(b, buf_str(&text));
}

/* 999, 1.2K, 12.3M. */
static void put_compact(struct buf *b, double n)
{
    static const struct {
        uint64_t one;
        const char *mark;
    } units[] = {{1, ""}, {1000, "K"}, {1000000, "M"}, {1000000000, "B"}, {1000000000000, "T"}};
    uint64_t whole = (uint64_t)(n + 0.5), tenths = whole * 10;
    size_t unit = 0;
    for (size_t next = 1; next < ARRAY_LEN(units) && tenths >= 10000; next++) {
        unit = next;
        tenths = (whole * 10 + units[unit].one / 2) / units[unit].one;
    }
    buf_printf(b, "%llu", (unsigned long long)(tenths / 10));
    if (tenths % 10) {
        buf_printf(b, ".%llu", (unsigned long long)(tenths % 10));
    }
    buf_put_c(b, units[unit].mark);
}

/* 12s, 3m, 3m 4s. */
static void put_duration(struct buf *b, double ms)
{
    uint64_t seconds = (uint64_t)(ms / 1000 + 0.5), minutes = seconds / 60;
    seconds %= 60;
    if (minutes) {
        buf_printf(b, "%llum", (unsigned long long)minutes);
        buf_put_c(b, seconds ? " " : "");
    }
    if (seconds || !minutes) {
        buf_printf(b, "%llus", (unsigned long long)seconds);
    }
}

static void put_bar(struct buf *b, double percent)
{
    int filled = (int)(percent * BAR_CELLS / 100 + 0.5);
    filled = filled || percent <= 0 ? filled : 1;
    buf_put_c(b, "`");
    for (int i = 0; i < BAR_CELLS; i++) {
        buf_put_c(b, i < filled ? "█" : "░");
    }
    buf_put_c(b, "`");
}

/* ---- Limits ---- */

static bool put_window(struct buf *b, const char *label, str model, json window)
{
    json used = json_get(window, "utilization"), resets = json_get(window, "resets_at");
    double percent = 0;
    if (!json_present(window) || json_is(window, JSON_NULL)) {
        return true;
    }
    bool timed = json_is(resets, JSON_STRING);
    if (!json_is(window, JSON_OBJECT) || (!timed && !json_is(resets, JSON_NULL))) {
        return false;
    }
    if (json_is(used, JSON_NULL)) {
        return true;
    }
    if (!read_number(used, 100, &percent)) {
        return false;
    }
    buf_printf(b, "\n\n**%s", label);
    markdown_put_text(b, model);
    buf_put_c(b, "** — **");
    put_number(b, percent);
    buf_put_c(b, "%**");
    if (timed && json_str(resets).n) {
        int64_t ms = 0;
        buf_put_c(b, " · Resets ");
        if (clock_parse_iso8601(json_str(resets), &ms)) {
            clock_put_local(b, ms);
        } else {
            markdown_put_text(b, json_str(resets));
        }
    }
    buf_put_c(b, "\n\n");
    put_bar(b, percent);
    return true;
}

static bool put_model_windows(struct buf *b, json limits)
{
    json models = json_get(limits, "model_scoped");
    if (json_present(models) && !json_is(models, JSON_ARRAY)) {
        return false;
    }
    if (!json_count(models)) {
        return put_window(b, "Weekly · ", STR("Opus"), json_get(limits, "seven_day_opus")) &&
               put_window(b, "Weekly · ", STR("Sonnet"), json_get(limits, "seven_day_sonnet"));
    }
    for (struct json_iter it = json_each(models); json_next(&it);) {
        json name = json_get(it.value, "display_name");
        if (!json_is(name, JSON_STRING) || !put_window(b, "Weekly · ", json_str(name), it.value)) {
            return false;
        }
    }
    return true;
}

static bool put_limits(struct buf *b, json usage)
{
    json available = json_get(usage, "rate_limits_available"), limits = json_get(usage, "rate_limits");
    AUTO_BUF(windows);
    if (!json_is_bool(available) || (!json_is(limits, JSON_OBJECT) && !json_is(limits, JSON_NULL))) {
        return false;
    }
    if (!put_window(&windows, "5-hour limit", STR_ABSENT, json_get(limits, "five_hour")) ||
        !put_window(&windows, "Weekly · all models", STR_ABSENT, json_get(limits, "seven_day")) ||
        !put_model_windows(&windows, limits)) {
        return false;
    }
    if (json_is_true(available) && windows.n) {
        buf_put_c(b, "\n\n### Limits");
        buf_put_str(b, buf_str(&windows));
    }
    b->failed |= windows.failed;
    return true;
}

/* ---- This session ---- */

enum { TOKENS_IN, TOKENS_OUT, TOKENS_READ, TOKENS_WRITTEN, TOKEN_SORTS };

static bool sum_tokens(json models, double sums[TOKEN_SORTS])
{
    static const char *const keys[TOKEN_SORTS] = {"inputTokens", "outputTokens", "cacheReadInputTokens",
                                                  "cacheCreationInputTokens"};
    if (!json_is(models, JSON_OBJECT)) {
        return false;
    }
    for (struct json_iter it = json_each(models); json_next(&it);) {
        for (int i = 0; !json_iter_shadowed(&it) && i < TOKEN_SORTS; i++) {
            double n = 0;
            if (!read_number(json_get(it.value, keys[i]), NUMBER_MAX, &n)) {
                return false;
            }
            sums[i] = fmin(sums[i] + n, NUMBER_MAX);
        }
    }
    return true;
}

static bool put_session(struct buf *b, json session)
{
    static const char *const rows[TOKEN_SORTS] = {"Input", "Output", "Cache read", "Cache write"};
    double cost = 0, api = 0, active = 0, tokens[TOKEN_SORTS] = {0};
    if (!read_number(json_get(session, "total_cost_usd"), NUMBER_MAX, &cost) ||
        !read_number(json_get(session, "total_api_duration_ms"), NUMBER_MAX, &api) ||
        !read_number(json_get(session, "total_duration_ms"), NUMBER_MAX, &active) ||
        !sum_tokens(json_get(session, "model_usage"), tokens)) {
        return false;
    }
    buf_put_c(b, "\n\n---\n\n### This session\n\n| Cost | API time | Active |\n|:--|:--|:--|\n");
    buf_printf(b, "| $%.2f | ", cost);
    put_duration(b, api);
    buf_put_c(b, " | ");
    put_duration(b, active);
    buf_put_c(b, " |\n\n| Breakdown | Tokens |\n|:--|--:|");
    for (int i = 0; i < TOKEN_SORTS; i++) {
        buf_printf(b, "\n| %s | ", rows[i]);
        put_compact(b, tokens[i]);
        buf_put_c(b, " |");
    }
    return true;
}

/* ---- What uses the limits ---- */

struct share {
    str name;
    double percent;
};

/* The largest shares, in falling order, equal ones as they came. False when one is malformed. */
static bool read_shares(json servers, struct share top[TOP_SERVERS], size_t *n)
{
    if (!json_is(servers, JSON_ARRAY)) {
        return false;
    }
    for (struct json_iter it = json_each(servers); json_next(&it);) {
        struct share s = {.name = json_str(json_get(it.value, "name"))};
        if (!s.name.p || !read_number(json_get(it.value, "pct"), 100, &s.percent)) {
            return false;
        }
        size_t at = *n;
        while (at && top[at - 1].percent < s.percent) {
            at--;
        }
        if (at < TOP_SERVERS) {
            *n += *n < TOP_SERVERS;
            memmove(top + at + 1, top + at, (*n - at - 1) * sizeof(*top));
            top[at] = s;
        }
    }
    return true;
}

static bool put_count(struct buf *b, json count, const char *what)
{
    double n = 0;
    if (!read_number(count, NUMBER_MAX, &n)) {
        return false;
    }
    buf_put_c(b, " · ");
    put_number(b, n);
    buf_printf(b, " %s%s", what, n == 1 ? "" : "s");
    return true;
}

static bool put_period(struct buf *b, const char *name, json period)
{
    struct share top[TOP_SERVERS];
    size_t n = 0;
    buf_printf(b, "\n\n**%s**", name);
    if (!put_count(b, json_get(period, "request_count"), "request") ||
        !put_count(b, json_get(period, "session_count"), "session") ||
        !read_shares(json_get(period, "mcp_servers"), top, &n)) {
        return false;
    }
    buf_put_c(b, n ? "\n\n| MCP server | Usage |\n|:--|--:|" : "");
    for (size_t i = 0; i < n; i++) {
        buf_put_c(b, "\n| ");
        markdown_put_text(b, top[i].name);
        buf_put_c(b, " | ");
        put_bar(b, top[i].percent);
        buf_put_c(b, " ");
        put_number(b, top[i].percent);
        buf_put_c(b, "% |");
    }
    return true;
}

static bool put_behaviors(struct buf *b, json behaviors)
{
    if (json_is(behaviors, JSON_NULL)) {
        return true;
    }
    buf_put_c(b, "\n\n---\n\n### What’s using your limits?\n\n"
                 "> Rough figures that overlap, from the sessions on this machine alone");
    return put_period(b, "Last 24h", json_get(behaviors, "day")) &&
           put_period(b, "Last 7d", json_get(behaviors, "week"));
}

bool usage_text_put(struct buf *b, json usage)
{
    json plan = json_get(usage, "subscription_type");
    bool named = json_is(plan, JSON_STRING);
    if (!named && !json_is(plan, JSON_NULL)) {
        return false;
    }
    buf_put_c(b, "## Usage");
    if (named && json_str(plan).n) {
        buf_put_c(b, "\n\n> Claude ");
        markdown_put_text(b, json_str(plan));
        buf_put_c(b, " subscription usage");
    }
    return put_limits(b, usage) && put_session(b, json_get(usage, "session")) &&
           put_behaviors(b, json_get(usage, "behaviors"));
}
