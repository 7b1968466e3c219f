/* Which choices a question has, by tool. */
#include "permission/web_host.h"
#include "permission_fixture.h"

#define BASH_RULE(content) "{\"toolName\":\"Bash\",\"ruleContent\":\"" content "\"}"
#define READ_RULE(content) "{\"toolName\":\"Read\",\"ruleContent\":\"" content "\"}"
#define ADD(rules, destination)                                                                              \
    "{\"type\":\"addRules\",\"rules\":[" rules "],\"behavior\":\"allow\",\"destination\":\"" destination "\"}"
#define LOCAL(rules)   ADD(rules, "localSettings")
#define SESSION(rules) ADD(rules, "session")
#define DIRS(list)     "{\"type\":\"addDirectories\",\"directories\":[" list "],\"destination\":\"session\"}"
#define MODE(mode)     "{\"type\":\"setMode\",\"mode\":\"" mode "\",\"destination\":\"session\"}"

static void shell(const char *suggestions, const char *expected)
{
    check_lasting("Bash", "{\"command\":\"c\"}", suggestions, expected);
}

static void test_shell_labels(void **state)
{
    (void)state;
    shell("[" LOCAL(BASH_RULE("npm test *")) "]", "Yes, and don't ask again for npm test * commands");
    shell("[" LOCAL(BASH_RULE("npm run *") "," BASH_RULE("cargo test *")) "]",
          "Yes, and don't ask again for npm run * and cargo test * commands");
    shell("[" LOCAL(BASH_RULE("curl http://x.test")) "," LOCAL(BASH_RULE("sh")) "]",
          "Yes, and don't ask again for curl http://x.test and sh commands");
    shell("[" LOCAL(BASH_RULE("a:*") "," BASH_RULE("b") "," BASH_RULE("c") "," BASH_RULE("a")) "]",
          "Yes, and don't ask again for a, b, and c commands");
    shell("[" LOCAL(BASH_RULE("a-command-that-is-too-long-for-the-name-of-a-choice *")) "]",
          "Yes, and don't ask again for similar commands");
    shell("[" LOCAL(BASH_RULE("echo made *")) "," DIRS("\"/home/u/ws\"") "]",
          "Yes, and allow access to ws/ and echo made * commands");
    shell("[" LOCAL(BASH_RULE("ls /etc")) "," SESSION(READ_RULE("//etc/**")) "]",
          "Yes, and allow access to etc/ and ls /etc commands");
    shell("[" LOCAL(READ_RULE("//etc/**") "," BASH_RULE("rm foo.txt")) "]",
          "Yes, and allow access to etc/ and rm foo.txt commands");
    shell("[" DIRS("\"/a/x\"") "," LOCAL(BASH_RULE("b") "," BASH_RULE("c")) "]",
          "Yes, and allow x/ access and b and c commands");
    shell("[" SESSION(READ_RULE("//etc/**") "," READ_RULE("//usr/share/doc/**")) "]",
          "Yes, allow reading from etc/ and doc/ from this project");
    shell("[" DIRS("\"/a/src\",\"/b/src\",\"/c/lib\"") "]",
          "Yes, and always allow access to a/src/, b/src/ and 1 more from this project");
    shell("[" SESSION(READ_RULE("//r/**")) "," DIRS("\"/d\"") "]",
          "Yes, and always allow access to d/ and r/ from this project");
    check_lasting("PowerShell", "{}", "[" LOCAL("{\"toolName\":\"PowerShell\",\"ruleContent\":\"dir\"}") "]",
                  "Yes, and don't ask again for dir commands");
}

