/* The functions that a reporter is handed, called as a reporter calls them. */
#include "unit.h"

#include "report/blocks.h"
#include "reporter_host/host_functions.h"

struct bench {
    herald_host host;
    struct herald_facts x;
    struct facts facts;
    struct arena arena;
    struct reporter_call call;
    struct json_doc *doc;
    bool logged;
};

static int bench_setup(void **state)
{
    struct bench *b = calloc(1, sizeof(*b));
    assert_non_null(b);
    host_functions_reading(&b->host);
    host_functions_use(&b->host);
    host_functions_result(&b->host);
    b->call = (struct reporter_call){.cwd = STR("/work/project"), .process_cwd = STR("/")};
    b->x = (struct herald_facts){.active = true,
                                 .facts = &b->facts,
                                 .call = &b->call,
                                 .file = "f.so",
                                 .reporter = "r",
                                 .callback = "use",
                                 .refusal_logged = &b->logged};
    facts_begin(&b->facts, &b->arena, PHASE_USE);
    *state = b;
    return 0;
}

static int bench_teardown(void **state)
{
    struct bench *b = *state;
    json_unref(b->doc);
    arena_free(&b->x.scratch);
    arena_free(&b->arena);
    free(b);
    return 0;
}

static void phase(struct bench *b, enum fact_phase p)
{
    facts_begin(&b->facts, &b->arena, p);
    memset(b->x.counts, 0, sizeof(b->x.counts));
}

static herald_value parse(struct bench *b, const char *text)
{
    json_unref(b->doc);
    b->doc = parse_or_fail(text);
    return value_of_json(json_root(b->doc));
}

static herald_string hs(const char *c)
{
    return (herald_string){c, c ? strlen(c) : 0};
}

#define assert_hstr(actual, expected) assert_str(str_of_string(actual), expected)

/* ---- Reading ------------------------------------------------------------------------------------- */

static void test_reads_values(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    herald_value v = parse(b, "{\"s\":\"a\\u0000b\",\"n\":2.5,\"i\":9007199254740993,\"t\":true,\"z\":null,"
                              "\"a\":[1,\"\",{}],\"n\":3}");
    assert_int_equal(h->type(v), HERALD_OBJECT);
    assert_int_equal(h->type(h->member(v, hs("z"))), HERALD_NULL);
    assert_int_equal(h->type(h->member(v, hs("t"))), HERALD_BOOLEAN);
    assert_int_equal(h->type(h->member(v, hs("nope"))), HERALD_MISSING);
    assert_int_equal(h->text(h->member(v, hs("s"))).size, 3);
    double d = 0;
    int64_t i = 0;
    assert_true(h->number(h->member(v, hs("n")), &d));
    assert_true(d == 3); /* the last of equal names */
    assert_true(h->integer(h->member(v, hs("i")), &i));
    assert_true(i == 9007199254740993);
    assert_false(h->integer(h->member(v, hs("s")), &i));
    assert_true(h->is_true(h->member(v, hs("t"))));
    herald_value a = h->member(v, hs("a"));
    assert_int_equal(h->count(a), 3);
    assert_true(h->truthy(h->element(a, 0)));
    assert_false(h->truthy(h->element(a, 1)));
    assert_true(h->truthy(h->element(a, 2)));
    assert_int_equal(h->type(h->element(a, 3)), HERALD_MISSING);
    assert_int_equal(h->type(h->element(v, 0)), HERALD_MISSING);
}

static void test_missing_values_are_harmless(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    const herald_value none[] = {{NULL, 0}, {NULL, 77}, {b, UINT64_MAX}, {b, (uint64_t)UINT32_MAX + 1}};
    for (size_t k = 0; k < ARRAY_LEN(none); k++) {
        uint64_t cursor = 0;
        double d = 7;
        assert_int_equal(h->type(none[k]), HERALD_MISSING);
        assert_null(h->member(none[k], hs("x")).document);
        assert_null(h->element(none[k], 0).document);
        assert_int_equal(h->count(none[k]), 0);
        assert_false(h->next(none[k], &cursor, NULL, NULL));
        assert_null(h->text(none[k]).data);
        assert_false(h->number(none[k], &d));
        assert_false(h->is_true(none[k]) || h->truthy(none[k]));
        assert_null(h->json(&b->x, none[k], 0).data);
        assert_null(h->result_text(&b->x, none[k]).data);
        assert_true(d == 7);
    }
    herald_value v = parse(b, "{\"a\":1}");
    assert_null(h->member(v, hs(NULL)).document);
    assert_null(h->member(v, (herald_string){"a", SIZE_MAX}).document);
    assert_false(h->number(h->member(v, hs("a")), NULL));
    assert_false(h->next(v, NULL, NULL, NULL));
}

