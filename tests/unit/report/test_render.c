#include "unit.h"

#include "report/render.h"

/* ---- Clients and calls ------------------------------------------------------------------------------- */

/* AIR with everything that it declares, AIR with nothing, Zed, and a client that declares nothing at all. */
static const struct client_capabilities air = {.protocol_version = 1,
                                               .air = true,
                                               .air_diff_patch = true,
                                               .air_raw_input_rendering = true,
                                               .air_async_tasks = true,
                                               .air_plan_file = true,
                                               .terminal_output_delta = true};
static const struct client_capabilities air_min = {.protocol_version = 1, .air = true};
static const struct client_capabilities zed = {.protocol_version = 1, .terminal_output = true};
static const struct client_capabilities plain = {.protocol_version = 1};
static const struct client_capabilities v2 = {.protocol_version = 2};

/* One test's call: facts are stated into `use` and `result`, and checked as each client gets them. */
struct fixture {
    struct arena arena;
    struct json_doc *input;
    struct json_doc *answer;
    struct render_context cx;
    struct render_call call;
    struct facts use, facts;
    struct render_result_input in;
};

static void begin(struct fixture *x, const char *name, const char *input)
{
    *x = (struct fixture){0};
    x->input = parse_or_fail(input);
    x->cx = (struct render_context){.arena = &x->arena, .cwd = STR("/w")};
    x->call = (struct render_call){.id = STR("t1"), .name = str_of(name), .input = json_root(x->input)};
    facts_begin(&x->use, &x->arena, PHASE_USE);
    facts_begin(&x->facts, &x->arena, PHASE_RESULT);
}

static void answer(struct fixture *x, const char *text, bool is_error)
{
    json_unref(x->answer);
    x->answer = parse_or_fail(text);
    x->in = (struct render_result_input){.result = json_root(x->answer), .is_error = is_error};
}

static void end(struct fixture *x)
{
    json_unref(x->input);
    json_unref(x->answer);
    arena_free(&x->arena);
}

/* ---- Facts ------------------------------------------------------------------------------------------- */

enum { BOTH = -1 };

static bool in_form(int form, int i)
{
    return form == BOTH || form == i;
}

static void title(struct facts *f, int form, const char *text)
{
    for (int i = 0; i < FORM_COUNT; i++) {
        f->title[i] = in_form(form, i) ? str_of(text) : f->title[i];
    }
}

static void kind(struct facts *f, int form, enum tool_kind k)
{
    for (int i = 0; i < FORM_COUNT; i++) {
        f->kind[i] = in_form(form, i) ? (int)k : f->kind[i];
    }
}

static void location(struct facts *f, int form, const char *path, int64_t line)
{
    for (int i = 0; i < FORM_COUNT; i++) {
        if (!in_form(form, i)) {
            continue;
        }
        f->locations[i].stated = true;
        if (path) {
            struct fact_location *l = arena_alloc(f->arena, sizeof(*l));
            *l = (struct fact_location){.path = str_of(path), .line = line};
            if (f->locations[i].last) {
                f->locations[i].last->next = l;
            } else {
                f->locations[i].first = l;
            }
            f->locations[i].last = l;
        }
    }
}

static void add_to(struct facts *f, struct fact_contents *list, int form, const char *text)
{
    for (int i = 0; i < FORM_COUNT; i++) {
        if (!in_form(form, i)) {
            continue;
        }
        list[i].stated = true;
        if (text) {
            struct fact_content *c = arena_alloc(f->arena, sizeof(*c));
            *c = (struct fact_content){.type = CONTENT_TEXT, .text = str_of(text)};
            if (list[i].last) {
                list[i].last->next = c;
            } else {
                list[i].first = c;
            }
            list[i].last = c;
        }
    }
}

static void display(struct facts *f, const char *text)
{
    add_to(f, f->display, BOTH, text);
}

static void content(struct facts *f, int form, const char *text)
{
    add_to(f, f->content, form, text);
}

static void edit(struct facts *f, bool write, const char *path, const char *old_text, const char *new_text)
{
    struct fact_edit *e = arena_alloc(f->arena, sizeof(*e));
    *e = (struct fact_edit){.write = write,
                            .path = str_of(path),
                            .old_text = str_of(old_text),
                            .new_text = str_of(new_text)};
    f->edits = f->last_edit = e;
}

static void text_key(struct facts *f, const char *name)
{
    struct fact_text_key *k = arena_alloc(f->arena, sizeof(*k));
    *k = (struct fact_text_key){.next = f->file_text_keys, .name = str_of(name)};
    f->file_text_keys = k;
}

static void output(struct facts *f, const char *text, int exit_code)
{
    f->output_stated = true;
    f->output = str_of(text);
    f->exit_known = exit_code >= 0;
    f->exit_code = exit_code;
}

static void extra(struct facts *f, bool in_air, const char *key, const char *value)
{
    struct fact_extra *e = arena_alloc(f->arena, sizeof(*e));
    *e = (struct fact_extra){.next = f->extras, .air = in_air, .key = str_of(key), .json = str_of(value)};
    f->extras = e;
}

/* ---- Checks ------------------------------------------------------------------------------------------ */

/* The reports, each without its sessionUpdate and toolCallId, separated by a line break. */
static void assert_reports(const struct tool_report *r, size_t n, const char *expected)
{
    AUTO_BUF(all);
    for (size_t i = 0; i < n; i++) {
        AUTO_BUF(b);
        json_open_object(&b);
        tool_report_put_v1(&b, &r[i]);
        json_close_object(&b);
        const char *why = NULL;
        AUTO_JSON(doc) = json_parse(buf_str(&b), &why);
        assert_non_null(doc);
        str head = r[i].first ? STR("{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t1\"")
                              : STR("{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"t1\"");
        assert_true(str_starts(buf_str(&b), head));
        buf_put_c(&all, i ? "\n" : "");
        buf_put_str(&all, str_from(buf_str(&b), head.n + 1));
    }
    assert_str(buf_str(&all), expected);
}