/* The label must tell the whole effect, or there is no choice. */
static void test_shell_bundles_that_cannot_be_labelled(void **state)
{
    (void)state;
    static const char *const bundles[] = {
        NULL,
        "null",
        "[]",
        "[" LOCAL(BASH_RULE("mkdir x")) "," DIRS("\"/a\"") "," MODE("acceptEdits") "]",
        "[" LOCAL("{\"toolName\":\"Bash\"}") "]",
        "[" LOCAL(BASH_RULE("a") ",{\"toolName\":\"Bash\"}") "]",
        "[" LOCAL(BASH_RULE("a") ",{\"toolName\":\"Edit\",\"ruleContent\":\"/x\"}") "]",
        "[" LOCAL("{\"toolName\":\"PowerShell\",\"ruleContent\":\"a\"}") "]",
        "[" LOCAL("{\"toolName\":\"Read\"}") "]",
        "[{\"type\":\"addRules\",\"rules\":[" BASH_RULE(
            "a") "],\"behavior\":\"deny\",\"destination\":\"session\"}]",
        "[{\"type\":\"removeRules\",\"rules\":[" BASH_RULE(
            "a") "],\"behavior\":\"allow\",\"destination\":\"session\"}]",
        "[{\"type\":\"replaceRules\",\"rules\":[],\"behavior\":\"allow\",\"destination\":\"session\"}]",
        "[{\"type\":\"addDirectories\",\"directories\":[\"/a\"],\"destination\":\"localSettings\"}]",
        "[" LOCAL(BASH_RULE("a")) ",{\"type\":\"grantAll\",\"destination\":\"session\"}]",
        "[" LOCAL(BASH_RULE(":*")) "]",
        "[" LOCAL(BASH_RULE("a") "," READ_RULE("/**")) "]",
        "[" LOCAL(BASH_RULE("safe\\u202e* fr- mr")) "]",
        "[" LOCAL(BASH_RULE("ls\\u2066") "," BASH_RULE("b")) "]",
        "[" LOCAL(BASH_RULE("ls\\nrm -rf *")) "]",
        "[" LOCAL(BASH_RULE("ls\\u200b")) "]",
        "[" LOCAL(BASH_RULE("ls\\ud800")) "]",
        /* hidden in what the label only calls "similar" */
        "[" LOCAL(BASH_RULE("a-command-that-is-too-long-for-the-name-of-a-choice \\u202e")) "]",
        "[" DIRS("\"/a/\\u200f\"") "]",
    };
    for (size_t i = 0; i < ARRAY_LEN(bundles); i++) {
        shell(bundles[i], "(none)");
    }
    check_options("Bash", "{\"command\":\"c\"}", bundles[3], NULL, "allow-once=Yes|reject=No");
}