static void test_walks_and_survives_bad_cursors(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    herald_value v = parse(b, "{\"a\":{\"x\":[1,2]},\"b\":\"B\"}"), item;
    herald_string name;
    uint64_t cursor = 0;
    assert_true(h->next(v, &cursor, &name, &item));
    assert_hstr(name, "a");
    assert_int_equal(h->type(item), HERALD_OBJECT);
    assert_true(h->next(v, &cursor, NULL, &item));
    assert_hstr(h->text(item), "B");
    assert_false(h->next(v, &cursor, &name, &item));
    assert_false(h->next(v, &cursor, &name, &item));
    v = parse(b, "[10]");
    cursor = 0;
    assert_true(h->next(v, &cursor, &name, NULL));
    assert_null(name.data);
    v = parse(b, "{\"a\":{\"x\":[1,2]},\"b\":\"B\"}");
    for (uint64_t c = 1; c < 64; c++) { /* nothing to expect of them but an end */
        cursor = c;
        for (int n = 0; h->next(v, &cursor, &name, &item); n++) {
            assert_true(n < 64);
        }
    }
    cursor = UINT64_MAX;
    assert_false(h->next(v, &cursor, &name, &item));
}

static void test_prints_json(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    herald_value v =
        parse(b, "{ \"b\" : 1e15,\n \"a\":[ ], \"s\":\" : , \\\" {\" , \"n\":9007199254740993 }");
    assert_hstr(h->json(&b->x, v, 0), "{\"b\":1e15,\"a\":[],\"s\":\" : , \\\" {\",\"n\":9007199254740993}");
    assert_hstr(h->json(&b->x, v, 2), "{\n  \"b\": 1e15,\n  \"a\": [],\n  \"s\": \" : , \\\" {\",\n"
                                      "  \"n\": 9007199254740993\n}");
    assert_int_equal(h->json(&b->x, v, UINT32_MAX).size, h->json(&b->x, v, 8).size);
    assert_hstr(h->json(&b->x, parse(b, " \"x\" "), 0), "\"x\"");
}

/* ---- Texts --------------------------------------------------------------------------------------- */

static void test_text_rules(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    static const struct {
        const char *text, *fenced;
    } fences[] = {
        {"", "```\n\n```"},
        {"x", "```\nx\n```"},
        {"x\n", "```\nx\n```"},
        {"``` not at ```", "````\n``` not at ```\n````"},
        {"a ```` b", "```\na ```` b\n```"},
        {"a\n`````\nb", "``````\na\n`````\nb\n``````"},
        {"a\r````", "`````\na\r````\n`````"},
        {"a\xE2\x80\xA8```", "````\na\xE2\x80\xA8```\n````"},
        {"a\xE2\x80\xA9```x", "````\na\xE2\x80\xA9```x\n````"},
        {"a\xE2\x80\xA7```", "```\na\xE2\x80\xA7```\n```"},
        {"\xE2\x80", "```\n\xE2\x80\n```"},
    };
    for (size_t i = 0; i < ARRAY_LEN(fences); i++) {
        assert_hstr(h->fence(&b->x, hs(NULL), hs(fences[i].text)), fences[i].fenced);
    }
    assert_hstr(h->fence(&b->x, hs("json"), hs("{}")), "```json\n{}\n```");
    assert_hstr(h->fence(&b->x, hs("a`b\n"), hs("{}")), "```\n{}\n```");
    assert_hstr(h->error_text(&b->x, hs("```\n")), "```\n```\n\n```");
    static const struct {
        uint64_t bytes;
        const char *label;
    } sizes[] = {
        {0, "0 B"},       {1023, "1023 B"},       {1024, "1.0 KB"},    {1280, "1.3 KB"}, /* a tie goes up */
        {2458, "2.4 KB"}, {1048575, "1024.0 KB"}, {1048576, "1.0 MB"}, {UINT64_MAX, "17592186044416.0 MB"},
    };
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        assert_hstr(h->size_label(&b->x, sizes[i].bytes), sizes[i].label);
    }
    assert_hstr(h->display_path(&b->x, hs("/work/project/a/../b.c")), "b.c");
    assert_hstr(h->display_path(&b->x, hs("/work/project")), "");
    assert_hstr(h->display_path(&b->x, hs("/else/./where")), "/else/./where");
    assert_null(h->display_path(&b->x, hs(NULL)).data);
}

static void test_result_text(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    assert_hstr(h->result_text(&b->x, parse(b, "\"plain\"")), "plain");
    assert_hstr(h->result_text(&b->x,
                               parse(b, "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\"},7,"
                                        "{\"type\":\"text\",\"text\":\"\"},{\"type\":\"text\",\"text\":5},"
                                        "{\"type\":\"text\",\"text\":\"b\"}]")),
                "a\n\nb");
    assert_hstr(h->result_text(&b->x, parse(b, "{\"type\":\"text\",\"text\":\"a\"}")), "a");
    assert_null(h->result_text(&b->x, parse(b, "[]")).data);
    assert_null(h->result_text(&b->x, parse(b, "12")).data);
}

