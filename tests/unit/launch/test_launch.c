#include "launch/launch.h"
#include "session_fixture.h"

#define FRAMING "--output-format stream-json --verbose --input-format stream-json "

struct fixture {
    struct arena a;
    struct settings *settings;
    struct client_capabilities client;
    struct json_doc *meta, *servers, *folders;
    struct session_params params;
    struct launch_request rq;
    struct launch out;
    struct buf line;
    const char *env[16];
};

static void begin(struct fixture *f, const char *settings, const char *meta)
{
    *f = (struct fixture){.a = ARENA_INIT};
    f->settings = settings_of(settings);
    f->meta = parse_or_fail(meta);
    f->params = (struct session_params){.cwd = STR("/tmp"), .meta = json_root(f->meta)};
    f->client.protocol_version = 1;
    f->client.elicitation_form = true;
    f->env[0] = "PATH=/bin";
    f->rq = (struct launch_request){
        .params = &f->params,
        .client = &f->client,
        .settings = f->settings,
        .env = f->env,
        .session_id = STR("S"),
        .mode = MODE_NONE,
    };
}

static void end(struct fixture *f)
{
    settings_free(f->settings);
    json_unref(f->meta);
    json_unref(f->servers);
    json_unref(f->folders);
    buf_free(&f->line);
    arena_free(&f->a);
}

/* The arguments, joined with blanks. */
static const char *line(struct fixture *f)
{
    assert_null(launch_build(&f->a, &f->rq, &f->out));
    assert_true(arena_ok(&f->a));
    buf_clear(&f->line);
    for (const char *const *arg = f->out.argv; *arg; arg++) {
        buf_put_c(&f->line, f->line.n ? " " : "");
        buf_put_c(&f->line, *arg);
    }
    return buf_c(&f->line);
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("no %s in %s", part, text);
    }
}

/* The line of `_meta.claudeCode.options` as given has this part. */
static void assert_option(const char *options, const char *part)
{
    struct fixture f;
    AUTO_BUF(b);

    buf_printf(&b, "{\"claudeCode\":{\"options\":%s}}", options);
    begin(&f, "{}", buf_c(&b));
    assert_has(line(&f), part);
    end(&f);
}

static void the_plain_line(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f, "{}", "{}");
    assert_string_equal(
        line(&f),
        FRAMING "--permission-prompt-tool=stdio --tools=default --setting-sources=user,project,local "
                "--permission-mode=default --allow-dangerously-skip-permissions --include-partial-messages "
                "--session-id=S --replay-user-messages");
    assert_str(f.out.initialize,
               "\"hooks\":{\"PostToolUse\":[{\"hookCallbackIds\":[\"hook_0\"]}],"
               "\"PostToolUseFailure\":[{\"hookCallbackIds\":[\"hook_1\"]}],"
               "\"PostModelSwitch\":[{\"hookCallbackIds\":[\"hook_2\"]}],"
               "\"PostCompact\":[{\"hookCallbackIds\":[\"hook_3\"]}],"
               "\"TaskCreated\":[{\"hookCallbackIds\":[\"hook_4\"]}],"
               "\"TaskCompleted\":[{\"hookCallbackIds\":[\"hook_5\"]}]},"
               "\"forwardSubagentText\":false,\"supportedDialogKinds\":[\"refusal_fallback_prompt\"]");
    assert_false(str_present(f.out.settings));
    f.client.air = f.client.air_diff_patch = true;
    (void)line(&f);
    assert_has(f.out.initialize.p, "{\"PreToolUse\":[{\"matcher\":\"Edit|Write\"");
    f.client.air = f.client.air_diff_patch = false;
    f.client.elicitation_form = false;
    f.client.protocol_version = 2;
    f.rq.resume_id = STR("R");
    f.rq.session_id = STR_ABSENT;
    assert_string_equal(
        line(&f),
        FRAMING "--permission-prompt-tool=stdio --resume=R --disallowedTools=AskUserQuestion --tools=default "
                "--setting-sources=user,project,local --permission-mode=default "
                "--allow-dangerously-skip-permissions --include-partial-messages --replay-user-messages");
    assert_has(f.out.initialize.p,
               "{\"PreToolUse\":[{\"matcher\":\"Edit|Write\",\"hookCallbackIds\":[\"hook_0\"]}],"
               "\"PostToolUse\":[{\"hookCallbackIds\":[\"hook_1\"]}]");
    f.rq.session_id = STR("N");
    f.rq.fork = true;
    assert_has(line(&f), "--include-partial-messages --fork-session --session-id=N");
    end(&f);
}