static void test_no_lasting_choice_when_the_cli_forbids_it(void **state)
{
    (void)state;
    static const char *const flags[] = {
        ",\"matched_ask_rule\":{\"source\":\"userSettings\",\"tool_name\":\"Bash\"}",
        ",\"suppress_always_allow_rule\":true",
    };
    static const struct {
        const char *tool, *input, *suggestions;
    } rows[] = {
        {"Bash", "{}", "[" LOCAL(BASH_RULE("a")) "]"},
        {"Read", "{\"file_path\":\"/home/u/ws/a\"}", "[" SESSION("{\"toolName\":\"Read\"}") "]"},
        {"Write", "{\"file_path\":\"/home/u/ws/a\"}", "[" MODE("acceptEdits") "]"},
        {"WebFetch", "{\"url\":\"https://example.com\"}", NULL},
        {"Skill", "{\"skill\":\"a b\"}", NULL},
        {"WebSearch", "{}", NULL},
        {"mcp__s__t", "{}", "[" LOCAL("{\"toolName\":\"mcp__s__t\"}") "]"},
        {"mcp__computer-use__t", "{}", "[" LOCAL("{\"toolName\":\"mcp__computer-use__t\"}") "]"},
        {"SandboxNetworkAccess", "{\"host\":\"h\"}",
         "[" LOCAL("{\"toolName\":\"SandboxNetworkAccess\",\"ruleContent\":\"h\"}") "]"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (size_t k = 0; k < ARRAY_LEN(flags); k++) {
            check_options(rows[i].tool, rows[i].input, rows[i].suggestions, flags[k],
                          "allow-once=Yes|reject=No");
        }
        struct permission_offer *o =
            test_offer(rows[i].tool, rows[i].input, rows[i].suggestions,
                       ",\"matched_ask_rule\":null,\"suppress_always_allow_rule\":1");
        AUTO_BUF(options);
        test_options(o, &options);
        assert_true(str_starts(buf_str(&options), STR("allow-once=Yes|allow-")));
        permission_offer_free(o);
    }
}

static void test_read_grants(void **state)
{
    (void)state;
    static const char etc[] = "[" SESSION(READ_RULE("//etc/**")) "]";
    check_lasting("Read", "{\"file_path\":\"/etc/hosts\"}", etc,
                  "Yes, allow reading from etc/ during this session");
    check_lasting("Read", "{\"file_path\":\" /etc/ssl/certs/x \"}", etc,
                  "Yes, allow reading from certs/ during this session");
    check_lasting("Read", "{\"file_path\":\"/etcetera/x\"}", etc, "(none)");
    check_lasting("Read", "{\"file_path\":\"/etc/../root/x\"}", etc, "(none)");
    check_lasting("Read", "{}", etc, "(none)");
    check_lasting("Read", "{\"file_path\":\" \"}", etc, "(none)");
    check_lasting("Read", "{\"file_path\":7}", etc, "(none)");
    check_lasting("Grep", "{\"path\":\"/etc/apt\"}", "[" SESSION(READ_RULE("//etc/apt/**")) "]",
                  "Yes, allow reading from etc/ during this session");
    check_lasting("Glob", "{}", "[" SESSION(READ_RULE("//home/u/ws/**")) "]", "Yes, during this session");
    check_lasting("Read", "{\"file_path\":\"src/a.c\"}", "[" SESSION(READ_RULE("src/**")) "]",
                  "Yes, during this session");
    check_lasting("Read", "{\"file_path\":\"..a\"}", "[" SESSION("{\"toolName\":\"Read\"}") "]",
                  "Yes, during this session");
    check_lasting("Read", "{}", "[" SESSION("{\"toolName\":\"Read\"}") "]", "Yes, during this session");
    check_lasting("Read", "{\"file_path\":\"/x\"}", "[" SESSION("{\"toolName\":\"Read\"}") "]",
                  "Yes, allow reading from this directory/ during this session");
    check_lasting("Read", "{\"file_path\":\"/home/u/x\"}", "[" SESSION(READ_RULE("~/**")) "]", "(none)");
    check_lasting("Read", "{\"file_path\":\"/etc/hosts\"}", "[" LOCAL(READ_RULE("//etc/**")) "]", "(none)");
    check_lasting("Read", "{\"file_path\":\"/etc/hosts\"}", "[" DIRS("\"/etc\"") "]", "(none)");
    check_lasting("Read", "{\"file_path\":\"/home/u/ws/a\"}", "[" MODE("acceptEdits") "]", "(none)");
    check_lasting("Read", "{\"file_path\":\"/etc/hosts\"}",
                  "[" SESSION(READ_RULE("//etc/**") ",{\"toolName\":\"Edit\"}") "]", "(none)");
    check_lasting("Read", "{\"file_path\":\"/e\\u202ed/hosts\"}", "[" SESSION("{\"toolName\":\"Read\"}") "]",
                  "(none)");
}

static void test_write_grants(void **state)
{
    (void)state;
    static const char accept[] = "[" MODE("acceptEdits") "]";
    static const char outside[] = "[" MODE("acceptEdits") "," DIRS("\"/opt/p\"") "]";
    static const char in_ws[] = "{\"file_path\":\"/home/u/ws/a\"}";
    check_lasting("Edit", in_ws, accept, "Yes, allow all edits during this session");
    check_lasting("Write", "{\"file_path\":\"a\"}", accept, "Yes, allow all edits during this session");
    check_lasting("NotebookEdit", "{\"notebook_path\":\"/home/u/ws/n\"}", accept,
                  "Yes, allow all edits during this session");
    check_lasting("Write", "{}", accept, "Yes, allow all edits during this session");
    check_lasting("Write", "{\"file_path\":\"/opt/p/f\"}", outside,
                  "Yes, allow all edits in p/ during this session");
    check_lasting("Write", "{}", "[" DIRS("\"/opt/p\"") "]", "(none)");
    check_lasting("Write", in_ws, "[" DIRS("\"/opt/p\"") "]", "(none)");
    check_lasting("Write", in_ws, "[" DIRS("\"/home\"") "]", "Yes, allow all edits during this session");
    check_lasting("Write", in_ws, "[" MODE("bypassPermissions") "]", "(none)");
    check_lasting("Write", in_ws, "[" MODE("acceptEdits") "," MODE("auto") "]", "(none)");
    check_lasting("Write", in_ws,
                  "[{\"type\":\"setMode\",\"mode\":\"acceptEdits\",\"destination\":\"userSettings\"}]",
                  "(none)");
    check_lasting("Write", in_ws, "[" MODE("acceptEdits") "," SESSION(READ_RULE("//x/**")) "]", "(none)");
    check_lasting("Write", in_ws,
                  "[{\"type\":\"removeDirectories\",\"directories\":[\"/x\"],\"destination\":\"session\"}]",
                  "(none)");
}

static void test_claude_settings(void **state)
{
    (void)state;
    static const char settings[] = "{\"file_path\":\"/home/u/ws/.claude/settings.json\"}";
    static const char own[] = "Yes, and allow Claude to edit its own settings for this session";
    check_lasting("Write", settings, "[" MODE("acceptEdits") "]", "(none)");
    check_lasting("Write", "{\"file_path\":\"/home/u/.claude/x\"}", "[" MODE("acceptEdits") "]", "(none)");
    check_lasting("Write", "{\"file_path\":\"/home/u/ws/.claude\"}", "[" MODE("acceptEdits") "]", "(none)");
    check_lasting("Write", "{\"file_path\":\"/home/u/ws/.claudex\"}", "[" MODE("acceptEdits") "]",
                  "Yes, allow all edits during this session");
    check_lasting("Write", settings,
                  "[" SESSION("{\"toolName\":\"Edit\",\"ruleContent\":\"//home/u/ws/.claude/**\"}") "]", own);
    check_lasting("Edit", settings, "[" SESSION("{\"toolName\":\"Edit\"}") "]", own);
    check_lasting("Write", settings, "[" DIRS("\"/home/u/ws/.claude\"") "]",
                  "Yes, allow all edits during this session");
    /* a project-relative rule as the CLI writes it covers nothing here */
    check_lasting("Write", "{\"file_path\":\"/home/u/ws/.claude/skills/foo/SKILL.md\"}",
                  "[" SESSION("{\"toolName\":\"Edit\",\"ruleContent\":\"/.claude/skills/foo/**\"}") "]",
                  "(none)");
}

static void test_web_hosts(void **state)
{
    (void)state;
    static const struct {
        const char *url, *host;
    } rows[] = {
        {"http://User@H.Example:8080/x y", "h.example"},
        {"https://example.com", "example.com"},
        {"  HTTPS://EXAMPLE.COM?q#f", "example.com"},
        {"http://a:b@c.test/", "c.test"},
        {"http://a@b@c.test/", "c.test"},
        {"http://h_1-.test./", "h_1-.test."},
        {"http://127.0.0.1/x", "127.0.0.1"},
        {"http://[2001:0DB8:0:0::0:1]:80/", "[2001:db8::1]"},
        {"http://[::]/", "[::]"},
        {"http://[1:0:0:2:0:0:0:3]/", "[1:0:0:2::3]"},
        {"http://[1::]/", "[1::]"},
        {"http://[1:0:2:3:4:5:6:7]/", "[1:0:2:3:4:5:6:7]"},
        {"http://[::ffff:1.2.3.4]/", "[::ffff:102:304]"},
        {"http://h:/", "h"},
        {"not a url", NULL},
        {"", NULL},
        {"http://", NULL},
        {"http:///x", NULL},
        {"http:example.com", NULL},
        {"file:///etc/passwd", NULL},
        {"javascript://h/%0aalert(1)", NULL},
        {"http://h.test:65536/", NULL},
        {"http://h.test:8x/", NULL},
        {"http://good.test\\@evil.test/", NULL},
        {"http://good.test\t.evil.test/", NULL},
        {"http://good test/", NULL},
        {"http://ex%61mple.com/", NULL},
        {"http://ex\xC3\xA4mple.com/", NULL},
        {"http://xn--exmple-cua.com/", NULL},
        {"http://a..b/", NULL},
        {"http://.a/", NULL},
        {"http://0x7f.1/", NULL},
        {"http://1/", NULL},
        {"http://1.2.3.4./", NULL},
        {"http://1.2.3/", NULL},
        {"http://a.0x10/", NULL},
        {"http://01.2.3.4/", NULL},
        {"http://256.2.3.4/", NULL},
        {"http://a*b/", NULL},
        {"http://[::1/", NULL},
        {"http://[::1]x/", NULL},
        {"http://[::1%25eth0]/", NULL},
        {"http://[]/", NULL},
        {"http://u@/", NULL},
    };
    AUTO_ARENA(a);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_str(web_host(&a, str_of(rows[i].url)), rows[i].host ? rows[i].host : "(absent)");
    }
    assert_false(str_present(web_host(&a, STR("http://a\0b/"))));
    assert_false(str_present(web_host(&a, STR_ABSENT)));
}