static void test_scratch_and_a_context_that_is_over(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    char *p = h->scratch(&b->x, 1000);
    assert_non_null(p);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(p[i], 0);
    }
    assert_non_null(h->scratch(&b->x, 0));
    assert_null(h->scratch(&b->x, (size_t)HERALD_MAX_TEXT + 1));
    assert_null(h->scratch(&b->x, SIZE_MAX));
    assert_non_null(h->scratch(&b->x, 10));
    assert_null(h->scratch(NULL, 10));
    b->x.active = false;
    assert_null(h->scratch(&b->x, 10));
    assert_null(h->fence(&b->x, hs(""), hs("x")).data);
    assert_int_equal(h->set_title(&b->x, HERALD_BOTH, hs("x")), HERALD_E_ARGUMENT);
    assert_int_equal(h->set_title(NULL, HERALD_BOTH, hs("x")), HERALD_E_ARGUMENT);
    assert_null(b->facts.title[FORM_FACT].p);
}

/* ---- Stating ------------------------------------------------------------------------------------- */

static void test_texts_are_copied_and_checked(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    char mine[] = "mine";
    assert_int_equal(h->set_title(&b->x, HERALD_BOTH, hs(mine)), HERALD_OK);
    memset(mine, 'x', 4);
    assert_str(b->facts.title[FORM_FACT], "mine");
    assert_int_equal(h->set_title(&b->x, HERALD_PLAIN, hs("plain")), HERALD_OK);
    assert_str(b->facts.title[FORM_FACT], "mine");
    assert_str(b->facts.title[FORM_PLAIN], "plain");

    char *large = calloc(1, (size_t)HERALD_MAX_TITLE + 1);
    memset(large, 'a', (size_t)HERALD_MAX_TITLE + 1);
    assert_int_equal(h->set_title(&b->x, HERALD_BOTH, (herald_string){large, (size_t)HERALD_MAX_TITLE + 1}),
                     HERALD_E_TOO_LARGE);
    assert_int_equal(h->set_title(&b->x, HERALD_FACT, (herald_string){large, (size_t)HERALD_MAX_TITLE}),
                     HERALD_OK);
    free(large);
    static const char *const spoilt[] = {"\xFF", "a\xC3", "\xC0\x80", "\xF5\x80\x80\x80"};
    for (size_t i = 0; i < ARRAY_LEN(spoilt); i++) {
        assert_int_equal(h->set_title(&b->x, HERALD_BOTH, hs(spoilt[i])), HERALD_E_ENCODING);
    }
    assert_int_equal(h->set_title(&b->x, HERALD_BOTH, hs(NULL)), HERALD_E_ARGUMENT);
    assert_int_equal(h->set_title(&b->x, HERALD_BOTH, (herald_string){NULL, 9}), HERALD_E_ARGUMENT);
    assert_int_equal(h->set_title(&b->x, (herald_form)3, hs("x")), HERALD_E_ARGUMENT);
    assert_int_equal(h->set_title(&b->x, (herald_form)-1, hs("x")), HERALD_E_ARGUMENT);
    assert_str(b->facts.title[FORM_PLAIN], "plain");
    assert_int_equal(h->set_title(&b->x, HERALD_BOTH, (herald_string){"\xED\xA0\xBD\0x", 5}), HERALD_OK);
    assert_int_equal(b->facts.title[FORM_PLAIN].n, 5);
    assert_true(b->logged);
}