static const struct render_use_options complete = {0}, at_start = {.first = true, .start = true},
                                       at_once = {.first = true}, partly = {.partial = true};

static void assert_use(struct fixture *x, const struct client_capabilities *c,
                       struct render_use_options options, const char *expected)
{
    struct tool_report r;
    x->cx.client = c;
    render_use(&x->cx, &x->call, &x->use, options, &r);
    assert_reports(&r, 1, expected);
}

static void assert_result(struct fixture *x, const struct client_capabilities *c, const char *expected)
{
    struct tool_report r[2];
    x->cx.client = c;
    size_t n = render_result(&x->cx, &x->call, &x->use, &x->facts, &x->in, r);
    assert_in_range(n, 1, 2);
    assert_true(r[n - 1].replaces_pinned);
    assert_int_equal(n == 2, r[0].untracked);
    assert_reports(r, n, expected);
}

#define TEXT(text) "{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"" text "\"}}"
#define META(more) "\"_meta\":{\"claudeCode\":{" more "}}}"
#define TOOL(name) "\"toolName\":\"" name "\""
#define TERMINAL   "{\"type\":\"terminal\",\"terminalId\":\"t1\"}"

/* ---- Uses -------------------------------------------------------------------------------------------- */

static void test_the_first_report(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Glob", "{}");
    title(&x.use, BOTH, "Find");
    kind(&x.use, BOTH, KIND_SEARCH);
    location(&x.use, BOTH, NULL, -1);
    assert_use(
        &x, &air, at_start,
        "\"name\":\"Glob\",\"status\":\"pending\",\"title\":\"Find\",\"kind\":\"search\",\"content\":[],"
        "\"locations\":[]," META(TOOL("Glob")));
    assert_use(
        &x, &plain, at_start,
        "\"name\":\"Glob\",\"status\":\"pending\",\"title\":\"Find\",\"kind\":\"search\",\"content\":[],"
        "\"locations\":[],\"rawInput\":{}," META(TOOL("Glob")));
    assert_use(
        &x, &air, at_once,
        "\"name\":\"Glob\",\"status\":\"pending\",\"title\":\"Find\",\"kind\":\"search\",\"content\":[],"
        "\"locations\":[],\"rawInput\":{}," META(TOOL("Glob")));
    x.call.input = JSON_NONE;
    assert_use(
        &x, &zed, at_start,
        "\"name\":\"Glob\",\"status\":\"pending\",\"title\":\"Find\",\"kind\":\"search\",\"content\":[],"
        "\"locations\":[],\"rawInput\":{}," META(TOOL("Glob")));
    end(&x);
}

static void test_facts_that_are_missing(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Odd", "[1]");
    for (size_t i = 0; i < 2; i++) {
        assert_use(&x, i ? &air : &plain, complete,
                   "\"title\":\"Odd\",\"kind\":\"other\",\"content\":[],\"rawInput\":[1]," META(TOOL("Odd")));
    }
    x.call.name = STR("");
    assert_use(&x, &plain, complete,
               "\"title\":\"Unknown Tool\",\"kind\":\"other\",\"content\":[],\"rawInput\":[1]," META(
                   TOOL("")));
    x.use.kind[FORM_PLAIN] = 4711;
    assert_use(&x, &plain, partly,
               "\"title\":\"Unknown Tool\",\"kind\":\"other\",\"rawInput\":[1]," META(TOOL("")));
    end(&x);
}

static void test_a_partial_input_refines_little(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Read", "{\"limit\":2,\"offset\":9}");
    title(&x.use, BOTH, "Read File (9 - 10)");
    kind(&x.use, BOTH, KIND_READ);
    location(&x.use, BOTH, "/w/a", 9);
    location(&x.use, BOTH, "/w/b", -1);
    display(&x.use, "never");
    const char *fields =
        "\"title\":\"Read File (9 - 10)\",\"kind\":\"read\","
        "\"locations\":[{\"path\":\"/w/a\",\"line\":9},{\"path\":\"/w/b\"}]," META(TOOL("Read"));
    assert_use(&x, &air, partly, fields);
    assert_use(&x, &air_min, partly, fields);
    assert_use(&x, &zed, partly,
               "\"title\":\"Read File (9 - 10)\",\"kind\":\"read\","
               "\"locations\":[{\"path\":\"/w/a\",\"line\":9},{\"path\":\"/w/b\"}],"
               "\"rawInput\":{\"limit\":2,\"offset\":9}," META(TOOL("Read")));
    end(&x);
}

static void test_a_command(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Bash", "{\"command\":\"ls\",\"description\":\"List\"}");
    title(&x.use, BOTH, "ls");
    kind(&x.use, BOTH, KIND_EXECUTE);
    x.use.command = true;
    x.use.command_title = STR("List");
    display(&x.use, "List");
#define BASH_FIELDS "\"title\":\"ls\",\"kind\":\"execute\",\"content\":["
#define BASH_INPUT  "],\"rawInput\":{\"command\":\"ls\",\"description\":\"List\"},"
#define BASH_AIR    "\"jetbrains\":{\"air\":{\"version\":1,\"commandTitle\":\"List\"}}}}"
    assert_use(&x, &air, at_once,
               "\"name\":\"Bash\",\"status\":\"pending\"," BASH_FIELDS TERMINAL BASH_INPUT
               "\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"},\"terminal_info\":{\"terminal_id\":\"t1\"}"
               "," BASH_AIR);
    assert_use(&x, &air_min, complete,
               BASH_FIELDS TEXT("List") BASH_INPUT
               "\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"}," BASH_AIR);
    assert_use(
        &x, &zed, at_once,
        "\"name\":\"Bash\",\"status\":\"pending\"," BASH_FIELDS TERMINAL BASH_INPUT
        "\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"},\"terminal_info\":{\"terminal_id\":\"t1\"}}}");
    assert_use(&x, &zed, complete, BASH_FIELDS TERMINAL BASH_INPUT META(TOOL("Bash")));
    assert_use(&x, &plain, complete, BASH_FIELDS TEXT("List") BASH_INPUT META(TOOL("Bash")));
    struct client_capabilities no_terminal = air;
    no_terminal.terminal_output_delta = false;
    assert_use(&x, &no_terminal, complete,
               BASH_FIELDS BASH_INPUT "\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"}," BASH_AIR);
    assert_use(&x, &v2, complete, BASH_FIELDS TERMINAL BASH_INPUT META(TOOL("Bash")));
    end(&x);
}