static void test_web_fetch(void **state)
{
    (void)state;
    check_options("WebFetch", "{\"url\":\"http://User@H.Example:8080/x y\"}", NULL, NULL,
                  "allow-once=Yes|allow-with-updates=Yes, and don't ask again for h.example|reject=No");
    check_options("WebFetch", "{\"url\":\"not a url\"}", "[" LOCAL("{\"toolName\":\"WebFetch\"}") "]", NULL,
                  "allow-once=Yes|reject=No");
    check_options("WebFetch", "{\"url\":[\"http://h.test\"]}", NULL, NULL, "allow-once=Yes|reject=No");
}

static void test_skill(void **state)
{
    (void)state;
    check_options("Skill", "{\"skill\":\" demo \",\"args\":\"a b\"}", NULL, NULL,
                  "allow-once=Yes|allow-skill-exact=Yes, and don't ask again for demo|reject=No");
    check_options("Skill", "{\"skill\":\"demo one two\"}", NULL, NULL,
                  "allow-once=Yes|allow-skill-exact=Yes, and don't ask again for demo one two|"
                  "allow-skill-prefix=Yes, and don't ask again for demo:* commands|reject=No");
    check_options("Skill", "{\"skill\":\"a\\u00a0b\"}", NULL, NULL,
                  "allow-once=Yes|allow-skill-exact=Yes, and don't ask again for a\xC2\xA0"
                  "b|reject=No");
    check_options("Skill", "{\"skill\":\"  \"}", NULL, NULL, "allow-once=Yes|reject=No");
    check_options("Skill", "{}", NULL, NULL, "allow-once=Yes|reject=No");
    check_options("Skill", "{\"skill\":\"a \\u202eb\"}", NULL, NULL, "allow-once=Yes|reject=No");
}