static void test_facts_of_a_use(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    struct facts *f = &b->facts;
    assert_int_equal(h->set_kind(&b->x, HERALD_FACT, HERALD_KIND_SWITCH_MODE), HERALD_OK);
    assert_int_equal(f->kind[FORM_FACT], KIND_SWITCH_MODE);
    assert_int_equal(f->kind[FORM_PLAIN], -1);
    assert_int_equal(h->set_kind(&b->x, HERALD_BOTH, (herald_kind)10), HERALD_E_ARGUMENT);
    assert_int_equal(h->set_kind(&b->x, HERALD_BOTH, (herald_kind)-1), HERALD_E_ARGUMENT);

    assert_int_equal(h->set_locations(&b->x, HERALD_PLAIN), HERALD_OK);
    assert_true(f->locations[FORM_PLAIN].stated && !f->locations[FORM_FACT].stated);
    assert_int_equal(h->add_location(&b->x, HERALD_BOTH, hs("a"), 0), HERALD_OK);
    assert_int_equal(h->add_location(&b->x, HERALD_BOTH, hs("b"), HERALD_NO_LINE), HERALD_OK);
    assert_int_equal(h->add_location(&b->x, HERALD_BOTH, hs("b"), -2), HERALD_E_ARGUMENT);
    assert_int_equal(h->add_location(&b->x, HERALD_BOTH, hs(""), 1), HERALD_E_ARGUMENT);
    char path[HERALD_MAX_PATH + 1];
    memset(path, 'p', sizeof(path));
    assert_int_equal(h->add_location(&b->x, HERALD_BOTH, (herald_string){path, sizeof(path)}, 1),
                     HERALD_E_TOO_LARGE);
    assert_str(f->locations[FORM_FACT].first->next->path, "b");
    assert_null(f->locations[FORM_FACT].first->next->next);
    assert_str(f->locations[FORM_PLAIN].first->path, "a");

    herald_edit edit = {.struct_size = sizeof(edit), .path = hs("f"), .new_text = hs("")};
    assert_int_equal(h->add_edit(&b->x, &edit), HERALD_OK);
    assert_null(f->edits->old_text.p);
    assert_str(f->edits->new_text, "");
    edit.kind = 2;
    assert_int_equal(h->add_edit(&b->x, &edit), HERALD_E_ARGUMENT);
    edit.kind = HERALD_EDIT_WRITE;
    edit.struct_size = sizeof(edit) - 1;
    assert_int_equal(h->add_edit(&b->x, &edit), HERALD_E_ARGUMENT);
    edit.struct_size = sizeof(edit) + 64;
    assert_int_equal(h->add_edit(&b->x, &edit), HERALD_OK);
    edit.path = hs(NULL);
    assert_int_equal(h->add_edit(&b->x, &edit), HERALD_E_ARGUMENT);
    assert_int_equal(h->add_edit(&b->x, NULL), HERALD_E_ARGUMENT);
    assert_true(f->last_edit->write && f->edits->next == f->last_edit);

    assert_int_equal(h->add_file_text_key(&b->x, hs("content")), HERALD_OK);
    assert_str(f->file_text_keys->name, "content");
    assert_int_equal(h->add_display(&b->x, HERALD_PLAIN, hs("d")), HERALD_OK);
    assert_str(f->display[FORM_PLAIN].first->text, "d");
    assert_false(f->display[FORM_FACT].stated);
    assert_int_equal(h->set_command(&b->x, hs(NULL)), HERALD_OK);
    assert_true(f->command && !f->command_title.p);
    assert_int_equal(h->set_plan_keys(&b->x, hs("plan"), hs("path")), HERALD_OK);
    assert_int_equal(h->set_plan_keys(&b->x, hs("plan"), hs(NULL)), HERALD_E_ARGUMENT);
    assert_int_equal(h->set_subagent(&b->x), HERALD_OK);
    assert_int_equal(h->set_skill(&b->x, hs("")), HERALD_OK);
    assert_int_equal(h->set_mcp(&b->x, hs("s"), hs("t")), HERALD_OK);
    assert_str(f->mcp_tool, "t");
}

static void test_extras(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    static const struct {
        herald_extra_space space;
        const char *key, *json;
        herald_status status;
    } rows[] = {
        {HERALD_EXTRA_AIR, "org.example.k-1_", "{ \"a\" :\n1 }", HERALD_OK},
        {HERALD_EXTRA_AIR, "version", "1", HERALD_E_ARGUMENT},
        {HERALD_EXTRA_AIR, "commandTitle", "1", HERALD_E_ARGUMENT},
        {HERALD_EXTRA_CLAUDE_CODE, "toolName", "1", HERALD_E_ARGUMENT},
        {HERALD_EXTRA_CLAUDE_CODE, "version", "1", HERALD_OK},
        {HERALD_EXTRA_CLAUDE_CODE, "", "1", HERALD_E_ARGUMENT},
        {HERALD_EXTRA_CLAUDE_CODE, "a b", "1", HERALD_E_ARGUMENT},
        {HERALD_EXTRA_CLAUDE_CODE, "a\"", "1", HERALD_E_ARGUMENT},
        {HERALD_EXTRA_CLAUDE_CODE, "k", "", HERALD_E_ARGUMENT},
        {HERALD_EXTRA_CLAUDE_CODE, "k", "{\"a\":1", HERALD_E_ARGUMENT},
        {HERALD_EXTRA_CLAUDE_CODE, "k", "1 2", HERALD_E_ARGUMENT},
        {HERALD_EXTRA_CLAUDE_CODE, "k", "\"\xFF\"", HERALD_E_ENCODING},
        {(herald_extra_space)2, "k", "1", HERALD_E_ARGUMENT},
        {HERALD_EXTRA_AIR, "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk", "1",
         HERALD_E_TOO_LARGE},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(h->add_extra(&b->x, rows[i].space, hs(rows[i].key), hs(rows[i].json)),
                         rows[i].status);
    }
    assert_str(b->facts.extras->json, "{\"a\":1}");
    assert_true(b->facts.extras->air);
    assert_ptr_equal(b->facts.extras->next, b->facts.last_extra);
    char *large = malloc(64 * 1024 + 1);
    memset(large, '1', 64 * 1024 + 1);
    assert_int_equal(h->add_extra(&b->x, HERALD_EXTRA_AIR, hs("k"), (herald_string){large, 64 * 1024 + 1}),
                     HERALD_E_TOO_LARGE);
    free(large);
}