static void all_options_in_order(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f, "{}",
          "{\"claudeCode\":{\"options\":{\"thinking\":{\"type\":\"enabled\",\"budgetTokens\":5,\"display\":"
          "\"d\"},"
          "\"effort\":\"low\",\"maxTurns\":7,\"maxBudgetUsd\":1.50,\"taskBudget\":{\"total\":9},\"model\":"
          "\"m\",\"agent\":\"a\","
          "\"betas\":[\"b1\",\"b2\"],\"outputFormat\":{\"type\":\"json_schema\",\"schema\":{\"t\":1}},"
          "\"debugFile\":\"/d\",\"debug\":true,"
          "\"permissionPrompts\":\"p\",\"continue\":true,\"allowedTools\":[\"Read\",\"Bash(ls:*)\",\"Skill(x)"
          "\"],\"skills\":[\"x\",\"y\"],"
          "\"disallowedTools\":[\"W\"],\"tools\":[\"A\",\"B\"],\"settingSources\":[\"user\"],"
          "\"strictMcpConfig\":true,"
          "\"fallbackModel\":\"h\",\"includeHookEvents\":true,\"projectConfigRoot\":\"/"
          "r\",\"additionalDirectories\":[\"/o\"],"
          "\"plugins\":[{\"type\":\"local\",\"path\":\"/p\"},{\"type\":\"x\",\"path\":\"/"
          "q\"},{\"type\":\"local\",\"path\":\"/n\",\"skipMcpDiscovery\":true}],"
          "\"resumeSessionAt\":\"u\",\"persistSession\":false,\"managedSettings\":{\"k\":1},"
          "\"extraArgs\":{\"one\":null,\"two\":\"2\",\"three\":\"-3\",\"session-id\":\"no\",\"four\":4},"
          "\"permissionMode\":\"plan\",\"sessionId\":\"no\",\"cwd\":\"/no\",\"settings\":{\"z\":1}}},"
          "\"additionalRoots\":[\"/ignored\"]}");
    f.folders = parse_or_fail("[\"/f\"]");
    f.params.additional_directories = json_root(f.folders);
    f.rq.mode = MODE_PLAN;
    assert_string_equal(
        line(&f),
        FRAMING "--max-thinking-tokens=5 --thinking-display=d --effort=low --max-turns=7 "
                "--max-budget-usd=1.50 --task-budget=9 "
                "--model=m --agent=a --betas=b1,b2 --json-schema={\"t\":1} --debug-file=/d "
                "--permission-prompt-tool=stdio "
                "--permission-prompts=p --continue --allowedTools=Read,Bash(ls:*),Skill(x),Skill(y) "
                "--disallowedTools=W "
                "--tools=A,B --setting-sources=user --strict-mcp-config --permission-mode=plan "
                "--allow-dangerously-skip-permissions --fallback-model=h --include-hook-events "
                "--include-partial-messages "
                "--project-config-root=/r --add-dir=/o --add-dir=/f --plugin-dir=/p --plugin-dir-no-mcp=/n "
                "--resume-session-at=u --session-id=S --no-session-persistence --managed-settings {\"k\":1} "
                "--one --two 2 "
                "--three=-3 --replay-user-messages --settings {\"z\":1}");
    assert_has(f.out.initialize.p, "\"skills\":[\"x\",\"y\"],\"jsonSchema\":{\"t\":1}");
    f.rq.model = STR("kept");
    f.rq.effort = STR("");
    f.rq.agent = STR("");
    assert_has(line(&f), "--task-budget=9 --model=kept --betas");
    assert_null(strstr(buf_c(&f.line), "--effort"));
    end(&f);
}

static void single_options(void **state)
{
    (void)state;
    assert_option("{\"thinking\":{\"type\":\"disabled\",\"display\":\"d\"}}",
                  "stream-json --thinking=disabled --perm");
    assert_option("{\"thinking\":{\"type\":\"enabled\"}}", "--thinking=adaptive");
    assert_option("{\"maxThinkingTokens\":0}", "--thinking=disabled");
    assert_option("{\"maxThinkingTokens\":12}", "--max-thinking-tokens=12");
    assert_option("{\"tools\":[]}", "--tools= ");
    assert_option("{\"tools\":{}}", "--tools=default");
    assert_option("{\"skills\":\"all\"}", "--allowedTools=Skill --tools");
    assert_option("{\"skills\":\"all\",\"allowedTools\":[\"Skill\"]}", "--allowedTools=Skill --tools");
    assert_option("{\"settingSources\":[]}", "--setting-sources= ");
    assert_option("{\"debug\":true}", "--debug ");
    assert_option("{\"pluginDelivery\":\"initialize\",\"plugins\":[{\"type\":\"local\",\"path\":\"/p\"}]}",
                  "--await-initialize");
    assert_option(
        "{\"maxTurns\":0,\"effort\":\"\",\"model\":7,\"agent\":null,\"betas\":\"x\",\"continue\":1}",
        "stream-json --permission-prompt-tool=stdio --tools");
    assert_option("{\"model\":\"a\\u0000b\",\"extraArgs\":{\"a\\u0000\":null,\"\":null},\"allowedTools\":["
                  "\"x\\u0000\"]}",
                  "stream-json --permission-prompt-tool=stdio --tools");
}