static void test_an_edit(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Edit",
          "{\"replace_all\":false,\"file_path\":\"/w/f\",\"old_string\":\"a\",\"new_string\":\"b\"}");
    edit(&x.use, false, "/w/f", "a", "b");
    text_key(&x.use, "old_string");
    text_key(&x.use, "new_string");
#define EDIT_DIFF  "{\"type\":\"diff\",\"path\":\"/w/f\",\"oldText\":\"a\",\"newText\":\"b\"}"
#define EDIT_WHOLE "{\"replace_all\":false,\"file_path\":\"/w/f\",\"old_string\":\"a\",\"new_string\":\"b\"}"
#define EDIT_AS(content, input)                                                                              \
    "\"title\":\"Edit\",\"kind\":\"other\",\"content\":[" content "],\"rawInput\":" input                    \
    "," META(TOOL("Edit"))
    assert_use(&x, &air, complete, EDIT_AS(EDIT_DIFF, "{\"replace_all\":false,\"file_path\":\"/w/f\"}"));
    assert_use(&x, &air_min, complete, EDIT_AS(EDIT_DIFF, "{\"replace_all\":false,\"file_path\":\"/w/f\"}"));
    assert_use(&x, &zed, complete, EDIT_AS(EDIT_DIFF, EDIT_WHOLE));
    assert_use(&x, &plain, complete, EDIT_AS(EDIT_DIFF, EDIT_WHOLE));
    assert_use(&x, &v2, complete, EDIT_AS("", EDIT_WHOLE));
    struct render_use_options shown = {.preview = STR("[7]")};
    assert_use(&x, &air, shown, EDIT_AS("7", "{\"replace_all\":false,\"file_path\":\"/w/f\"}"));
    x.cx.client = &air;
    assert_str(render_raw_input(&x.cx, x.call.input, &x.use, true), EDIT_WHOLE);
    end(&x);
}

static void test_a_write(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Write", "{\"path\":\"/w/f\",\"file_text\":\"x\",\"file_text\":\"y\",\"n\":1.50}");
    edit(&x.use, true, "/w/f", NULL, "y");
    text_key(&x.use, "file_text");
#define WRITE_DIFF "{\"type\":\"diff\",\"path\":\"/w/f\",\"oldText\":null,\"newText\":\"y\"}"
#define WRITE_AS(content, input)                                                                             \
    "\"title\":\"Write\",\"kind\":\"other\",\"content\":[" content "],\"rawInput\":" input                   \
    "," META(TOOL("Write"))
    assert_use(&x, &air, complete, WRITE_AS("", "{\"path\":\"/w/f\",\"n\":1.50}"));
    assert_use(&x, &air_min, complete, WRITE_AS(WRITE_DIFF, "{\"path\":\"/w/f\",\"n\":1.50}"));
    assert_use(&x, &zed, complete,
               WRITE_AS(WRITE_DIFF,
                        "{\"path\":\"/w/f\",\"file_text\":\"x\",\"file_text\":\"y\",\"n\":1.50}"));
    x.cx.replay = true; /* no patch will come */
    assert_use(&x, &air, complete, WRITE_AS(WRITE_DIFF, "{\"path\":\"/w/f\",\"n\":1.50}"));
    end(&x);
}

static void test_a_plan(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "ExitPlanMode", "{\"plan\":\"Do it\",\"planFilePath\":\"/p/old.md\",\"z\":1}");
    x.use.plan_text_key = STR("plan");
    x.use.plan_path_key = STR("planFilePath");
    struct client_capabilities reader = air; /* planFile without rawInputRendering */
    reader.air_raw_input_rendering = false;
#define PLAN_AS(content, input)                                                                              \
    "\"title\":\"ExitPlanMode\",\"kind\":\"other\",\"content\":[" content "],\"rawInput\":" input            \
    "," META(TOOL("ExitPlanMode"))