static void test_lists_are_bounded(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    for (int i = 0; i < HERALD_MAX_ENTRIES; i++) {
        assert_int_equal(h->add_display(&b->x, HERALD_FACT, hs("d")), HERALD_OK);
    }
    assert_int_equal(h->add_display(&b->x, HERALD_BOTH, hs("d")), HERALD_E_TOO_LARGE);
    assert_int_equal(h->add_display(&b->x, HERALD_PLAIN, hs("d")), HERALD_OK);
    assert_null(b->facts.display[FORM_PLAIN].first->next);

    phase(b, PHASE_RESULT);
    AUTO_BUF(many);
    buf_put_c(&many, "[0");
    for (int i = 1; i < HERALD_MAX_ENTRIES; i++) {
        buf_put_c(&many, ",0");
    }
    buf_put_c(&many, "]");
    herald_value v = parse(b, buf_c(&many));
    assert_int_equal(h->add_text(&b->x, HERALD_FACT, hs("x")), HERALD_OK);
    assert_int_equal(h->add_result(&b->x, HERALD_BOTH, v, false), HERALD_E_TOO_LARGE);
    assert_false(b->facts.content[FORM_PLAIN].stated);
    assert_int_equal(h->add_result(&b->x, HERALD_PLAIN, v, false), HERALD_OK);
    assert_int_equal(h->add_result(&b->x, HERALD_PLAIN, v, false), HERALD_E_TOO_LARGE);
}

static void test_facts_keep_to_their_callback(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    herald_edit edit = {.struct_size = sizeof(edit), .path = hs("f")};
    herald_task task = {.struct_size = sizeof(task), .id = hs("1"), .status = -1};
    herald_file_change change = {.struct_size = sizeof(change), .path = hs("f")};
    herald_value text = parse(b, "\"x\"");
    b->x.shows_plan = true;
    for (enum fact_phase p = PHASE_USE; p <= PHASE_FINISHED; p++) {
        phase(b, p);
        herald_status in_use = p == PHASE_USE ? HERALD_OK : HERALD_E_PHASE;
        herald_status in_result = p == PHASE_RESULT ? HERALD_OK : HERALD_E_PHASE;
        herald_status in_finished = p == PHASE_FINISHED ? HERALD_OK : HERALD_E_PHASE;
        herald_status not_use = p == PHASE_USE ? HERALD_E_PHASE : HERALD_OK;
        herald_status not_finished = p == PHASE_FINISHED ? HERALD_E_PHASE : HERALD_OK;
        assert_int_equal(h->set_title(&b->x, HERALD_BOTH, hs("t")), not_finished);
        assert_int_equal(h->set_kind(&b->x, HERALD_BOTH, HERALD_KIND_READ), in_use);
        assert_int_equal(h->set_locations(&b->x, HERALD_BOTH), HERALD_OK);
        assert_int_equal(h->add_location(&b->x, HERALD_BOTH, hs("p"), 1), HERALD_OK);
        assert_int_equal(h->add_edit(&b->x, &edit), in_use);
        assert_int_equal(h->add_file_text_key(&b->x, hs("k")), in_use);
        assert_int_equal(h->add_display(&b->x, HERALD_BOTH, hs("d")), in_use);
        assert_int_equal(h->set_command(&b->x, hs("c")), in_use);
        assert_int_equal(h->set_plan_keys(&b->x, hs("a"), hs("b")), in_use);
        assert_int_equal(h->set_subagent(&b->x), in_use);
        assert_int_equal(h->set_skill(&b->x, hs("s")), in_use);
        assert_int_equal(h->set_mcp(&b->x, hs("s"), hs("t")), in_use);
        assert_int_equal(h->add_extra(&b->x, HERALD_EXTRA_AIR, hs("k"), hs("1")), not_finished);
        assert_int_equal(h->add_plan_entry(&b->x, hs("e"), HERALD_PLAN_COMPLETED), in_use);
        assert_int_equal(h->set_plan(&b->x), in_use);
        assert_int_equal(h->set_content(&b->x, HERALD_BOTH), not_use);
        assert_int_equal(h->add_text(&b->x, HERALD_BOTH, hs("x")), not_use);
        assert_int_equal(h->add_image(&b->x, HERALD_BOTH, hs("image/png"), hs("AA==")), not_use);
        assert_int_equal(h->add_block(&b->x, HERALD_BOTH, text, false), in_result);
        assert_int_equal(h->add_result(&b->x, HERALD_BOTH, text, false), in_result);
        assert_int_equal(h->set_command_output(&b->x, hs(""), NULL, false), in_result);
        assert_int_equal(h->set_raw_output(&b->x, HERALD_BOTH, hs(NULL)), in_result);
        assert_int_equal(h->set_plan_file(&b->x, hs("/p")), in_result);
        assert_int_equal(h->set_background_task(&b->x, hs("b")), in_result);
        assert_int_equal(h->change_task(&b->x, HERALD_TASK_PUT, &task), in_result);
        assert_int_equal(h->publish_tasks(&b->x), in_result);
        assert_int_equal(h->set_file_change(&b->x, &change), in_finished);
    }
    b->x.shows_plan = false;
    phase(b, PHASE_RESULT);
    assert_int_equal(h->change_task(&b->x, HERALD_TASK_PUT, &task), HERALD_E_PHASE);
    phase(b, PHASE_USE);
    assert_int_equal(h->set_plan(&b->x), HERALD_E_PHASE);
}