static void thinking_of_the_environment(void **state)
{
    static const struct {
        const char *variable, *part;
        bool notice;
    } cases[] = {
        {"MAX_THINKING_TOKENS=0", " --thinking=disabled ", false},
        {"MAX_THINKING_TOKENS=4096", " --max-thinking-tokens=4096 ", false},
        {"MAX_THINKING_TOKENS= 12abc", " --max-thinking-tokens=12 ", false},
        {"MAX_THINKING_TOKENS=-1", "stream-json --permission-prompt", true},
        {"MAX_THINKING_TOKENS=many", "stream-json --permission-prompt", true},
        {"MAX_THINKING_TOKENS=", "stream-json --permission-prompt", false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fixture f;
        begin(&f, "{}", "{}");
        f.env[1] = cases[i].variable;
        assert_has(line(&f), cases[i].part);
        assert_int_equal(f.out.notice != NULL, cases[i].notice);
        end(&f);
    }
}

static void bypass_and_the_mode(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f, "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}", "{}");
    assert_has(line(&f), "--permission-mode=bypassPermissions --allow-dangerously-skip-permissions");
    f.rq.root = true;
    assert_has(line(&f), "--permission-mode=default --include-partial");
    assert_false(f.out.bypass);
    f.env[1] = "IS_SANDBOX=";
    (void)line(&f);
    assert_false(f.out.bypass);
    f.env[1] = "IS_SANDBOX=1";
    (void)line(&f);
    assert_true(f.out.bypass);
    f.rq.mode = MODE_DONT_ASK;
    assert_has(line(&f), "--permission-mode=dontAsk --allow");
    end(&f);
    begin(&f, "{\"permissions\":{\"defaultMode\":\"auto\",\"disableBypassPermissionsMode\":\"disable\"}}",
          "{}");
    assert_has(line(&f), "--permission-mode=auto --include-partial");
    f.rq.mode = MODE_BYPASS; /* not available: what the settings say */
    assert_has(line(&f), "--permission-mode=auto --include-partial");
    end(&f);
    assert_option("{\"allowDangerouslySkipPermissions\":false}",
                  "--permission-mode=default --include-partial");
    assert_option("{\"allowDangerouslySkipPermissions\":0}", "--allow-dangerously-skip-permissions");
}

static void mcp_servers(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f, "{}",
          "{\"claudeCode\":{\"options\":{\"mcpServers\":{\"own\":{\"command\":\"c\"},\"both\":{\"command\":"
          "\"old\"},\"bad\":7}}}}");
    f.servers = parse_or_fail("[{\"name\":\"both\",\"command\":\"new\",\"args\":[],\"env\":[]},"
                              "{\"name\":\"twice\",\"type\":\"stdio\",\"command\":\"1\",\"args\":[\"x\"],"
                              "\"env\":[{\"name\":\"A\",\"value\":\"b\"}]},"
                              "{\"type\":\"acp\",\"name\":\"acp\",\"serverId\":\"q\"},"
                              "{\"type\":\"sse\",\"name\":\"twice\",\"url\":\"http://"
                              "u\",\"headers\":[{\"name\":\"H\",\"value\":\"v\"}]}]");
    f.params.mcp_servers = json_root(f.servers);
    assert_null(mcp_servers_check(f.params.mcp_servers));
    assert_has(
        line(&f),
        "--tools=default --mcp-config {\"mcpServers\":{\"own\":{\"command\":\"c\"},"
        "\"both\":{\"type\":\"stdio\",\"command\":\"new\",\"args\":[],\"env\":{}},"
        "\"twice\":{\"type\":\"sse\",\"url\":\"http://u\",\"headers\":{\"H\":\"v\"}}}} --setting-sources");
    end(&f);
}