static void test_enter_plan_mode(void **state)
{
    (void)state;
    check_options("EnterPlanMode", "{}", "[" LOCAL("{\"toolName\":\"EnterPlanMode\"}") "]", NULL,
                  "allow-once=Yes, enter plan mode|reject=No, start implementing now");
}

static void test_sandbox_network(void **state)
{
    (void)state;
#define NETWORK(content) "{\"toolName\":\"SandboxNetworkAccess\",\"ruleContent\":\"" content "\"}"
    static const char host[] = "{\"host\":\" h.test \"}";
    check_lasting("SandboxNetworkAccess", host, "[" LOCAL(NETWORK(" h.test")) "]",
                  "Yes, and don't ask again for h.test");
    check_lasting("SandboxNetworkAccess", host, "[" LOCAL(NETWORK("h.tes")) "]", "(none)");
    check_lasting("SandboxNetworkAccess", host, "[" LOCAL(NETWORK("*")) "]", "(none)");
    check_lasting("SandboxNetworkAccess", host, "[" SESSION(NETWORK("h.test")) "]", "(none)");
    check_lasting("SandboxNetworkAccess", host, "[" LOCAL(NETWORK("h.test") "," NETWORK("h.test")) "]",
                  "(none)");
    check_lasting("SandboxNetworkAccess", host, "[" LOCAL(NETWORK("h.test")) "," LOCAL(NETWORK("h.test")) "]",
                  "(none)");
    check_lasting("SandboxNetworkAccess", host,
                  "[" LOCAL("{\"toolName\":\"Bash\",\"ruleContent\":\"h.test\"}") "]", "(none)");
    check_lasting("SandboxNetworkAccess", host, "[" LOCAL("{\"toolName\":\"SandboxNetworkAccess\"}") "]",
                  "(none)");
    check_lasting("SandboxNetworkAccess", "{}", "[" LOCAL(NETWORK("h.test")) "]", "(none)");
    check_lasting("SandboxNetworkAccess", "{\"host\":\"a\\u202eb\"}", "[" LOCAL(NETWORK("a\\u202eb")) "]",
                  "(none)");
}