static void test_facts_of_a_result(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    struct facts *f = &b->facts;
    phase(b, PHASE_RESULT);
    int32_t code = 3;
    assert_int_equal(h->set_command_output(&b->x, hs("out"), &code, true), HERALD_OK);
    assert_true(f->output_stated && f->exit_known && f->exit_code == 3 && f->interrupted);
    assert_int_equal(h->set_command_output(&b->x, hs(""), NULL, false), HERALD_OK);
    assert_true(!f->exit_known && !f->interrupted);
    assert_int_equal(h->set_command_output(&b->x, hs(NULL), NULL, false), HERALD_E_ARGUMENT);
    assert_int_equal(h->set_raw_output(&b->x, HERALD_FACT, hs(NULL)), HERALD_OK);
    assert_true(f->raw_output_stated[FORM_FACT] && !f->raw_output[FORM_FACT].p &&
                !f->raw_output_stated[FORM_PLAIN]);
    assert_int_equal(h->set_raw_output(&b->x, HERALD_PLAIN, hs("[\n1]")), HERALD_OK);
    assert_str(f->raw_output[FORM_PLAIN], "[1]");
    assert_int_equal(h->set_raw_output(&b->x, HERALD_PLAIN, hs("nonsense")), HERALD_E_ARGUMENT);
    assert_int_equal(h->set_plan_file(&b->x, hs("relative")), HERALD_E_ARGUMENT);
    assert_int_equal(h->set_background_task(&b->x, hs("")), HERALD_E_ARGUMENT);
    assert_int_equal(h->add_image(&b->x, HERALD_BOTH, hs(""), hs("AA")), HERALD_E_ARGUMENT);
    assert_int_equal(h->add_block(&b->x, HERALD_BOTH, (herald_value){NULL, 0}, true), HERALD_E_ARGUMENT);
    assert_false(f->content[FORM_FACT].stated);
    assert_int_equal(h->set_content(&b->x, HERALD_FACT), HERALD_OK);
    assert_true(f->content[FORM_FACT].stated && !f->content[FORM_FACT].first);
}

static void test_task_changes(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    phase(b, PHASE_RESULT);
    b->x.shows_plan = true;
    herald_task task = {.struct_size = sizeof(task),
                        .id = hs("7"),
                        .subject = hs("do"),
                        .status = HERALD_PLAN_COMPLETED};
    assert_int_equal(h->change_task(&b->x, HERALD_TASK_MERGE, &task), HERALD_OK);
    assert_int_equal(h->change_task(&b->x, HERALD_TASK_RELIST, NULL), HERALD_OK);
    assert_int_equal(h->change_task(&b->x, HERALD_TASK_CLEAR, NULL), HERALD_OK);
    assert_int_equal(h->change_task(&b->x, HERALD_TASK_REMOVE, NULL), HERALD_E_ARGUMENT);
    assert_int_equal(h->change_task(&b->x, (herald_task_change)5, &task), HERALD_E_ARGUMENT);
    task.status = 3;
    assert_int_equal(h->change_task(&b->x, HERALD_TASK_PUT, &task), HERALD_E_ARGUMENT);
    task.status = -2;
    assert_int_equal(h->change_task(&b->x, HERALD_TASK_PUT, &task), HERALD_E_ARGUMENT);
    task.status = -1;
    task.id = hs("");
    assert_int_equal(h->change_task(&b->x, HERALD_TASK_PUT, &task), HERALD_E_ARGUMENT);
    const struct fact_task_change *c = b->facts.task_changes;
    assert_true(c->change == TASK_MERGE && c->status == PLAN_COMPLETED);
    assert_str(c->subject, "do");
    assert_null(c->active_form.p);
    assert_true(c->next->change == TASK_RELIST && c->next->next->change == TASK_CLEAR &&
                !c->next->next->next);
    assert_true(b->facts.publish_tasks);

    phase(b, PHASE_USE);
    assert_int_equal(h->add_plan_entry(&b->x, hs("e"), (herald_plan_status)3), HERALD_E_ARGUMENT);
    assert_false(b->facts.plan);
    assert_int_equal(h->add_plan_entry(&b->x, hs("e"), HERALD_PLAN_IN_PROGRESS), HERALD_OK);
    assert_true(b->facts.plan);
}