static void mcp_servers_that_do_not_fit(void **state)
{
    static const char *const bad[] = {
        "{}",
        "null",
        "[1]",
        "[{}]",
        "[{\"name\":\"n\"}]",
        "[{\"name\":\"n\",\"command\":\"c\",\"args\":[]}]",
        "[{\"name\":\"n\",\"command\":\"c\",\"args\":[1],\"env\":[]}]",
        "[{\"name\":\"n\",\"command\":\"c\",\"args\":[],\"env\":{}}]",
        "[{\"name\":\"n\",\"command\":\"c\",\"args\":[],\"env\":[{\"name\":\"x\"}]}]",
        "[{\"command\":\"c\",\"args\":[],\"env\":[]}]",
        "[{\"type\":\"http\",\"name\":\"n\",\"url\":\"u\"}]",
        "[{\"type\":\"http\",\"name\":\"n\",\"url\":\"u\",\"headers\":[{\"name\":1,\"value\":\"\"}]}]",
        "[{\"type\":\"acp\",\"name\":\"n\"}]",
    };
    (void)state;
    assert_non_null(mcp_servers_check(JSON_NONE));
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct json_doc *doc = parse_or_fail(bad[i]);
        assert_non_null(mcp_servers_check(json_root(doc)));
        json_unref(doc);
    }
    struct json_doc *doc =
        parse_or_fail("[{\"type\":\"odd\",\"name\":\"n\",\"command\":\"c\",\"args\":[],\"env\":[]}]");
    assert_null(mcp_servers_check(json_root(doc)));
    json_unref(doc);
}

static void system_prompts(void **state)
{
    static const struct {
        const char *meta, *part;
    } cases[] = {
        {"{\"systemPrompt\":\"whole\"}", "\"systemPrompt\":[\"whole\"]"},
        {"{\"systemPrompt\":{\"append\":\"more\",\"type\":\"t\",\"preset\":\"p\",\"excludeDynamicSections\":"
         "true}}",
         "\"appendSystemPrompt\":\"more\",\"excludeDynamicSections\":true,\"forward"},
        {"{\"systemPrompt\":\"\",\"jetbrains\":{\"air\":{\"customInstructions\":\"ci\"}}}",
         "\"appendSystemPrompt\":\"ci\""},
        {"{\"systemPrompt\":7,\"jetbrains\":{\"air\":{\"customInstructions\":\"ci\"}}}",
         "}]},\"forwardSubagentText\""},
        {"{\"claudeCode\":{\"options\":{\"forwardSubagentText\":true,\"agents\":{\"a\":{}},\"title\":\"t\","
         "\"skills\":\"all\"}}}",
         "\"forwardSubagentText\":true,\"supportedDialogKinds\":[\"refusal_fallback_prompt\"],\"agents\":{"
         "\"a\":{}},\"title\":\"t\""},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fixture f;
        begin(&f, "{}", cases[i].meta);
        f.client.air = true;
        (void)line(&f);
        assert_has(f.out.initialize.p, cases[i].part);
        AUTO_BUF(whole);
        buf_put_byte(&whole, '{');
        buf_put_str(&whole, f.out.initialize);
        buf_put_byte(&whole, '}');
        json_unref(parse_or_fail(buf_c(&whole)));
        end(&f);
    }
}

static void settings_texts(void **state)
{
    struct fixture f;
    (void)state;

    begin(
        &f, "{}",
        "{\"claudeCode\":{\"options\":{\"sandbox\":{\"on\":true},\"settings\":{\"availableModels\":[\"own\"],"
        "\"sandbox\":{},\"env\":{\"K\":\"v\",\"AWS_REGION\":\"x\"},\"apiKeyHelper\":\"h\"}}}}");
    f.env[1] =
        "CLAUDE_MODEL_CONFIG={\"modelOverrides\":{\"a\":\"b\"},\"availableModels\":[\"env\"],\"other\":1}";
    (void)line(&f);
    assert_str(
        f.out.settings,
        "{\"modelOverrides\":{\"a\":\"b\"},\"availableModels\":[\"own\"],"
        "\"env\":{\"K\":\"v\",\"AWS_REGION\":\"x\"},\"apiKeyHelper\":\"h\",\"sandbox\":{\"on\":true}}");
    struct providers *p = providers_new();
    struct provider_error e = {0};
    struct provider_params set = {STR("main"), STR("anthropic"), STR("https://x"), JSON_NONE, JSON_NONE};
    providers_set(p, provider_route_check(&set, &e));
    f.rq.providers = p;
    (void)line(&f);
    assert_has(f.out.settings.p, "\"sandbox\":{\"on\":true},\"apiKeyHelper\":\"\",\"env\":{\"K\":\"v\","
                                 "\"ANTHROPIC_BASE_URL\":\"https://x\"");
    assert_has(f.out.settings.p, "\"AWS_REGION\":\"\"");
    json_unref(parse_or_fail(f.out.settings.p));
    providers_free(p);
    f.rq.providers = NULL;
    f.env[1] = "CLAUDE_MODEL_CONFIG=[]";
    assert_non_null(launch_build(&f.a, &f.rq, &f.out));
    f.env[1] = "CLAUDE_MODEL_CONFIG=nonsense";
    assert_non_null(launch_build(&f.a, &f.rq, &f.out));
    end(&f);
    begin(&f, "{}", "{\"claudeCode\":{\"options\":{\"settings\":\"not/there.json\"}}}");
    assert_has(launch_build(&f.a, &f.rq, &f.out), "not/there.json");
    end(&f);
    begin(&f, "{}", "{\"claudeCode\":{\"options\":{\"model\":\"m\",\"fallbackModel\":\"m\"}}}");
    assert_non_null(launch_build(&f.a, &f.rq, &f.out));
    end(&f);
}

