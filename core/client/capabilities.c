#include "client/capabilities.h"

#include <math.h>

struct capability_row {
    const char *name;
    size_t offset;
};

#define ROW(capability, member)                                                                              \
    {                                                                                                        \
        capability, offsetof(struct client_capabilities, member)                                             \
    }

static const struct capability_row air_rows[] = {
    ROW("diffPatch", air_diff_patch),
    ROW("rawInputRendering", air_raw_input_rendering),
    ROW("sessionFailure", air_session_failure),
    ROW("recommendedValue", air_recommended_value),
    ROW("asyncTasks", air_async_tasks),
    ROW("agentFileChangeReport", air_file_change_report),
    ROW("nativeSubagentSessions", air_native_subagents),
    ROW("planFile", air_plan_file),
};

static const struct capability_row meta_rows[] = {
    ROW("terminal_output", terminal_output),
    ROW("terminal_output_delta", terminal_output_delta),
    ROW("terminal-auth", terminal_auth_meta),
    ROW("subagent-transcript", subagent_transcript),
};

static void set(struct client_capabilities *c, const struct capability_row *row, bool value)
{
    *(bool *)(void *)((char *)c + row->offset) = value;
}

static void read_air(struct client_capabilities *c, json air)
{
    c->air = json_is(air, JSON_OBJECT);
    double version;
    json names = json_get(air, "capabilities");
    if (!json_double(json_get(air, "version"), &version) || version < 1 || version != floor(version) ||
        isinf(version) || !json_is(names, JSON_ARRAY)) {
        return;
    }
    for (struct json_iter it = json_each(names); json_next(&it);) {
        str name = json_str(it.value);
        for (size_t i = 0; i < ARRAY_LEN(air_rows); i++) {
            if (str_is(name, air_rows[i].name)) {
                set(c, &air_rows[i], true);
            }
        }
    }
}

/* Declared by `true` or by an object, which may say more. */
static bool declares(json v)
{
    return json_is_true(v) || json_is(v, JSON_OBJECT);
}

/* What every client has that speaks v2. AIR's own forms of subagents and tasks have no place there. */
static void add_v2(struct client_capabilities *c)
{
    c->session_notices = true;
    c->session_compaction = true;
    c->subagents_field = true;
    c->air_native_subagents = false;
    c->air_async_tasks = false;
}

void client_capabilities_read(struct client_capabilities *c, int spoken, int form, json caps)
{
    *c = (struct client_capabilities){.protocol_version = spoken};
    json meta = json_get(caps, "_meta"), auth = json_get(caps, "auth"), session = json_get(caps, "session"),
         elicitation = json_get(caps, "elicitation"), plan = json_get(caps, "plan");
    for (size_t i = 0; i < ARRAY_LEN(meta_rows); i++) {
        set(c, &meta_rows[i], json_is_true(json_get(meta, meta_rows[i].name)));
    }
    read_air(c, json_path(meta, "jetbrains", "air", NULL));
    json terminal = json_get(auth, "terminal");
    c->auth_terminal = form == 1 ? json_is_true(terminal) : json_is(terminal, JSON_OBJECT);
    c->auth_gateway = json_is_true(json_path(auth, "_meta", "gateway", NULL));
    c->auth_status = declares(json_get(meta, "authStatus")) || declares(json_get(caps, "authStatus"));
    c->elicitation_form = json_is(json_get(elicitation, "form"), JSON_OBJECT);
    c->elicitation_url = json_is(json_get(elicitation, "url"), JSON_OBJECT);
    c->subagents_field = form == 1 && json_is(json_get(caps, "subagents"), JSON_OBJECT);
    c->boolean_options =
        form == 2 || json_is(json_path(session, "configOptions", "boolean", NULL), JSON_OBJECT);
    c->session_notices = form == 1 && json_is(json_get(session, "notices"), JSON_OBJECT);
    c->session_compaction = form == 1 && json_is(json_get(session, "compaction"), JSON_OBJECT);
    c->plan_operations = form == 2 || (json_present(plan) && !json_is(plan, JSON_NULL));
    if (spoken >= 2) {
        add_v2(c);
    }
}

bool client_keeps_meta(const struct client_capabilities *c)
{
    return c->air || c->protocol_version >= 2;
}

bool client_keeps_cancelled_calls(const struct client_capabilities *c)
{
    return c->protocol_version >= 2;
}

bool client_has_terminal(const struct client_capabilities *c)
{
    return c->terminal_output || c->terminal_output_delta || c->protocol_version >= 2;
}

bool client_wants_patches(const struct client_capabilities *c)
{
    return c->air_diff_patch || c->protocol_version >= 2;
}

bool client_takes_auth_status(const struct client_capabilities *c)
{
    return c->air || c->auth_status;
}

bool client_has_subagent_sessions(const struct client_capabilities *c)
{
    return c->subagents_field || c->air_native_subagents;
}

bool client_has_air_subagents(const struct client_capabilities *c)
{
    return c->air && c->protocol_version < 2; /* AIR's updates have no form in v2 */
}

bool client_takes_facts(const struct client_capabilities *c)
{
    return c->air;
}