static void test_file_changes(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    phase(b, PHASE_FINISHED);
    herald_file_change change = {.struct_size = sizeof(change),
                                 .kind = HERALD_CHANGE_EDITED,
                                 .path = hs("f"),
                                 .old_text = hs("old"),
                                 .hunks = parse(b, "[{}]")};
    assert_int_equal(h->set_file_change(&b->x, &change), HERALD_OK);
    assert_false(json_present(b->facts.change.hunks)); /* not a value of this call */
    b->call.response = json_of_value(change.hunks);
    assert_int_equal(h->set_file_change(&b->x, &change), HERALD_OK);
    assert_int_equal(json_count(b->facts.change.hunks), 1);
    assert_str(b->facts.change.old_text, "old");
    change.kind = HERALD_CHANGE_CREATED;
    change.hunks = parse(b, "{}");
    assert_int_equal(h->set_file_change(&b->x, &change), HERALD_OK);
    assert_false(json_present(b->facts.change.hunks));
    assert_null(b->facts.change.old_text.p);
    change.kind = 3;
    assert_int_equal(h->set_file_change(&b->x, &change), HERALD_E_ARGUMENT);
    change.kind = 0;
    change.new_text = hs("\xC3");
    assert_int_equal(h->set_file_change(&b->x, &change), HERALD_E_ENCODING);
    assert_int_equal(b->facts.change.kind, CHANGE_CREATED);
    assert_int_equal(h->set_file_change(&b->x, NULL), HERALD_E_ARGUMENT);
}

static void test_memory_that_is_out_is_told(void **state)
{
    struct bench *b = *state;
    b->arena.failed = true;
    assert_int_equal(b->host.set_title(&b->x, HERALD_BOTH, hs("x")), HERALD_E_MEMORY);
    assert_int_equal(b->host.add_location(&b->x, HERALD_BOTH, hs("x"), 1), HERALD_E_MEMORY);
    assert_int_equal(b->host.add_display(&b->x, HERALD_BOTH, hs("x")), HERALD_E_MEMORY);
    b->arena.failed = false;
}

/* ---- Blocks of a result --------------------------------------------------------------------------- */

static void test_blocks_in_words(void **state)
{
    static const struct {
        const char *block, *words;
    } rows[] = {
        {"{\"type\":\"text\",\"text\":\"a\"}", "a"},
        {"{\"type\":\"text\"}", ""},
        {"{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"http://x\"}}", "[image: http://x]"},
        {"{\"type\":\"image\",\"source\":{\"type\":\"file\",\"file_id\":\"f\"}}", "[image: file reference]"},
        {"{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":7}}", "[image: file reference]"},
        {"{\"type\":\"document\",\"title\":\"T\",\"source\":{\"type\":\"base64\",\"media_type\":"
         "\"application/pdf\","
         "\"data\":\"AAAAAA\"}}",
         "[document \"T\": application/pdf, 4 B]"},
        {"{\"type\":\"document\",\"title\":\"\",\"source\":{\"type\":\"text\",\"media_type\":\"text/plain\","
         "\"data\":\"\\ud83d\\ude00x\"}}",
         "[document: text/plain, 3 B]"},
        {"{\"type\":\"document\",\"source\":{\"type\":\"url\",\"url\":\"u\"}}", "[document: u]"},
        {"{\"type\":\"document\",\"title\":\"T\",\"source\":{\"type\":\"file\"}}", "[document \"T\"]"},
        {"{\"type\":\"document\"}", "[document]"},
        {"{\"type\":\"tool_reference\",\"tool_name\":\"Bash\"}", "Tool: Bash"},
        {"{\"type\":\"tool_search_tool_search_result\",\"tool_references\":[{\"tool_name\":\"a\"},{\"tool_"
         "name\":"
         "\"b\"}]}",
         "Tools found: a, b"},
        {"{\"type\":\"tool_search_tool_search_result\",\"tool_references\":[]}", "Tools found: none"},
        {"{\"type\":\"tool_search_tool_result_error\",\"error_code\":\"e\",\"error_message\":\"m\"}",
         "Error: e - m"},
        {"{\"type\":\"text_editor_code_execution_tool_result_error\",\"error_code\":\"e\"}", "Error: e"},
        {"{\"type\":\"web_search_result\",\"title\":\"t\",\"url\":\"u\"}", "t (u)"},
        {"{\"type\":\"web_fetch_result\",\"url\":\"u\"}", "Fetched: u"},
        {"{\"type\":\"bash_code_execution_tool_result_error\",\"error_code\":\"e\",\"error_message\":\"m\"}",
         "Error: e"},
        {"{\"type\":\"code_execution_result\",\"stdout\":\"\",\"stderr\":\"err\"}", "Output: err"},
        {"{\"type\":\"bash_code_execution_result\",\"stdout\":\"out\",\"stderr\":\"err\"}", "Output: out"},
        {"{\"type\":\"bash_code_execution_result\"}", "Output: "},
        {"{\"type\":\"text_editor_code_execution_view_result\",\"content\":\"c\"}", "c"},
        {"{\"type\":\"text_editor_code_execution_create_result\",\"is_file_update\":true}", "File updated"},
        {"{\"type\":\"text_editor_code_execution_create_result\"}", "File created"},
        {"{\"type\":\"text_editor_code_execution_str_replace_result\",\"lines\":[\"a\",\"b\"]}", "a\nb"},
        {"{\"type\" : \"unheard\", \"b\":[1, 2]}", "{\"type\":\"unheard\",\"b\":[1,2]}"},
        {"{\"type\":7}", "{\"type\":7}"},
        {"\"a string\"", "\"a string\""},
        {"null", "null"},
    };
    struct bench *b = *state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fact_contents out = {0};
        AUTO_JSON(doc) = parse_or_fail(rows[i].block);
        facts_add_block(&b->arena, &out, json_root(doc), false);
        assert_int_equal(out.first->type, CONTENT_TEXT);
        assert_str(out.first->text, rows[i].words);
        facts_add_block(&b->arena, &out, json_root(doc), true);
        AUTO_BUF(wrapped);
        buf_printf(&wrapped, "```\n%s\n```", rows[i].words);
        assert_str(out.last->text, buf_c(&wrapped));
    }
}