static void a_relative_config_folder_is_refused(void **state)
{
    static const struct {
        const char *variable, *options;
        bool refused;
    } cases[] = {
        {"CLAUDE_CONFIG_DIR=.claude", "{}", true},
        {"CLAUDE_CONFIG_DIR=~/.claude", "{}", true},
        {"CLAUDE_CONFIG_DIR=/home/x", "{}", false},
        {"CLAUDE_CONFIG_DIR=", "{}", false},
        {"A=b", "{\"claudeCode\":{\"options\":{\"env\":{\"CLAUDE_CONFIG_DIR\":\"x\"}}}}", true},
        {"CLAUDE_CONFIG_DIR=x", "{\"claudeCode\":{\"options\":{\"env\":{\"CLAUDE_CONFIG_DIR\":\"/x\"}}}}",
         false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fixture f;
        begin(&f, "{}", cases[i].options);
        f.env[1] = cases[i].variable;
        const char *why = launch_build(&f.a, &f.rq, &f.out);
        assert_int_equal(why != NULL, cases[i].refused);
        if (why) {
            assert_has(why, "CLAUDE_CONFIG_DIR is the relative path");
        }
        end(&f);
    }
}

static void tiers_that_the_client_leaves_out(void **state)
{
    static const struct {
        const char *sources;
        unsigned left_out;
    } cases[] = {
        {"null", 0},
        {"\"user\"", 0},
        {"[\"user\",\"project\",\"local\"]", 0},
        {"[\"user\"]", SETTINGS_PROJECT | SETTINGS_LOCAL},
        {"[\"local\",7,\"other\"]", SETTINGS_USER | SETTINGS_PROJECT},
        {"[]", SETTINGS_USER | SETTINGS_PROJECT | SETTINGS_LOCAL},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fixture f;
        AUTO_BUF(meta);
        buf_printf(&meta,
                   "{\"claudeCode\":{\"options\":{\"settingSources\":%s,\"extraArgs\":{\"setting-sources\":"
                   "\"user\"}}}}",
                   cases[i].sources);
        begin(&f, "{}", buf_c(&meta));
        assert_int_equal(session_params_left_out(f.rq.params), cases[i].left_out);
        assert_null(strstr(line(&f), "--setting-sources user")); /* not by another way */
        end(&f);
    }
}

static void settings_of_a_file(void **state)
{
    struct fixture f;
    struct home h;
    (void)state;

    home_make(&h);
    home_write(&h, "s.json", "{\"model\":\"x\"}");
    begin(&f, "{}", "{\"claudeCode\":{\"options\":{\"settings\":\"./s.json\"}}}");
    f.params.cwd = str_of(h.dir);
    (void)line(&f);
    assert_str(f.out.settings, "{\"model\":\"x\"}");
    end(&f);
    home_remove(&h);
}

static str variable(const struct fixture *f, const char *name)
{
    size_t n = strlen(name);
    str found = STR_ABSENT;
    for (const char *const *e = f->out.env; *e; e++) {
        if (strncmp(*e, name, n) == 0 && (*e)[n] == '=') {
            assert_false(str_present(found));
            found = str_of(*e + n + 1);
        }
    }
    return found;
}

static void environment(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f, "{}",
          "{\"claudeCode\":{\"options\":{\"env\":{\"PATH\":\"/"
          "own\",\"NEW\":\"1\",\"NODE_OPTIONS\":\"x\",\"BAD=NAME\":\"x\","
          "\"NUL\":\"a\\u0000b\",\"NUM\":7,\"\":\"x\"},\"toolConfig\":{\"askUserQuestion\":{"
          "\"previewFormat\":\"html\"}}}}}");
    f.params.cwd = STR("/tmp/");
    f.env[1] = "NODE_OPTIONS=--inspect";
    f.env[2] = "DEBUG=*";
    f.env[3] = "PWD=/elsewhere";
    f.env[4] = "KEPT=a=b";
    f.env[5] = "ODD";
    (void)line(&f);
    assert_str(variable(&f, "PATH"), "/own");
    assert_str(variable(&f, "NEW"), "1");
    assert_str(variable(&f, "KEPT"), "a=b");
    assert_str(variable(&f, "PWD"), "/tmp/");
    assert_str(variable(&f, "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"), "1");
    assert_str(variable(&f, "CLAUDE_CODE_ENTRYPOINT"), "sdk-ts");
    assert_str(variable(&f, "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT"), "html");
    static const char *const gone[] = {"NODE_OPTIONS", "DEBUG", "NUL",
                                       "NUM",          "BAD",   "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"};
    for (size_t i = 0; i < ARRAY_LEN(gone); i++) {
        assert_false(str_present(variable(&f, gone[i])));
    }
    f.env[5] = "DEBUG_CLAUDE_AGENT_SDK=1";
    f.env[6] = "CLAUDE_CODE_ENTRYPOINT=own";
    f.client.air_file_change_report = true;
    (void)line(&f);
    assert_str(variable(&f, "DEBUG"), "1");
    assert_str(variable(&f, "CLAUDE_CODE_ENTRYPOINT"), "own");
    assert_str(variable(&f, "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"), "true");
    assert_false(str_present(env_get(f.env, "MISSING")));
    end(&f);
}