#define PLAN_WHOLE "{\"plan\":\"Do it\",\"planFilePath\":\"/p/old.md\",\"z\":1}"
    /* there is no such file */
    assert_use(&x, &reader, complete, PLAN_AS(TEXT("Do it"), PLAN_WHOLE));
    assert_use(&x, &air, complete, PLAN_AS("", PLAN_WHOLE));
    x.cx.plan_file = STR("/p/plan.md");
    assert_use(&x, &reader, complete, PLAN_AS("", "{\"planFilePath\":\"/p/plan.md\",\"z\":1}"));
    assert_use(&x, &air_min, complete, PLAN_AS(TEXT("Do it"), PLAN_WHOLE));
    assert_use(&x, &plain, complete, PLAN_AS(TEXT("Do it"), PLAN_WHOLE));
    end(&x);

    static const char *const blank[] = {"\"\"", "\" \\t\"", "null",
                                        "7"}; /* name no file: AIR is told of none */
    for (size_t i = 0; i < ARRAY_LEN(blank); i++) {
        AUTO_BUF(input);
        buf_printf(&input, "{\"plan\":\"Do it\",\"planFilePath\":%s,\"z\":1}", blank[i]);
        begin(&x, "ExitPlanMode", buf_c(&input));
        x.use.plan_text_key = STR("plan");
        x.use.plan_path_key = STR("planFilePath");
        x.cx = (struct render_context){.client = &air, .arena = &x.arena};
        assert_str(render_raw_input(&x.cx, x.call.input, &x.use, false), "{\"plan\":\"Do it\",\"z\":1}");
        x.cx.client = &plain;
        assert_str(render_raw_input(&x.cx, x.call.input, &x.use, false), buf_c(&input));
        end(&x);
    }

    begin(&x, "mcp__x__y", "{\"text\":\"Do it\",\"file\":\"/p\",\"planFilePath\":7}");
    x.use.plan_text_key = STR("text");
    x.use.plan_path_key = STR("file");
    x.cx = (struct render_context){.client = &air, .arena = &x.arena, .plan_file = STR("/p")};
    assert_str(render_raw_input(&x.cx, x.call.input, &x.use, false), "{\"planFilePath\":\"/p\"}");
    assert_str(render_raw_input(&x.cx, JSON_NONE, &x.use, false), "{\"planFilePath\":\"/p\"}");
    end(&x);
}

static void test_two_forms(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "NotebookEdit", "{}");
    title(&x.use, FORM_FACT, "Edit cell");
    title(&x.use, FORM_PLAIN, "NotebookEdit");
    kind(&x.use, FORM_FACT, KIND_EDIT);
    location(&x.use, FORM_FACT, "/w/n", -1);
    add_to(&x.use, x.use.display, FORM_FACT, "source");
    assert_use(&x, &air_min, complete,
               "\"title\":\"Edit cell\",\"kind\":\"edit\",\"content\":[" TEXT(
                   "source") "],"
                             "\"locations\":[{\"path\":\"/w/n\"}],\"rawInput\":{}," META(
                                 TOOL("NotebookEdit")));
    assert_use(&x, &plain, complete,
               "\"title\":\"NotebookEdit\",\"kind\":\"other\",\"content\":[],\"rawInput\":{}," META(
                   TOOL("NotebookEdit")));
    end(&x);
}

static void test_marks_of_a_use(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "mcp__a__b", "{}");
    x.call.parent = STR("p\"1");
    x.use.subagent = true;
    x.use.skill = STR("s");
    x.cx.skill_path = STR("/s/SKILL.md");
    extra(&x.use, true, "mine", "[1]");
    extra(&x.use, false, "yours", "{}");
    assert_use(
        &x, &air, at_start,
        "\"name\":\"mcp__a__b\",\"status\":\"pending\",\"title\":\"mcp__a__b\",\"kind\":\"other\","
        "\"content\":[],"
        "\"_meta\":{\"claudeCode\":{\"parentToolUseId\":\"p\\\"1\",\"toolName\":\"mcp__a__b\",\"yours\":{}},"
        "\"is_mcp_tool_call\":true,\"jetbrains\":{\"air\":{\"version\":1,\"subagent\":true,"
        "\"skill\":{\"name\":\"s\",\"path\":\"/s/SKILL.md\"},\"mine\":[1]}}}}");
    assert_use(&x, &zed, at_start,
               "\"name\":\"mcp__a__b\",\"status\":\"pending\",\"title\":\"mcp__a__b\",\"kind\":\"other\","
               "\"content\":[],"
               "\"rawInput\":{},\"_meta\":{\"claudeCode\":{\"parentToolUseId\":\"p\\\"1\",\"toolName\":\"mcp_"
               "_a__b\","
               "\"yours\":{}}}}");
    x.cx.skill_path = STR_ABSENT;
    x.use.subagent = false;
    assert_use(&x, &air, partly,
               "\"title\":\"mcp__a__b\",\"kind\":\"other\",\"_meta\":{\"claudeCode\":{\"parentToolUseId\":"
               "\"p\\\"1\","
               "\"toolName\":\"mcp__a__b\",\"yours\":{}},\"jetbrains\":{\"air\":{\"version\":1,"
               "\"skill\":{\"name\":\"s\"},\"mine\":[1]}}}}");
    end(&x);
}

static void test_locations_with_a_further_path(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Read", "{}");
    x.cx.client = &plain;
    assert_null(render_locations(&x.cx, &x.use, STR_ABSENT).p);
    assert_str(render_locations(&x.cx, &x.use, STR("/b")), "[{\"path\":\"/b\"}]");
    location(&x.use, BOTH, "/a", 0);
    assert_str(render_locations(&x.cx, &x.use, STR("/a")), "[{\"path\":\"/a\",\"line\":0}]");
    assert_str(render_locations(&x.cx, &x.use, STR("/b")),
               "[{\"path\":\"/a\",\"line\":0},{\"path\":\"/b\"}]");
    end(&x);
}

/* ---- Results ----------------------------------------------------------------------------------------- */