static void test_mcp(void **state)
{
    (void)state;
#define PING "{\"toolName\":\"mcp__srv__ping\"}"
    check_options("mcp__srv__ping", "{}", "[" LOCAL(PING) "]", ",\"display_name\":\" Ping \"",
                  "allow-once=Yes|allow-with-updates=Yes, and don't ask again for Ping commands|reject=No");
    check_lasting("mcp__srv__ping", "{}", "[" SESSION(PING "," PING) "," LOCAL(PING) "]",
                  "Yes, and don't ask again for mcp__srv__ping commands");
    check_options("mcp__srv__ping", "{}", "[" LOCAL(PING) "]", ",\"display_name\":\"Pi\\u202eng\"",
                  "allow-once=Yes|reject=No");
    check_lasting("mcp__srv__ping", "{}", NULL, "(none)");
    check_lasting("mcp__srv__ping", "{}", "[" LOCAL("{\"toolName\":\"mcp__srv\"}") "]", "(none)");
    check_lasting("mcp__srv__ping", "{}", "[" LOCAL(PING ",{\"toolName\":\"Bash\"}") "]", "(none)");
    check_lasting("mcp__srv__ping", "{}",
                  "[" LOCAL("{\"toolName\":\"mcp__srv__ping\",\"ruleContent\":\"x\"}") "]", "(none)");
    check_lasting("mcp__srv__ping", "{}", "[" LOCAL(PING) "," MODE("acceptEdits") "]", "(none)");
    check_lasting(
        "mcp__srv__ping", "{}",
        "[{\"type\":\"replaceRules\",\"rules\":[],\"behavior\":\"allow\",\"destination\":\"session\"}]",
        "(none)");
    check_options("mcp__computer-use__click", "{}",
                  "[" SESSION("{\"toolName\":\"mcp__computer-use__click\"}") "]",
                  ",\"display_name\":\"Click\"",
                  "allow-once=Yes|allow-with-updates=Yes, and don't ask again for Click|reject=No");
}

static void test_fallback(void **state)
{
    (void)state;
    static const char *const tools[] = {"WebSearch",  "Agent",          "Task",      "Monitor",
                                        "Workflow",   "ReviewArtifact", "TodoWrite", "bash",
                                        "TaskCreate", "mcp_single",     "Unknown!"};
    for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
        AUTO_BUF(expected);
        buf_printf(&expected, "Yes, and don't ask again for %s commands", tools[i]);
        check_lasting(tools[i], "{}", "[{\"type\":\"nonsense\"}]", buf_c(&expected));
    }
    check_options("WebSearch", "{}", NULL, ",\"display_name\":\"Web \\u2067search\"",
                  "allow-once=Yes|reject=No");
    check_options("Evil\\u202e", "{}", NULL, ",\"display_name\":\"Read\"", "allow-once=Yes|reject=No");
    check_options("AskUserQuestion", "{}", NULL, NULL, "allow-once=Yes|reject=No");
}