static const char *fingerprint(struct arena *a, const char *meta, const char *servers)
{
    struct json_doc *m = parse_or_fail(meta), *s = parse_or_fail(servers);
    struct session_params p = {.cwd = STR("/"), .mcp_servers = json_root(s), .meta = json_root(m)};
    const char *text = launch_fingerprint(a, &p).p;
    json_unref(m);
    json_unref(s);
    return text;
}

static void fingerprints(void **state)
{
    AUTO_ARENA(a);
    AUTO_BUF(deep);
    (void)state;

#define OPTIONS(text) "{\"claudeCode\":{\"options\":{" text "}}}"
    assert_string_equal(
        fingerprint(&a, OPTIONS("\"model\":\"m\",\"env\":{\"A\":\"1\",\"B\":\"2\"},\"skills\":[\"x\",\"y\"]"),
                    "[{\"name\":\"a\",\"command\":\"c\"},{\"name\":\"b\"}]"),
        fingerprint(&a,
                    OPTIONS("\"skills\":[\"y\",\"x\",\"y\"],\"agent\":\"z\",\"title\":\"t\","
                            "\"env\":{\"B\":\"2\",\"A\":\"\\u0031\"},\"model\":\"m\""),
                    "[{\"name\":\"b\"},{\"command\":\"c\",\"name\":\"a\"}]"));
    assert_string_not_equal(fingerprint(&a, OPTIONS("\"model\":\"m\""), "[]"),
                            fingerprint(&a, OPTIONS("\"model\":\"n\""), "[]"));
    assert_string_not_equal(fingerprint(&a, "{}", "[]"), fingerprint(&a, "{\"additionalRoots\":[]}", "[]"));
    assert_string_not_equal(fingerprint(&a, "{}", "[]"), fingerprint(&a, "{}", "[{\"name\":\"a\"}]"));
    struct session_params without = {.cwd = STR("/")};
    struct json_doc *empty = parse_or_fail("[]"), *null = parse_or_fail("null");
    struct session_params with = {.cwd = STR("/"),
                                  .mcp_servers = json_root(empty),
                                  .additional_directories = json_root(empty)};
    struct session_params nulled = {.cwd = STR("/"), .additional_directories = json_root(null)};
    assert_string_equal(launch_fingerprint(&a, &without).p, launch_fingerprint(&a, &with).p);
    assert_string_equal(launch_fingerprint(&a, &without).p, launch_fingerprint(&a, &nulled).p);
    json_unref(empty);
    json_unref(null);
    buf_put_c(&deep, "{\"systemPrompt\":");
    buf_put_fill(&deep, '[', 9000);
    buf_put_fill(&deep, ']', 9000);
    buf_put_byte(&deep, '}');
    assert_non_null(fingerprint(&a, buf_c(&deep), "{\"no\":\"array\"}"));
}

