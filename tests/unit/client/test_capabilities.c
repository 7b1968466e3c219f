#include "unit.h"

#include "client/capabilities.h"

static struct client_capabilities read_as(int spoken, int form, const char *text)
{
    struct client_capabilities c;
    AUTO_JSON(doc) = parse_or_fail(text);
    client_capabilities_read(&c, spoken, form, json_root(doc));
    return c;
}

static struct client_capabilities read(const char *text)
{
    return read_as(1, 1, text);
}

static void test_any_object_makes_the_client_air(void **state)
{
    (void)state;
    assert_true(read("{\"_meta\":{\"jetbrains\":{\"air\":{}}}}").air);
    assert_true(read("{\"_meta\":{\"jetbrains\":{\"air\":{\"version\":\"x\",\"capabilities\":7}}}}").air);
    assert_false(read("{\"_meta\":{\"jetbrains\":{\"air\":[]}}}").air);
    assert_false(read("{\"_meta\":{\"jetbrains\":{\"air\":null}}}").air);
    assert_false(read("{\"_meta\":{\"jetbrains\":[{\"air\":{}}]}}").air);
    assert_false(read("{\"_meta\":\"jetbrains\"}").air);
    assert_false(read("[]").air);
}

static bool patches(const char *version, const char *names)
{
    AUTO_BUF(b);
    buf_printf(&b, "{\"_meta\":{\"jetbrains\":{\"air\":{\"version\":%s,\"capabilities\":%s}}}}", version,
               names);
    struct client_capabilities c = read(buf_c(&b));
    assert_true(c.air);
    assert_int_equal(c.air_diff_patch, client_wants_patches(&c));
    return c.air_diff_patch;
}

static void test_capabilities_need_a_version_and_the_exact_name(void **state)
{
    (void)state;
    assert_true(patches("1", "[\"diffPatch\"]"));
    assert_true(patches("2", "[null,7,\"diffPatch\",\"new\"]"));
    assert_true(patches("1.0", "[\"diffPatch\"]"));
    assert_false(patches("0", "[\"diffPatch\"]"));
    assert_false(patches("1.5", "[\"diffPatch\"]"));
    assert_false(patches("\"1\"", "[\"diffPatch\"]"));
    assert_false(patches("1e999", "[\"diffPatch\"]"));
    assert_false(patches("1", "[\"diffpatch\"]"));
    assert_false(patches("1", "\"diffPatch\""));
    assert_false(patches("1", "{\"diffPatch\":true}"));
}

static void test_flags_are_exact(void **state)
{
    (void)state;
    struct client_capabilities c =
        read("{\"_meta\":{\"terminal_output\":true,\"terminal-auth\":1,\"terminal_output_delta\":\"true\"},"
             "\"auth\":{\"terminal\":true,\"_meta\":{\"gateway\":true}},"
             "\"elicitation\":{\"form\":{},\"url\":7},\"session\":{\"notices\":{},\"compaction\":[],"
             "\"configOptions\":{\"boolean\":{}}},\"subagents\":{},\"plan\":null}");
    assert_true(c.terminal_output && client_has_terminal(&c));
    assert_false(c.terminal_output_delta || c.terminal_auth_meta);
    assert_true(c.auth_terminal && c.auth_gateway);
    assert_true(c.elicitation_form);
    assert_false(c.elicitation_url);
    assert_true(c.session_notices && c.boolean_options);
    assert_false(c.session_compaction || c.plan_operations);
    assert_true(client_has_subagent_sessions(&c));
    assert_false(client_has_air_subagents(&c));
    assert_false(client_keeps_meta(&c));
}

static void test_who_takes_the_sign_in_state(void **state)
{
    static const struct {
        const char *declared;
        bool takes;
    } cases[] = {
        {"{}", false},
        {"{\"_meta\":{\"authStatus\":{}}}", true},
        {"{\"_meta\":{\"authStatus\":true}}", true},
        {"{\"authStatus\":{}}", true},
        {"{\"_meta\":{\"authStatus\":false}}", false},
        {"{\"_meta\":{\"authStatus\":null}}", false},
        {"{\"_meta\":{\"authStatus\":\"yes\"}}", false},
        {"{\"_meta\":{\"jetbrains\":{\"air\":{}}}}", true},
        {"{\"_meta\":{\"jetbrains\":{}}}", false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        for (int version = 1; version <= 2; version++) {
            struct client_capabilities c = read_as(version, version, cases[i].declared);
            assert_int_equal(client_takes_auth_status(&c), cases[i].takes);
        }
    }
}

static void test_forms_of_subagents(void **state)
{
    (void)state;
    struct client_capabilities c = read("{\"subagents\":[],\"_meta\":{\"jetbrains\":{\"air\":{}}}}");
    assert_false(client_has_subagent_sessions(&c));
    c = read("{\"subagents\":{},\"_meta\":{\"jetbrains\":{\"air\":{}}}}");
    assert_true(client_has_subagent_sessions(&c) && client_has_air_subagents(&c));
    c.protocol_version = 2;
    assert_true(client_has_subagent_sessions(&c));
    assert_false(client_has_air_subagents(&c));
}

static void test_a_bad_part_does_not_disturb_its_neighbours(void **state)
{
    (void)state;
    struct client_capabilities c =
        read("{\"auth\":\"y\",\"elicitation\":7,\"session\":[],\"_meta\":{\"terminal_output\":true}}");
    assert_true(c.terminal_output);
    assert_false(c.auth_terminal || c.elicitation_form || c.session_notices);
}

static void test_every_v2_client_has_what_v2_brings(void **state)
{
    (void)state;
    struct client_capabilities c = read_as(2, 2, "{}");
    assert_true(c.boolean_options && c.session_notices && c.session_compaction && c.plan_operations &&
                c.subagents_field);
    assert_false(c.auth_terminal || c.elicitation_form || c.air);
    c = read_as(
        2, 2,
        "{\"auth\":{\"terminal\":{}},\"_meta\":{\"jetbrains\":{\"air\":{\"version\":1,\"capabilities\":["
        "\"asyncTasks\",\"nativeSubagentSessions\",\"planFile\"]}}}}");
    assert_true(c.auth_terminal && c.air && c.air_plan_file);
    assert_false(c.air_async_tasks || c.air_native_subagents); /* forms of v1 */
    assert_false(read_as(2, 2, "{\"auth\":{\"terminal\":true}}").auth_terminal);
}

static void test_a_v2_client_that_is_spoken_to_in_v1(void **state)
{
    (void)state;
    struct client_capabilities c =
        read_as(1, 2,
                "{\"auth\":{\"terminal\":{}},\"elicitation\":{\"form\":{}},\"session\":{\"notices\":{}}}");
    assert_int_equal(c.protocol_version, 1);
    assert_true(c.auth_terminal && c.elicitation_form && c.boolean_options && c.plan_operations);
    assert_false(c.session_notices || c.session_compaction || c.subagents_field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_object_makes_the_client_air),
        cmocka_unit_test(test_capabilities_need_a_version_and_the_exact_name),
        cmocka_unit_test(test_flags_are_exact),
        cmocka_unit_test(test_who_takes_the_sign_in_state),
        cmocka_unit_test(test_forms_of_subagents),
        cmocka_unit_test(test_a_bad_part_does_not_disturb_its_neighbours),
        cmocka_unit_test(test_every_v2_client_has_what_v2_brings),
        cmocka_unit_test(test_a_v2_client_that_is_spoken_to_in_v1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