static void plan_options(const struct permission_setting *at, const char *input, const char *expected)
{
    struct json_doc *request = test_request("ExitPlanMode", input, NULL, NULL);
    struct permission_offer *o = test_offer_at(request, at);
    AUTO_BUF(options);
    test_options(o, &options);
    assert_str(buf_str(&options), expected);
    permission_offer_free(o);
    json_unref(request);
}

static void test_exit_plan_mode(void **state)
{
    (void)state;
    struct permission_setting at = test_setting;
    plan_options(&at, "{\"plan\":\" do it \"}",
                 "exit-plan-default=Yes, manually approve edits|"
                 "exit-plan-clear-auto=Yes, clear context (0% used) and use auto mode|"
                 "exit-plan-auto=Yes, and use auto mode|reject=No, keep planning");
    static const char without_plan[] = "exit-plan-default=Yes, manually approve edits|"
                                       "exit-plan-auto=Yes, and use auto mode|reject=No, keep planning";
    plan_options(&at, "{}", without_plan);
    plan_options(&at, "{\"plan\":\" \\n\"}", without_plan);
    plan_options(&at, "{\"plan\":[\"x\"]}", without_plan);
    at.bypass_offered = true; /* one elevated mode, by priority */
    plan_options(&at, "{}", without_plan);
    at.auto_offered = false;
    at.context_used = 101000;
    plan_options(&at, "{\"plan\":\"p\"}",
                 "exit-plan-default=Yes, manually approve edits|"
                 "exit-plan-clear-bypass=Yes, clear context (51% used) and bypass permissions|"
                 "exit-plan-bypass=Yes, and bypass permissions|reject=No, keep planning");
    at.bypass_offered = false;
    at.context_used = 1e300;
    plan_options(&at, "{\"plan\":\"p\"}",
                 "exit-plan-default=Yes, manually approve edits|"
                 "exit-plan-clear-accept-edits=Yes, clear context (100% used) and auto-accept edits|"
                 "exit-plan-accept-edits=Yes, auto-accept edits|reject=No, keep planning");
}