/* ---- Providers ---- */

static const char *refusal(struct providers *p, const char *id, const char *api, const char *url,
                           const char *meta)
{
    static char text[256];
    struct json_doc *doc = parse_or_fail(meta);
    struct provider_params params = {str_of(id), str_of(api), str_of(url),
                                     json_get(json_root(doc), "headers"), json_root(doc)};
    struct provider_error e = {0};
    struct provider_route *r = provider_route_check(&params, &e);

    (void)snprintf(text, sizeof text, "%s", r ? "fine" : buf_c(&e.data));
    assert_int_equal(r == NULL, e.message != NULL);
    if (r) {
        providers_set(p, r);
    }
    provider_error_free(&e);
    json_unref(doc);
    return text;
}

static void collect(void *user, const char *name, str value)
{
    buf_printf(user, "%s=", name);
    buf_put_str(user, value);
    buf_put_byte(user, ';');
}

static void providers_set_and_listed(void **state)
{
    struct providers *p = providers_new();
    const char *env[] = {"CLAUDE_CODE_USE_VERTEX=1", NULL};
    AUTO_BUF(b);
    (void)state;

    assert_false(providers_active(p));
    assert_false(providers_active(NULL));
    providers_put_list(p, &b, NULL);
    assert_str(
        buf_str(&b),
        "{\"providers\":[{\"providerId\":\"main\",\"supported\":[\"anthropic\",\"bedrock\",\"vertex\"],"
        "\"required\":false,\"current\":{\"apiType\":\"anthropic\",\"baseUrl\":\"https://"
        "api.anthropic.com\"}}]}");
    buf_clear(&b);
    providers_put_list(p, &b, env);
    assert_true(str_has(buf_str(&b),
                        STR("{\"apiType\":\"vertex\",\"baseUrl\":\"https://aiplatform.googleapis.com\"}")));
    assert_string_equal(refusal(p, "x", "no", "no", "{}"), "{\"providerId\":\"x\"}");
    assert_string_equal(refusal(p, "main", "no", "no", "{}"),
                        "{\"apiType\":\"no\",\"supported\":[\"anthropic\",\"bedrock\",\"vertex\"]}");
    static const char *const bad[] = {"",          " ",         "x",          "ftp://a",
                                      "http://",   "http:///x", "http://a b", "https://a:99999",
                                      "https://u@"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        assert_true(strstr(refusal(p, "main", "anthropic", bad[i], "{}"), "{\"baseUrl\":") != NULL);
    }
    assert_string_equal(refusal(p, "main", "vertex", "https://a",
                                "{\"claudeCode\":{\"vertex\":{\"projectId\":\" \",\"region\":\"r\"}}}"),
                        "");
    assert_false(providers_active(p));
    assert_string_equal(refusal(p, "main", "bedrock", "HTTPS://a:8080/x",
                                "{\"headers\":{\"A\":\"1\",\"B\":\"x\\r\\nC: 2\",\"D\":7,\"E\":\"3\"}}"),
                        "fine");
    buf_clear(&b);
    providers_put_list(p, &b, env);
    assert_true(
        str_has(buf_str(&b), STR("\"current\":{\"apiType\":\"bedrock\",\"baseUrl\":\"HTTPS://a:8080/x\"}")));
    buf_clear(&b);
    providers_each_env(p, collect, &b);
    assert_str(
        buf_str(&b),
        "ANTHROPIC_BASE_URL=;ANTHROPIC_BEDROCK_BASE_URL=HTTPS://a:8080/x;ANTHROPIC_VERTEX_BASE_URL=;"
        "ANTHROPIC_VERTEX_PROJECT_ID=;CLOUD_ML_REGION=;AWS_REGION=;ANTHROPIC_API_KEY=;ANTHROPIC_AUTH_TOKEN=;"
        "CLAUDE_CODE_OAUTH_TOKEN=;CLAUDE_CODE_USE_BEDROCK=1;CLAUDE_CODE_USE_VERTEX=0;"
        "ANTHROPIC_CUSTOM_HEADERS=A: 1\nE: 3;AWS_BEARER_TOKEN_BEDROCK=acp-proxy;");
    assert_string_equal(refusal(p, "main", "vertex", "https://aiplatform.googleapis.com",
                                "{\"claudeCode\":{\"vertex\":{\"projectId\":\"pr\",\"region\":\"re\"}}}"),
                        "fine");
    buf_clear(&b);
    providers_each_env(p, collect, &b);
    assert_true(
        str_has(buf_str(&b),
                STR("ANTHROPIC_VERTEX_BASE_URL=;ANTHROPIC_VERTEX_PROJECT_ID=pr;CLOUD_ML_REGION=re;")));
    assert_true(providers_logout(p));
    assert_false(providers_logout(p));
    providers_free(p);
}

