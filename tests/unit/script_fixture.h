/* A client that writes down what it is told of one prompt, and a CLI that answers the prompt with the lines
 * of a file. UUID in them stands for the prompt's. */
#ifndef HERALD_TESTS_SCRIPT_FIXTURE_H
#define HERALD_TESTS_SCRIPT_FIXTURE_H

#include "agent_fixture.h"

static const char script_cli[] =
    "cd \"${0%/*}\"\n"
    "id_of() { printf '%s' \"$1\" | sed -n 's/.*\"'$2'\":\"\\([^\"]*\\)\".*/\\1/p'; }\n"
    "while IFS= read -r line; do case $line in\n"
    "*'\"type\":\"control_request\"'*)\n"
    "  printf '{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\","
    "\"response\":{\"models\":[],\"commands\":[],\"agents\":[]}}}\\n' \"$(id_of \"$line\" request_id)\";;\n"
    "*'\"type\":\"user\"'*)\n"
    "  uuid=$(id_of \"$line\" uuid)\n"
    "  printf '{\"type\":\"user\",\"uuid\":\"%s\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\\n' "
    "$uuid\n"
    "  sed \"s/UUID/$uuid/\" lines; [ -e dies ] && exit 3\n"
    "  printf '{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"idle\"}\\n';; esac; "
    "done\n";

#define RESULT(members)                                                                                      \
    "{\"type\":\"result\",\"num_turns\":1,\"user_message_uuids\":[\"UUID\"],\"usage\":{\"input_tokens\":7,"  \
    "\"output_tokens\":9}," members "}\n"
#define DONE RESULT("\"subtype\":\"success\",\"is_error\":false,\"result\":\"\",\"stop_reason\":\"end_turn\"")

struct script_bench {
    struct agent_bench base;
    bool air;
    unsigned ends;
    bool failed;
    int code; /* 0: a stop reason */
    char stop[32], message[256], members[2048];
    char told[1024]; /* a role and a text for each piece */
};

static inline void script_text(void *self, str session, enum message_role role, str id, str text, str meta)
{
    struct script_bench *b = self;
    size_t n = strlen(b->told);
    (void)session, (void)id, (void)meta;
    (void)snprintf(b->told + n, sizeof(b->told) - n, "%s:%.*s;",
                   role == MESSAGE_THOUGHT ? "thought" : "agent", STR_ARG(text));
}

static inline void script_inserted(void *user, const char *uuid)
{
    (void)user, (void)uuid;
}

static inline void script_ended(void *user, const struct turn_end *end)
{
    struct script_bench *b = user;
    b->ends++;
    b->failed = end->failed;
    b->code = end->stop_reason ? 0 : end->code;
    (void)snprintf(b->stop, sizeof(b->stop), "%s", end->stop_reason ? end->stop_reason : "");
    (void)snprintf(b->message, sizeof(b->message), "%.*s", STR_ARG(end->message));
    (void)snprintf(b->members, sizeof(b->members), "%.*s", STR_ARG(end->members));
    agent_close(&b->base.a);
}

static const struct turn_observer script_observer = {script_inserted, script_ended};

static inline void script_ready(void *user, struct session *s, const struct session_error *error)
{
    assert_null(error);
    bench_prompt(s, "go", &script_observer, user);
}

/* The whole life of a session that is prompted once, to which the CLI says `lines`. */
static inline void script_run(struct script_bench *b, const char *lines)
{
    struct surface face = silent_surface();
    face.text = script_text;
    fake_file("lines", lines, 0644);
    bench_open(&b->base, script_cli, &face, b);
    b->base.a.host.client.air = b->air;
    b->base.a.host.client.air_session_failure = b->air;
    bench_session(&b->base, script_ready, b);
    bench_run(&b->base);
    assert_int_equal(b->ends, 1);
}

#define SCRIPT_TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)

#endif