static void test_context_figures(void **state)
{
    (void)state;
    static const struct {
        bool known;
        double used, size;
        const char *text;
    } rows[] = {
        {false, 50, 100, ""},
        {true, 50, 0, ""},
        {true, 50, -1, ""},
        {true, 1, 200, " (1% used)"},
        {true, 0.99, 200, " (0% used)"},
        {true, 99.5, 100, " (100% used)"},
        {true, -5, 100, " (0% used)"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct permission_setting at = test_setting;
        at.usage_known = rows[i].known;
        at.context_used = rows[i].used;
        at.context_size = rows[i].size;
        struct json_doc *request = test_request("ExitPlanMode", "{\"plan\":\"p\"}", NULL, NULL);
        struct permission_offer *o = test_offer_at(request, &at);
        AUTO_BUF(name);
        AUTO_BUF(expected);
        test_option_name(o, "exit-plan-clear-auto", &name);
        buf_printf(&expected, "Yes, clear context%s and use auto mode", rows[i].text);
        assert_str(buf_str(&name), buf_c(&expected));
        permission_offer_free(o);
        json_unref(request);
    }
}

static void test_order(void **state)
{
    (void)state;
    check_options("Bash", "{}", "[" LOCAL(BASH_RULE("a")) "]", ",\"default_to_no\":true",
                  "reject=No|allow-once=Yes|allow-with-updates=Yes, and don't ask again for a commands");
    check_options("Bash", "{}", "[" LOCAL(BASH_RULE("a")) "]", ",\"default_to_no\":1",
                  "allow-once=Yes|allow-with-updates=Yes, and don't ask again for a commands|reject=No");
    check_options("ExitPlanMode", "{\"plan\":\"p\"}", NULL, ",\"default_to_no\":true",
                  "reject=No, keep planning|exit-plan-default=Yes, manually approve edits|"
                  "exit-plan-clear-auto=Yes, clear context (0% used) and use auto mode|"
                  "exit-plan-auto=Yes, and use auto mode");
}

static void test_kinds(void **state)
{
    (void)state;
    struct permission_offer *o = test_offer("Skill", "{\"skill\":\"a b\"}", NULL, NULL);
    AUTO_BUF(b);
    permission_offer_put_options(&b, o);
    assert_str(
        buf_str(&b),
        "[{\"optionId\":\"allow-once\",\"name\":\"Yes\",\"kind\":\"allow_once\"},"
        "{\"optionId\":\"allow-skill-exact\",\"name\":\"Yes, and don't ask again for a "
        "b\",\"kind\":\"allow_always\"},"
        "{\"optionId\":\"allow-skill-prefix\",\"name\":\"Yes, and don't ask again for a:* commands\","
        "\"kind\":\"allow_always\"},{\"optionId\":\"reject\",\"name\":\"No\",\"kind\":\"reject_once\"}]");
    permission_offer_free(o);
    buf_clear(&b);
    o = test_offer("ExitPlanMode", "{}", NULL, NULL);
    permission_offer_put_options(&b, o);
    assert_str(
        buf_str(&b),
        "[{\"optionId\":\"exit-plan-default\",\"name\":\"Yes, manually approve "
        "edits\",\"kind\":\"allow_once\"},"
        "{\"optionId\":\"exit-plan-auto\",\"name\":\"Yes, and use auto mode\",\"kind\":\"allow_always\"},"
        "{\"optionId\":\"reject\",\"name\":\"No, keep planning\",\"kind\":\"reject_once\"}]");
    permission_offer_free(o);
}

static void test_question_needs_a_tool_and_an_id(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{}",
        "[]",
        "7",
        "{\"tool_name\":\"Bash\"}",
        "{\"tool_use_id\":\"t\"}",
        "{\"tool_name\":\"\",\"tool_use_id\":\"t\"}",
        "{\"tool_name\":\"Bash\",\"tool_use_id\":7}",
        "{\"tool_name\":[\"Bash\"],\"tool_use_id\":\"t\"}",
    };
    struct permission_question q;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct json_doc *doc = parse_or_fail(bad[i]);
        assert_false(permission_question_read(&q, json_root(doc)));
        json_unref(doc);
    }
    AUTO_JSON(odd) =
        parse_or_fail("{\"tool_name\":\"Bash\",\"tool_use_id\":\"t\",\"input\":[1],\"mcp_server\":\"s\","
                      "\"display_name\":7,\"decision_reason\":{},\"blocked_path\":true,"
                      "\"default_to_no\":\"true\",\"suppress_always_allow_rule\":\"x\"}");
    assert_true(permission_question_read(&q, json_root(odd)));
    assert_false(json_present(q.input));
    assert_false(json_present(q.mcp_server));
    assert_false(str_present(q.display_name));
    assert_false(str_present(q.decision_reason));
    assert_false(str_present(q.blocked_path));
    assert_false(q.default_to_no || q.suppress_lasting || q.matched_ask_rule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shell_labels),
        cmocka_unit_test(test_shell_bundles_that_cannot_be_labelled),
        cmocka_unit_test(test_no_lasting_choice_when_the_cli_forbids_it),
        cmocka_unit_test(test_read_grants),
        cmocka_unit_test(test_write_grants),
        cmocka_unit_test(test_claude_settings),
        cmocka_unit_test(test_web_hosts),
        cmocka_unit_test(test_web_fetch),
        cmocka_unit_test(test_skill),
        cmocka_unit_test(test_enter_plan_mode),
        cmocka_unit_test(test_sandbox_network),
        cmocka_unit_test(test_mcp),
        cmocka_unit_test(test_fallback),
        cmocka_unit_test(test_exit_plan_mode),
        cmocka_unit_test(test_context_figures),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_question_needs_a_tool_and_an_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