static void test_the_output_of_a_command(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Bash", "{}");
    x.use.command = true;
    answer(&x, "\"out\"", false);
    output(&x.facts, "\n out \n\xC2\xA0", 0);
#define EXIT(code) "\"terminal_exit\":{\"terminal_id\":\"t1\",\"exit_code\":" code ",\"signal\":null}"
#define OUT        "{\"terminal_id\":\"t1\",\"data\":\"\\n out \\n\xC2\xA0\"}"
    assert_result(&x, &air,
                  "\"_meta\":{\"terminal_output_delta\":" OUT "}}\n"
                  "\"status\":\"completed\",\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"}," EXIT(
                      "0") "}}");
    assert_result(&x, &zed,
                  "\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"},\"terminal_output\":" OUT
                  "}}\n\"status\":\"completed\",\"content\":[" TERMINAL "],"
                  "\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"}," EXIT("0") "}}");
    assert_result(&x, &air_min,
                  "\"status\":\"completed\",\"content\":[" TEXT("```console\\n\\n out\\n```") "]," META(
                      TOOL("Bash")));
    assert_result(&x, &plain,
                  "\"status\":\"completed\",\"content\":[" TEXT(
                      "```console\\n\\n out\\n```") "],\"rawOutput\":\"out\"," META(TOOL("Bash")));
    output(&x.facts, " \n", -1);
    assert_result(&x, &plain, "\"status\":\"completed\",\"rawOutput\":\"out\"," META(TOOL("Bash")));
    assert_result(&x, &air_min, "\"status\":\"completed\",\"rawOutput\":\"out\"," META(TOOL("Bash")));
    /* an empty output ends a terminal too */
    output(&x.facts, "", -1);
    assert_result(&x, &zed,
                  "\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"},\"terminal_output\":{\"terminal_id\":"
                  "\"t1\",\"data\":\"\"}}}\n"
                  "\"status\":\"completed\",\"content\":[" TERMINAL "],"
                  "\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"}," EXIT("null") "}}");
    end(&x);
}

static void test_a_command_that_fails(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Bash", "{}");
    x.call.parent = STR("p1");
    answer(&x, "\"Exit code 3\"", true);
    output(&x.facts, "Exit code 3", 3);
#define SUB_BASH "{\"claudeCode\":{\"parentToolUseId\":\"p1\",\"toolName\":\"Bash\"}"
    assert_result(&x, &air,
                  "\"_meta\":{\"claudeCode\":{\"parentToolUseId\":\"p1\"},"
                  "\"terminal_output_delta\":{\"terminal_id\":\"t1\",\"data\":\"Exit code 3\"}}}\n"
                  "\"status\":\"failed\",\"_meta\":" SUB_BASH "," EXIT("3") "}}");
    assert_result(&x, &zed,
                  "\"_meta\":" SUB_BASH ","
                  "\"terminal_output\":{\"terminal_id\":\"t1\",\"data\":\"Exit code 3\"}}}\n"
                  "\"status\":\"failed\",\"content\":[" TERMINAL "],\"_meta\":" SUB_BASH "," EXIT("3") "}}");
    assert_result(&x, &plain,
                  "\"status\":\"failed\",\"content\":[" TEXT(
                      "```\\nExit code 3\\n```") "],"
                                                 "\"rawOutput\":\"Exit code 3\",\"_meta\":" SUB_BASH "}}");
    assert_result(&x, &air_min,
                  "\"status\":\"failed\",\"content\":[" TEXT(
                      "```\\nExit code 3\\n```") "],\"_meta\":" SUB_BASH "}}");
    /* the reporter's own form of the failure stands in for the output, not beside it */
    content(&x.facts, BOTH, "broken");
    assert_result(&x, &air_min,
                  "\"status\":\"failed\",\"content\":[" TEXT("broken") "],\"_meta\":" SUB_BASH "}}");
    assert_result(&x, &zed,
                  "\"_meta\":" SUB_BASH ","
                  "\"terminal_output\":{\"terminal_id\":\"t1\",\"data\":\"Exit code 3\"}}}\n"
                  "\"status\":\"failed\",\"content\":[" TERMINAL "],\"_meta\":" SUB_BASH "," EXIT("3") "}}");
    end(&x);

    /* a failure without a text shows what there is */
    begin(&x, "Bash", "{}");
    answer(&x, "\"\"", true);
    output(&x.facts, "x", -1);
    assert_result(&x, &air_min,
                  "\"status\":\"failed\",\"content\":[" TEXT("```console\\nx\\n```") "]," META(TOOL("Bash")));
    end(&x);
}

static void test_an_interrupted_command(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Bash", "{}");
    answer(&x, "\"x\"", false);
    output(&x.facts, "x", -1);
    x.facts.interrupted = true;
    assert_result(&x, &air,
                  "\"_meta\":{\"terminal_output_delta\":{\"terminal_id\":\"t1\",\"data\":\"x\"}}}\n"
                  "\"status\":\"completed\",\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"}," EXIT(
                      "1") "}}");
    assert_result(&x, &v2,
                  "\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"},\"terminal_output\":{\"terminal_id\":"
                  "\"t1\",\"data\":\"x\"}}}\n"
                  "\"status\":\"cancelled\",\"content\":[" TERMINAL "],"
                  "\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"}," EXIT("null") "}}");
    end(&x);
}

static void test_a_background_command(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Bash", "{}");
    answer(&x, "\"x\"", false);
    output(&x.facts, "x", -1);
    x.in.background = x.in.background_live = true;
#define BACKGROUND "\"jetbrains\":{\"air\":{\"version\":1,\"asyncTasks\":{\"backgrounded\":true}}}}}"
    assert_result(&x, &air,
                  "\"_meta\":{\"terminal_output_delta\":{\"terminal_id\":\"t1\",\"data\":\"x\"}," BACKGROUND
                  "\n"
                  "\"status\":\"completed\",\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"}," BACKGROUND);
    assert_result(&x, &zed,
                  "\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"},\"terminal_output\":{\"terminal_id\":"
                  "\"t1\",\"data\":\"x\"}}}\n"
                  "\"status\":\"completed\",\"content\":[" TERMINAL "]," META(TOOL("Bash")));
    struct client_capabilities no_tasks = air;
    no_tasks.air_async_tasks = false;
    assert_result(&x, &no_tasks,
                  "\"_meta\":{\"terminal_output_delta\":{\"terminal_id\":\"t1\",\"data\":\"x\"}}}\n"
                  "\"status\":\"completed\"," META(TOOL("Bash")));
    end(&x);
}

