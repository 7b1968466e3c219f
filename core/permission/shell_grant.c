#include "permission/shell_grant.h"

#include "base/js_space.h"
#include "base/map.h"
#include "permission/text.h"

struct texts {
    str *v;
    size_t n;
};

/* What a bundle holds, in its order. */
struct grant {
    struct texts commands, reads, dirs;
    struct map seen; /* the commands */
};

static size_t bundle_size(json updates)
{
    size_t n = 0;
    for (struct json_iter it = json_each(updates); json_next(&it);) {
        n += json_count(json_get(it.value, "rules")) + json_count(json_get(it.value, "directories"));
    }
    return n;
}

static str without(str s, str ending)
{
    return str_ends(s, ending) ? str_first(s, s.n - ending.n) : s;
}

static bool add_command(struct grant *g, str rule)
{
    str command = without(rule, STR(":*"));
    if (str_empty(space_trim(command))) {
        return false; /* everything is allowed, and the label would show nothing */
    }
    if (set_has(&g->seen, command)) {
        return true;
    }
    g->commands.v[g->commands.n++] = command;
    return set_add(&g->seen, command);
}

static bool add_rules(struct grant *g, json update, str tool)
{
    if (!str_is(json_str(json_get(update, "behavior")), "allow")) {
        return false;
    }
    for (struct json_iter it = json_each(json_get(update, "rules")); json_next(&it);) {
        str name = json_str(json_get(it.value, "toolName")),
            rule = json_str(json_get(it.value, "ruleContent"));
        if (str_empty(space_trim(rule))) {
            return false;
        }
        if (str_eq(name, tool)) {
            if (!add_command(g, rule)) {
                return false;
            }
            continue;
        }
        str path = without(rule, STR("/**"));
        if (!str_is(name, "Read") || str_empty(path)) {
            return false;
        }
        g->reads.v[g->reads.n++] = path;
    }
    return true;
}

static bool add_update(struct grant *g, json update, str tool)
{
    str type = json_str(json_get(update, "type"));
    if (str_is(type, "addRules")) {
        return add_rules(g, update, tool);
    }
    if (!str_is(type, "addDirectories") || !str_is(json_str(json_get(update, "destination")), "session")) {
        return false;
    }
    for (struct json_iter it = json_each(json_get(update, "directories")); json_next(&it);) {
        str dir = json_str(it.value);
        if (!str_present(dir)) {
            return false; /* memory is out */
        }
        g->dirs.v[g->dirs.n++] = dir;
    }
    return true;
}

static void put_label(struct buf *label, const struct grant *g, str paths)
{
    size_t n_paths = g->dirs.n + g->reads.n;
    if (!g->commands.n) {
        buf_put_c(label, g->dirs.n ? "Yes, and always allow access to " : "Yes, allow reading from ");
        buf_put_str(label, paths);
        buf_put_c(label, " from this project");
        return;
    }
    if (!n_paths) {
        buf_put_c(label, "Yes, and don't ask again for ");
    } else {
        bool one = n_paths == 1 && g->commands.n == 1;
        buf_put_c(label, one ? "Yes, and allow access to " : "Yes, and allow ");
        buf_put_str(label, paths);
        buf_put_c(label, one ? " and " : " access and ");
    }
    permission_put_list(label, g->commands.v, g->commands.n);
    buf_put_c(label, " commands");
}

bool shell_grant_label(struct arena *a, json updates, str tool, struct buf *label)
{
    size_t n = bundle_size(updates);
    str *room = arena_alloc(a, (3 * n + 1) * sizeof(*room));
    if (!room || !n) {
        return false;
    }
    struct grant g = {{room, 0}, {room + n, 0}, {room + 2 * n, 0}, MAP_INIT};
    bool ok = true;
    for (struct json_iter it = json_each(updates); ok && json_next(&it);) {
        ok = add_update(&g, it.value, tool);
    }
    map_free(&g.seen, NULL);
    size_t n_paths = g.dirs.n + g.reads.n;
    str *all = arena_alloc(a, (n_paths + 1) * sizeof(*all));
    if (!ok || !all || n_paths + g.commands.n == 0) {
        return false;
    }
    for (size_t i = 0; i < n_paths; i++) {
        all[i] = i < g.dirs.n ? g.dirs.v[i] : g.reads.v[i - g.dirs.n];
    }
    AUTO_BUF(paths);
    if (!permission_put_paths(a, &paths, all, n_paths)) {
        return false;
    }
    put_label(label, &g, buf_str(&paths));
    return buf_ok(label);
}