static bool authenticate(struct providers *p, const char *meta, const char *data)
{
    struct json_doc *doc = parse_or_fail(meta);
    struct provider_error e = {0};
    bool ok = providers_authenticate(p, PROVIDER_ANTHROPIC, json_root(doc), &e);

    assert_string_equal(buf_c(&e.data), data);
    provider_error_free(&e);
    json_unref(doc);
    return ok;
}

static void gateways(void **state)
{
    struct providers *p = providers_new();
    enum provider_api api;
    AUTO_BUF(b);
    (void)state;

    assert_true(provider_gateway_method(STR("gateway-bedrock"), &api) && api == PROVIDER_BEDROCK);
    assert_true(provider_gateway_method(STR("gateway"), &api) && api == PROVIDER_ANTHROPIC);
    assert_false(provider_gateway_method(STR("claude-login"), &api));
    assert_true(authenticate(p, "{}", ""));
    assert_false(providers_gateway(p));
    assert_false(authenticate(p, "{\"gateway\":{}}", "{}"));
    assert_false(authenticate(p, "{\"gateway\":7}", "{}"));
    assert_false(authenticate(p, "{\"gateway\":{\"baseUrl\":[1]}}", "{\"baseUrl\":[1]}"));
    assert_false(authenticate(p, "{\"gateway\":{\"baseUrl\":\"https://a\",\"headers\":[]}}", ""));
    assert_true(authenticate(
        p, "{\"gateway\":{\"baseUrl\":\"https://User@Gate.Example:443/v1\",\"headers\":{\"X\":\"y\"}}}", ""));
    assert_true(providers_gateway(p) && providers_active(p));
    assert_false(authenticate(p, "{\"gateway\":{\"baseUrl\":\"no\"}}", "{\"baseUrl\":\"no\"}"));
    assert_true(providers_gateway(p));
    providers_each_env(p, collect, &b);
    assert_true(str_has(buf_str(&b), STR("ANTHROPIC_AUTH_TOKEN=acp-proxy;")));
    assert_true(str_has(buf_str(&b), STR("ANTHROPIC_CUSTOM_HEADERS=X: y;")));
    /* providers/set goes first, and disable leaves the gateway. */
    assert_string_equal(refusal(p, "main", "anthropic", "http://[::1]:8080", "{}"), "fine");
    buf_clear(&b);
    providers_each_env(p, collect, &b);
    assert_true(str_has(buf_str(&b), STR("ANTHROPIC_BASE_URL=http://[::1]:8080;")));
    providers_set(p, NULL);
    assert_true(providers_active(p));
    assert_true(authenticate(p, "{\"gateway\":null}", ""));
    assert_false(providers_active(p));
    providers_free(p);
}

static void backends(void **state)
{
    static const char *const one[] = {"PATH=/bin", "ANTHROPIC_BASE_URL=http://a", NULL};
    static const char *const same[] = {"ANTHROPIC_BASE_URL=http://a", "ANTHROPIC_API_KEY=", "HOME=/", NULL};
    static const char *const other[] = {"ANTHROPIC_BEDROCK_BASE_URL=http://a", NULL};
    AUTO_BUF(a);
    AUTO_BUF(b);
    AUTO_BUF(c);
    (void)state;
    env_put_backend(&a, one);
    env_put_backend(&b, same);
    env_put_backend(&c, other);
    assert_true(str_eq(buf_str(&a), buf_str(&b)));
    assert_false(str_eq(buf_str(&a), buf_str(&c)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plain_line),
        cmocka_unit_test(backends),
        cmocka_unit_test(all_options_in_order),
        cmocka_unit_test(single_options),
        cmocka_unit_test(thinking_of_the_environment),
        cmocka_unit_test(bypass_and_the_mode),
        cmocka_unit_test(mcp_servers),
        cmocka_unit_test(mcp_servers_that_do_not_fit),
        cmocka_unit_test(system_prompts),
        cmocka_unit_test(settings_texts),
        cmocka_unit_test(a_relative_config_folder_is_refused),
        cmocka_unit_test(tiers_that_the_client_leaves_out),
        cmocka_unit_test(settings_of_a_file),
        cmocka_unit_test(environment),
        cmocka_unit_test(fingerprints),
        cmocka_unit_test(providers_set_and_listed),
        cmocka_unit_test(gateways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