static void test_content_and_raw_output(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Read", "{}");
    answer(&x, "[{\"type\":\"text\",\"text\":\"x\"}]", false);
    content(&x.facts, BOTH, "seen");
    const char *raw = "\"rawOutput\":[{\"type\":\"text\",\"text\":\"x\"}],";
    AUTO_BUF(both);
    buf_printf(&both, "\"status\":\"completed\",\"content\":[%s],%s%s", TEXT("seen"), raw,
               META(TOOL("Read")));
    assert_result(&x, &air, "\"status\":\"completed\",\"content\":[" TEXT("seen") "]," META(TOOL("Read")));
    assert_result(&x, &zed, buf_c(&both));
    end(&x);

    /* no content stated: the raw output carries the result */
    begin(&x, "Write", "{}");
    answer(&x, "\"done\"", false);
    for (size_t i = 0; i < 3; i++) {
        assert_result(&x,
                      i == 0   ? &air
                      : i == 1 ? &zed
                               : &plain,
                      "\"status\":\"completed\",\"rawOutput\":\"done\"," META(TOOL("Write")));
    }
    x.facts.general = true; /* as the host leaves an empty result */
    x.facts.content[FORM_PLAIN].stated = x.facts.content[FORM_FACT].stated = true;
    assert_result(&x, &air, "\"status\":\"completed\",\"rawOutput\":\"done\"," META(TOOL("Write")));
    x.facts.general = false; /* stated to be empty */
    assert_result(&x, &air, "\"status\":\"completed\",\"content\":[]," META(TOOL("Write")));
    x.in.result = JSON_NONE;
    x.facts.content[FORM_PLAIN].stated = false;
    assert_result(&x, &plain, "\"status\":\"completed\"," META(TOOL("Write")));
    end(&x);
}

static void test_decided_raw_output(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "ExitPlanMode", "{\"plan\":\"p\"}");
    answer(&x, "\"```\\nno\\n```\"", true);
    content(&x.facts, FORM_PLAIN, "```\nno\n```");
    for (int i = 0; i < FORM_COUNT; i++) {
        x.facts.raw_output_stated[i] = true;
        x.facts.raw_output[i] = STR("\"no\"");
    }
    assert_result(&x, &air, "\"status\":\"failed\",\"rawOutput\":\"no\"," META(TOOL("ExitPlanMode")));
    assert_result(&x, &zed,
                  "\"status\":\"failed\",\"content\":[" TEXT("```\\nno\\n```") "],\"rawOutput\":\"no\"," META(
                      TOOL("ExitPlanMode")));
    x.in.accepted_plan = true;
    assert_result(&x, &zed, "\"status\":\"completed\"," META(TOOL("ExitPlanMode")));
    end(&x);

    begin(&x, "ExitPlanMode", "{\"plan\":\"p\"}");
    x.use.plan_text_key = STR("plan");
    x.use.plan_path_key = STR("planFilePath");
    answer(&x, "\"ok\"", false);
    title(&x.facts, BOTH, "Exited Plan Mode");
    x.facts.raw_output_stated[FORM_FACT] = true;
    x.in.plan_file = STR("/p/plan.md");
    assert_result(&x, &air,
                  "\"status\":\"completed\",\"title\":\"Exited Plan "
                  "Mode\",\"rawInput\":{\"planFilePath\":\"/p/plan.md\"}," META(TOOL("ExitPlanMode")));
    assert_result(&x, &zed,
                  "\"status\":\"completed\",\"title\":\"Exited Plan Mode\",\"rawOutput\":\"ok\"," META(
                      TOOL("ExitPlanMode")));
    end(&x);
}

static void test_a_tool_that_did_not_run(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Read", "{}");
    answer(&x, "\"no\"", true);
    x.in.non_execution_kind = STR("interrupted");
    x.in.user_feedback = STR("why \"this\"");
    content(&x.facts, BOTH, "no");
    extra(&x.facts, false, "more", "1");
#define NOT_RUN                                                                                              \
    META(TOOL(                                                                                               \
        "Read") ",\"nonExecutionKind\":\"interrupted\",\"userFeedback\":\"why \\\"this\\\"\",\"more\":1")
    assert_result(&x, &air, "\"status\":\"failed\",\"content\":[" TEXT("no") "]," NOT_RUN);
    assert_result(&x, &v2,
                  "\"status\":\"cancelled\",\"content\":[" TEXT("no") "],\"rawOutput\":\"no\"," NOT_RUN);
    x.in.non_execution_kind = STR("user-rejected");
    x.in.user_feedback = STR_ABSENT;
    assert_result(&x, &v2,
                  "\"status\":\"failed\",\"content\":[" TEXT("no") "],\"rawOutput\":\"no\"," META(
                      TOOL("Read") ",\"nonExecutionKind\":\"user-rejected\",\"more\":1"));
    x.in.stopped = true;
    assert_result(&x, &v2,
                  "\"status\":\"cancelled\",\"content\":[" TEXT("no") "],\"rawOutput\":\"no\"," META(
                      TOOL("Read") ",\"nonExecutionKind\":\"user-rejected\",\"more\":1"));
    end(&x);
}

static void test_images(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Read", "{}");
    answer(&x, "\"x\"", false);
    struct fact_content image = {.type = CONTENT_IMAGE, .mime_type = STR("image/png"), .data = STR("QUJD")};
    x.facts.content[FORM_FACT] = (struct fact_contents){.stated = true, .first = &image, .last = &image};
    assert_result(
        &x, &air,
        "\"status\":\"completed\",\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"image\","
        "\"data\":\"QUJD\",\"mimeType\":\"image/png\"}}]," META(TOOL("Read")));
    end(&x);
}