static void test_whole_results(void **state)
{
    struct bench *b = *state;
    static const char *const without_content[] = {"[]", "\"\"", "null", "7", "{}", "true"};
    for (size_t i = 0; i < ARRAY_LEN(without_content); i++) {
        struct fact_contents out = {0};
        AUTO_JSON(doc) = parse_or_fail(without_content[i]);
        facts_add_result(&b->arena, &out, json_root(doc), true);
        assert_false(out.stated);
    }
    struct fact_contents out = {0};
    AUTO_JSON(doc) = parse_or_fail("[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":\"AA==\","
                                   "\"media_type\":\"image/png\"}},{\"type\":\"text\",\"text\":\"t\"}]");
    facts_add_result(&b->arena, &out, json_root(doc), true);
    assert_int_equal(out.first->type, CONTENT_IMAGE);
    assert_str(out.first->mime_type, "image/png");
    assert_str(out.first->data, "AA==");
    assert_str(out.last->text, "```\nt\n```");
    struct fact_contents one = {0};
    facts_add_result(&b->arena, &one, json_nth(json_root(doc), 1), false);
    assert_str(one.first->text, "t");
    facts_add_result(&b->arena, &one, JSON_NONE, false);
    facts_add_block(&b->arena, &one, JSON_NONE, false);
    assert_null(one.first->next);
}

#define BENCH_TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)

static void test_parses_json_in_a_text(void **state)
{
    struct bench *b = *state;
    const herald_host *h = &b->host;
    herald_value v = h->parse(&b->x, hs("{\"city\":\"Graz\",\"t\":[1,2.50]}"));
    assert_hstr(h->text(h->member(v, hs("city"))), "Graz");
    assert_hstr(h->json(&b->x, h->member(v, hs("t")), 0), "[1,2.50]");
    assert_int_equal(h->type(h->parse(&b->x, hs("{nope"))), HERALD_MISSING);
    assert_int_equal(h->type(h->parse(&b->x, (herald_string){NULL, 0})), HERALD_MISSING);
    assert_int_equal(h->type(h->parse(NULL, hs("1"))), HERALD_MISSING);
    for (int i = 1; i < PARSED_MAX; i++) {
        assert_int_equal(h->type(h->parse(&b->x, hs("1"))), HERALD_NUMBER);
    }
    assert_int_equal(h->type(h->parse(&b->x, hs("1"))), HERALD_MISSING);
    while (b->x.parsed_count) {
        json_unref(b->x.parsed[--b->x.parsed_count]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(test_reads_values),
        BENCH_TEST(test_missing_values_are_harmless),
        BENCH_TEST(test_walks_and_survives_bad_cursors),
        BENCH_TEST(test_prints_json),
        BENCH_TEST(test_text_rules),
        BENCH_TEST(test_result_text),
        BENCH_TEST(test_scratch_and_a_context_that_is_over),
        BENCH_TEST(test_texts_are_copied_and_checked),
        BENCH_TEST(test_facts_of_a_use),
        BENCH_TEST(test_extras),
        BENCH_TEST(test_lists_are_bounded),
        BENCH_TEST(test_facts_keep_to_their_callback),
        BENCH_TEST(test_facts_of_a_result),
        BENCH_TEST(test_task_changes),
        BENCH_TEST(test_file_changes),
        BENCH_TEST(test_memory_that_is_out_is_told),
        BENCH_TEST(test_blocks_in_words),
        BENCH_TEST(test_whole_results),
        BENCH_TEST(test_parses_json_in_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