static void test_results_without_a_report(void **state)
{
    (void)state;
    struct fixture x;
    struct tool_report r;
    begin(&x, "TaskCreate", "{}");
    x.cx.client = &air;
    x.call.parent = STR("p");
    answer(&x, "\"ok\"", false);
    render_plan_call_result(&x.cx, &x.call, &x.in, &r);
    assert_true(r.untracked);
    assert_reports(&r, 1,
                   "\"status\":\"completed\",\"rawOutput\":\"ok\"," META(
                       "\"parentToolUseId\":\"p\"," TOOL("TaskCreate")));
    end(&x);
}

/* ---- Finished tools and other ends ------------------------------------------------------------------- */

static bool finished(struct fixture *x, const struct client_capabilities *c, str shown, str places,
                     struct tool_report *r)
{
    x->cx.client = c;
    return render_finished(&x->cx, &x->call, &x->facts, x->in.result, shown, places, r);
}

static void test_a_finished_tool(void **state)
{
    (void)state;
    struct fixture x;
    struct tool_report r;
    begin(&x, "Edit", "{}");
    answer(&x, "{\"status\":\"async\",\"big\":\"text\",\"isAsync\":true}", false);
    assert_true(finished(&x, &air, STR_ABSENT, STR_ABSENT, &r));
    assert_reports(&r, 1, META("\"toolResponse\":{\"status\":\"async\",\"isAsync\":true}," TOOL("Edit")));
    assert_true(finished(&x, &zed, STR("[1]"), STR("[2]"), &r));
    assert_true(r.replaces_pinned);
    assert_reports(&r, 1,
                   "\"content\":[1],\"locations\":[2]," META(
                       "\"toolResponse\":{\"status\":\"async\",\"big\":\"text\",\"isAsync\":true}," TOOL(
                           "Edit")));
    answer(&x, "{\"status\":5,\"isAsync\":\"no\"}", false);
    assert_false(finished(&x, &air, STR_ABSENT, STR_ABSENT, &r));
    assert_false(finished(&x, &v2, STR_ABSENT, STR_ABSENT, &r));
    assert_true(finished(&x, &air, STR("[1]"), STR_ABSENT, &r));
    assert_reports(&r, 1, "\"content\":[1]," META(TOOL("Edit")));
    answer(&x, "\"text\"", false);
    assert_false(finished(&x, &air, STR_ABSENT, STR_ABSENT, &r));
    assert_true(finished(&x, &plain, STR_ABSENT, STR_ABSENT, &r));
    assert_reports(&r, 1, META("\"toolResponse\":\"text\"," TOOL("Edit")));
    /* what the reporter stated by itself */
    content(&x.facts, BOTH, "c");
    location(&x.facts, BOTH, "/a", -1);
    assert_true(finished(&x, &air, STR_ABSENT, STR_ABSENT, &r));
    assert_reports(&r, 1,
                   "\"content\":[" TEXT("c") "],\"locations\":[{\"path\":\"/a\"}]," META(TOOL("Edit")));
    end(&x);
}

static void denied(struct fixture *x, const struct client_capabilities *c, const char *message,
                   const char *expected)
{
    struct tool_report r;
    x->cx.client = c;
    answer(x, message, false);
    render_denied(&x->cx, &x->call, x->in.result, &r);
    assert_true(r.replaces_pinned);
    assert_reports(&r, 1, expected);
}

static void test_a_denial(void **state)
{
    (void)state;
    struct fixture x;
    begin(&x, "Bash", "{}");
    x.call.parent = STR("p");
    const char *message = "{\"tool_name\":\"Bash\",\"decision_reason_type\":\"rule\",\"decision_reason\":"
                          "\"R\",\"message\":\"M\"}";
#define DENIED(response)                                                                                     \
    "\"status\":\"failed\",\"content\":[" TEXT("Permission denied: R") "]," META(                            \
        "\"parentToolUseId\":\"p\"," TOOL("Bash") ",\"toolResponse\":" response)
    denied(&x, &zed, message,
           DENIED("{\"decisionReasonType\":\"rule\",\"decisionReason\":\"R\",\"message\":\"M\"}"));
    denied(&x, &air, message, DENIED("{\"decisionReasonType\":\"rule\",\"message\":\"M\"}"));
    denied(&x, &v2, "{\"decision_reason_type\":\"rule\",\"decision_reason\":\"R\",\"message\":\"R\"}",
           DENIED("{\"decisionReasonType\":\"rule\"}"));
    denied(&x, &zed, "{\"message\":\"R\"}", DENIED("{\"message\":\"R\"}"));
    denied(&x, &air, "{\"message\":\"R\"}", DENIED("{}"));
    denied(&x, &air, "[]",
           "\"status\":\"failed\",\"content\":[" TEXT("Permission denied") "]," META(
               "\"parentToolUseId\":\"p\"," TOOL("Bash") ",\"toolResponse\":{}"));
    end(&x);
}

static void test_progress(void **state)
{
    (void)state;
    struct fixture x;
    struct tool_report r;
    begin(&x, "Agent", "{}");
    answer(&x,
           "{\"tool_name\":\"Bash\",\"elapsed_time_seconds\":2.5,\"subagent_type\":\"x\",\"subagent_retry\":{"
           "\"n\":1}}",
           false);
    x.cx.client = &air;
    render_progress(&x.cx, &x.call, x.in.result, true, STR("p"), &r);
    assert_reports(&r, 1,
                   "\"status\":\"in_progress\"," META("\"parentToolUseId\":\"p\"," TOOL(
                       "Agent") ",\"toolResponse\":{\"elapsedTimeSeconds\":2.5,\"subagentType\":\"x\","
                                "\"subagentRetry\":{\"n\":1}}"));
    render_progress(&x.cx, &x.call, x.in.result, false, STR("t1"),
                    &r); /* a child's call with its launch's id */
    assert_reports(&r, 1,
                   "\"status\":\"in_progress\"," META("\"parentToolUseId\":\"t1\"," TOOL(
                       "Bash") ",\"toolResponse\":{\"elapsedTimeSeconds\":2.5,\"subagentType\":\"x\","
                               "\"subagentRetry\":{\"n\":1}}"));
    x.call.name = STR_ABSENT;
    answer(&x, "{}", false);
    render_progress(&x.cx, &x.call, x.in.result, true, STR_ABSENT, &r);
    assert_reports(&r, 1, "\"status\":\"in_progress\"," META("\"toolResponse\":{}"));
    x.cx.client = &zed;
    answer(&x, "{\"tool_name\":\"Bash\"}", false);
    render_progress(&x.cx, &x.call, x.in.result, true, STR_ABSENT, &r);
    assert_reports(&r, 1, "\"status\":\"in_progress\"," META(TOOL("Bash") ",\"toolResponse\":{}"));
    end(&x);
}

static void test_closed_calls(void **state)
{
    (void)state;
    static const struct {
        enum render_close why;
        const char *text;
        bool cancelled;
    } rows[] = {
        {CLOSE_NOT_RUN, "Claude stopped this tool call before it ran.", true},
        {CLOSE_CANCELLED, "The turn was cancelled before this tool call returned a result.", true},
        {CLOSE_NO_RESULT, "Claude ended the turn without returning a result for this tool.", false},
    };
    struct fixture x;
    begin(&x, "Bash", "{}");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (int version = 1; version <= 2; version++) {
            AUTO_BUF(expected);
            struct tool_report r;
            x.cx.client = version == 2 ? &v2 : &air;
            render_closed(&x.cx, &x.call, rows[i].why, &r);
            buf_printf(&expected, "\"status\":\"%s\",\"content\":[%s%s%s",
                       version == 2 && rows[i].cancelled ? "cancelled" : "failed",
                       "{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"", rows[i].text,
                       version == 2 ? "\"}}],\"_meta\":{\"claudeCode\":{\"toolName\":\"Bash\"}}" : "\"}}]");
            buf_put_c(&expected, "}");
            assert_reports(&r, 1, buf_c(&expected));
        }
    }
    struct tool_report r;
    x.cx.client = &zed; /* a subagent's call that its hook said to have succeeded */
    render_closed(&x.cx, &x.call, CLOSE_SUCCEEDED, &r);
    assert_reports(&r, 1, "\"status\":\"completed\"," META(TOOL("Bash")));
    end(&x);
}

/* ---- Hostile facts ----------------------------------------------------------------------------------- */

static void test_hostile_texts_stay_json(void **state)
{
    (void)state;
    struct fixture x;
    struct tool_report r[2];
    begin(&x, "T", "{\"a\\u0000b\":1,\"x\":2}");
    x.use.title[FORM_FACT] = (str){"a\0\x1b\"\xED\xA0\x80", 7};
    x.facts.output_stated = true;
    x.facts.output = x.use.title[FORM_FACT];
    text_key(&x.use, "x");
    x.call.id = STR("t1");
    x.call.parent = (str){"\0", 1};
    for (int i = 0; i < 100; i++) {
        extra(&x.use, i % 2, "k", "{}");
    }
    answer(&x, "{\"a\":[{}]}", true);
    assert_use(&x, &air, complete,
               "\"title\":\"a\\u0000\\u001b\\\"\\ud800\",\"kind\":\"other\",\"content\":[],\"rawInput\":{"
               "\"a\\u0000b\":1}"
               ",\"_meta\":{\"claudeCode\":{\"parentToolUseId\":\"\\u0000\",\"toolName\":\"T\""
               ",\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},"
               "\"k\":{},\"k\":{}"
               ",\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},"
               "\"k\":{}},"
               "\"jetbrains\":{\"air\":{\"version\":1"
               ",\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},"
               "\"k\":{},\"k\":{}"
               ",\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},\"k\":{},"
               "\"k\":{}}}}}");
    const struct client_capabilities *const clients[] = {&air, &air_min, &zed, &plain, &v2};
    for (size_t i = 0; i < ARRAY_LEN(clients); i++) {
        x.cx.client = clients[i];
        size_t n = render_result(&x.cx, &x.call, &x.use, &x.facts, &x.in, r);
        for (size_t j = 0; j < n; j++) {
            AUTO_BUF(b);
            json_open_object(&b);
            tool_report_put_v1(&b, &r[j]);
            json_close_object(&b);
            AUTO_JSON(doc) = json_parse(buf_str(&b), NULL);
            assert_non_null(doc);
        }
    }
    assert_true(arena_ok(&x.arena));
    end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_report),
        cmocka_unit_test(test_facts_that_are_missing),
        cmocka_unit_test(test_a_partial_input_refines_little),
        cmocka_unit_test(test_a_command),
        cmocka_unit_test(test_an_edit),
        cmocka_unit_test(test_a_write),
        cmocka_unit_test(test_a_plan),
        cmocka_unit_test(test_two_forms),
        cmocka_unit_test(test_marks_of_a_use),
        cmocka_unit_test(test_locations_with_a_further_path),
        cmocka_unit_test(test_the_output_of_a_command),
        cmocka_unit_test(test_a_command_that_fails),
        cmocka_unit_test(test_an_interrupted_command),
        cmocka_unit_test(test_a_background_command),
        cmocka_unit_test(test_content_and_raw_output),
        cmocka_unit_test(test_decided_raw_output),
        cmocka_unit_test(test_a_tool_that_did_not_run),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_results_without_a_report),
        cmocka_unit_test(test_a_finished_tool),
        cmocka_unit_test(test_a_denial),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_closed_calls),
        cmocka_unit_test(test_hostile_texts_stay_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
