#include "session_fixture.h"

static void tiers_merge(void **state)
{
    struct home h;
    (void)state;

    home_make(&h);
    home_write(
        &h, ".claude/settings.json",
        "{\"model\":\"opus\",\"effortLevel\":\"low\",\"availableModels\":[\"a\",\"b\"],\"deniedModels\":["
        "\"x\"],"
        "\"modelOverrides\":{\"a\":\"u-a\",\"b\":\"u-b\"},\"permissions\":{\"defaultMode\":\"plan\"}}");
    home_write(&h, "work/.claude/settings.json",
               "{\"model\":\"sonnet\",\"availableModels\":[\"b\",\"c\"],\"modelOverrides\":{\"b\":\"p-b\"}}");
    home_write(&h, "work/.claude/settings.local.json", "{\"apiKeyHelper\":\"/bin/key\"}");
    home_write(&h, "managed/managed-settings.json",
               "{\"effortLevel\":\"high\",\"env\":{\"A\":\"1\",\"B\":2,\"C\":true,\"D\":null,\"\":\"x\",\"E="
               "F\":\"x\"}}");
    home_write(&h, "managed/managed-settings.d/20-b.json",
               "{\"deniedModels\":[\"haiku\"],\"env\":{\"A\":\"later\"}}");
    home_write(&h, "managed/managed-settings.d/10-a.json",
               "{\"env\":{\"A\":\"sooner\"},\"permissions\":{\"disableBypassPermissionsMode\":\"disable\"}}");
    home_write(&h, "managed/managed-settings.d/ignored.txt", "{\"model\":\"no\"}");
    struct settings *s = home_load(&h);

    assert_str(settings_model(s), "sonnet");
    assert_str(settings_api_key_helper(s), "/bin/key");
    struct settings_names names = settings_available_models(s);
    assert_true(names.present);
    assert_int_equal(names.n, 3);
    assert_str(names.names[0], "a");
    assert_str(names.names[1], "b");
    assert_str(names.names[2], "c");
    assert_str(settings_model_override(s, STR("a")), "u-a");
    assert_str(settings_model_override(s, STR("b")), "p-b");
    assert_false(str_present(settings_model_override(s, STR("A"))));
    names = settings_denied_models(s);
    assert_int_equal(names.n, 1);
    assert_str(names.names[0], "haiku");
    assert_int_equal(settings_default_mode(s), MODE_PLAN);
    assert_true(settings_bypass_disabled(s));
    assert_str(settings_effort(s, JSON_NONE, NULL, 0), "high");
    struct settings_pairs env = settings_managed_env(s);
    assert_int_equal(env.n, 3);
    assert_str(env.pairs[0].name, "A");
    assert_str(env.pairs[0].value, "later");
    assert_str(env.pairs[1].value, "2");
    assert_str(env.pairs[2].value, "true");
    settings_free(s);
    home_remove(&h);
}

static enum mode mode_with(const char *file, const char *text)
{
    struct home h;
    home_make(&h);
    home_write(&h, ".claude/settings.json", "{\"permissions\":{\"defaultMode\":\"plan\"}}");
    home_write(&h, file, text);
    struct settings *s = home_load(&h);
    enum mode mode = settings_default_mode(s);
    settings_free(s);
    home_remove(&h);
    return mode;
}

static void a_folder_cannot_grant_itself_more(void **state)
{
    static const struct {
        const char *mode;
        enum mode project, local;
    } cases[] = {
        {"bypassPermissions", MODE_PLAN, MODE_PLAN},
        {"bypass", MODE_PLAN, MODE_PLAN},
        {"auto", MODE_PLAN, MODE_PLAN},
        {"acceptEdits", MODE_PLAN, MODE_ACCEPT_EDITS},
        {"manual", MODE_DEFAULT, MODE_DEFAULT},
        {"dontAsk", MODE_DONT_ASK, MODE_DONT_ASK},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[96];
        (void)snprintf(text, sizeof text, "{\"permissions\":{\"defaultMode\":\"%s\"}}", cases[i].mode);
        assert_int_equal(mode_with("work/.claude/settings.json", text), cases[i].project);
        assert_int_equal(mode_with("work/.claude/settings.local.json", text), cases[i].local);
    }
}

static void tiers_can_be_left_out(void **state)
{
    static const struct {
        unsigned left_out;
        const char *model, *helper;
    } cases[] = {
        {0, "project", "local"},
        {SETTINGS_PROJECT, "user", "local"},
        {SETTINGS_LOCAL, "project", "user"},
        {SETTINGS_PROJECT | SETTINGS_LOCAL, "user", "user"},
        {SETTINGS_USER, "project", "local"},
        {SETTINGS_USER | SETTINGS_PROJECT | SETTINGS_LOCAL, "none", "none"},
    };
    struct home h;
    (void)state;
    home_make(&h);
    home_write(&h, ".claude/settings.json", "{\"model\":\"user\",\"apiKeyHelper\":\"user\"}");
    home_write(&h, "work/.claude/settings.json", "{\"model\":\"project\"}");
    home_write(&h, "work/.claude/settings.local.json", "{\"apiKeyHelper\":\"local\"}");
    home_write(&h, "managed/managed-settings.json", "{\"effortLevel\":\"high\"}");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO_ARENA(a);
        struct settings_place place = home_place(&h, &a);
        place.left_out = cases[i].left_out;
        struct settings *s = settings_load(&place);
        str model = settings_model(s), helper = settings_api_key_helper(s);
        assert_str(model.p ? model : STR("none"), cases[i].model);
        assert_str(helper.p ? helper : STR("none"), cases[i].helper);
        assert_str(settings_effort(s, JSON_NONE, NULL, 0), "high"); /* the administrator's stays */
        settings_free(s);
    }
    home_remove(&h);
}

/* One value that Claude does not accept takes the whole file, and it is named. */
static void a_broken_file_counts_as_a_whole(void **state)
{
    static const struct {
        const char *members, *key; /* NULL: Claude takes the file */
    } cases[] = {
        {"\"permissions\":{\"defaultMode\":\"Plan\"}", "permissions.defaultMode"},
        {"\"permissions\":{\"defaultMode\":\"plan \"}", "permissions.defaultMode"},
        {"\"permissions\":{\"defaultMode\":3}", "permissions.defaultMode"},
        {"\"permissions\":{\"defaultMode\":null}", "permissions.defaultMode"},
        {"\"permissions\":{\"disableBypassPermissionsMode\":true}",
         "permissions.disableBypassPermissionsMode"},
        {"\"permissions\":{\"allow\":\"Bash\"}", "permissions.allow"},
        {"\"permissions\":{\"deny\":{}}", "permissions.deny"},
        {"\"permissions\":null", "permissions"},
        {"\"env\":[]", "env"},
        {"\"availableModels\":[\"a\",1]", "availableModels"},
        {"\"modelOverrides\":{\"a\":1}", "modelOverrides"},
        {"\"apiKeyHelper\":7", "apiKeyHelper"},
        {"\"permissions\":{\"allow\":[1,\"Bash(\"],\"more\":7}", NULL},
        {"\"env\":{\"A\":{}},\"hooks\":\"x\",\"unknown\":7", NULL},
        {"\"effortLevel\":[],\"modelSettings\":7,\"ultracode\":\"x\",\"deniedModels\":7", NULL},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO_BUF(text);
        buf_printf(&text, "{\"model\":\"opus\",%s}", cases[i].members);
        struct settings *s = settings_of(buf_c(&text));
        size_t n;
        const struct settings_fault *faults = settings_faults(s, &n);
        assert_int_equal(n, cases[i].key != NULL);
        assert_int_equal(str_present(settings_model(s)), cases[i].key == NULL);
        if (cases[i].key) {
            assert_str(faults[0].key, cases[i].key);
            assert_true(str_ends(faults[0].file, STR("/.claude/settings.json")));
            assert_true(faults[0].why.n > 0);
        }
        assert_true(settings_present(s));
        settings_free(s);
    }
}

static void what_is_there(void **state)
{
    static const struct {
        const char *text;
        bool present;
        size_t faults;
    } cases[] = {{"", false, 0}, {"{}", false, 0}, {"{\"a\":1}", true, 0}, {"{", true, 1}, {"[]", true, 1}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct settings *s = settings_of(cases[i].text);
        size_t n;
        assert_int_equal(settings_present(s), cases[i].present);
        (void)settings_faults(s, &n);
        assert_int_equal(n, cases[i].faults);
        settings_free(s);
    }
}

/* The administrator's file keeps what is right in it. */
static void the_managed_file_is_never_left_out(void **state)
{
    struct home h;
    size_t n;
    (void)state;
    home_make(&h);
    home_write(&h, "managed/managed-settings.json",
               "{\"model\":7,\"permissions\":{\"defaultMode\":\"Plan\",\"disableBypassPermissionsMode\":"
               "\"disable\"}}");
    struct settings *s = home_load(&h);
    assert_true(settings_bypass_disabled(s));
    assert_false(str_present(settings_model(s)));
    (void)settings_faults(s, &n);
    assert_int_equal(n, 0);
    settings_free(s);
    home_remove(&h);
}

static void a_file_is_ignored_until_it_changes(void **state)
{
    AUTO_ARENA(a);
    struct home h;
    (void)state;
    home_make(&h);
    home_write(&h, ".claude/settings.json", "{\"model\":\"one\"}");
    struct settings_place place = home_place(&h, &a);
    assert_int_equal(symlink(".claude", arena_printf(&a, "%s/link", h.dir).p), 0);
    struct settings_ignored ignored[] = {
        {.path = STR("/nonexistent/settings.json")},
        {.path = arena_printf(&a, "%s/link/settings.json", h.dir)},
    };
    settings_ignore(&ignored[0]);
    settings_ignore(&ignored[1]);
    place.ignored = ignored;
    place.n_ignored = ARRAY_LEN(ignored);
    struct settings *s = settings_load(&place);
    assert_false(str_present(settings_model(s)));
    settings_free(s);
    home_write(&h, ".claude/settings.json", "{\"model\":\"another\"}");
    s = settings_load(&place);
    assert_str(settings_model(s), "another");
    settings_free(s);
    home_remove(&h);
}

static void words_of_modes(void **state)
{
    (void)state;
    assert_int_equal(mode_of_setting(STR("manual")), MODE_DEFAULT);
    assert_int_equal(mode_of_setting(STR("bypass")), MODE_NONE);
    assert_int_equal(mode_of_setting(STR("AcceptEdits")), MODE_NONE);
    assert_int_equal(mode_of_setting(STR("")), MODE_NONE);
    assert_int_equal(mode_of_setting(STR_ABSENT), MODE_NONE);
    assert_int_equal(mode_of_id(STR("manual")), MODE_NONE);
    assert_int_equal(mode_of_id(STR("acceptedits")), MODE_NONE);
    assert_int_equal(mode_of_id(STR("bypassPermissions")), MODE_BYPASS);
    assert_int_equal(mode_of_id(STR_ABSENT), MODE_NONE);
}

static void broken_files_count_as_empty(void **state)
{
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "null",
        "\"model\"",
        "{\"model\":1}",
        "{\"model\":null}",
        "{\"permissions\":\"x\",\"modelSettings\":[],\"modelOverrides\":7,\"env\":[1]}",
        "{\"availableModels\":{}}",
        "{\"model\":\"a\\u0000b\"}",
        "{\"mo\\u0000del\":\"a\",\"model\\u0000\":\"b\"}",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct settings *s = settings_of(bad[i]);
        assert_false(str_present(settings_model(s)));
        assert_false(settings_available_models(s).present);
        assert_false(str_present(settings_effort(s, JSON_NONE, NULL, 0)));
        assert_int_equal(settings_default_mode(s), MODE_NONE);
        assert_false(settings_bypass_disabled(s));
        assert_int_equal(settings_managed_env(s).n, 0);
        settings_free(s);
    }
    struct settings *s = settings_load(&(struct settings_place){.managed_dir = STR("/nonexistent")});
    assert_non_null(s);
    assert_false(str_present(settings_model(s)));
    settings_free(s);
}

static void odd_files_do_no_harm(void **state)
{
    struct home h;
    AUTO_BUF(deep);
    (void)state;

    home_make(&h);
    /* A pipe in place of the user's file: nobody ever writes into it. */
    home_write(&h, ".claude/x", "");
    char path[128];
    (void)snprintf(path, sizeof path, "%s/.claude/settings.json", h.dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    buf_put_c(&deep, "\xef\xbb\xbf{\"modelSettings\":");
    for (int i = 0; i < 5000; i++) {
        buf_put_c(&deep, "{\"a\":");
    }
    buf_put_c(&deep, "1");
    buf_put_fill(&deep, '}', 5000);
    buf_put_c(&deep, ",\"model\":\"kept\",\"model\":\"last\"}");
    home_write_bytes(&h, "work/.claude/settings.json", deep.p, deep.n);
    buf_clear(&deep);
    buf_put_fill(&deep, ' ', SETTINGS_FILE_MAX);
    buf_put_c(&deep, "{\"model\":\"too large\"}");
    home_write_bytes(&h, "work/.claude/settings.local.json", deep.p, deep.n);
    struct settings *s = home_load(&h);
    assert_str(settings_model(s), "last");
    settings_free(s);
    home_remove(&h);
}

static void many_entries_are_cut(void **state)
{
    AUTO_BUF(b);
    (void)state;

    buf_put_c(&b, "{\"availableModels\":[");
    for (int i = 0; i < 200000; i++) {
        buf_printf(&b, "%s\"m%d\"", i ? "," : "", i);
    }
    buf_put_c(&b, "]}");
    struct home h;
    home_make(&h);
    home_write_bytes(&h, ".claude/settings.json", b.p, b.n);
    home_write_bytes(&h, "work/.claude/settings.json", b.p, b.n);
    struct settings *s = home_load(&h);
    assert_true(settings_available_models(s).n <= 2048);
    assert_true(settings_available_models(s).n >= 1000);
    settings_free(s);
    home_remove(&h);
}

static void effort_of_a_model(void **state)
{
    static const str names[] = {STR_INIT("claude-opus-5-5-1m"), {NULL, 0}, STR_INIT("opus")};
    struct settings *s =
        settings_of("{\"effortLevel\":\"low\",\"modelSettings\":{\"opus\":{\"effortLevel\":\"high\"},"
                    "\"Claude-Opus-5-5[1M]\":{\"effortLevel\":\"max\"},\"haiku\":{}}}");
    AUTO_JSON(over) = NULL;
    (void)state;

    assert_str(settings_effort(s, JSON_NONE, names, 3), "max");
    assert_str(settings_effort(s, JSON_NONE, names + 1, 2), "high");
    assert_str(settings_effort(s, JSON_NONE, (str[]){STR("haiku")}, 1), "low");
    over =
        parse_or_fail("{\"effortLevel\":\"medium\",\"ultracode\":true,"
                      "\"modelSettings\":{\"opus\":{\"effortLevel\":\"xhigh\"},\"Claude-Opus-5-5[1M]\":{}}}");
    assert_str(settings_effort(s, json_root(over), names, 3), "xhigh");
    assert_str(settings_effort(s, json_root(over), (str[]){STR("haiku")}, 1), "medium");
    assert_true(settings_ultracode(s, json_root(over)));
    assert_false(settings_ultracode(s, JSON_NONE));
    settings_free(s);
}

static void config_dir_and_folders(void **state)
{
    struct home h;
    AUTO_ARENA(a);
    str folders[4];
    (void)state;

    home_make(&h);
    home_write(&h, "other/settings.json", "{\"model\":\"other\"}");
    home_write(&h, ".claude/settings.json", "{\"model\":\"home\"}");
    struct settings_place place = {
        .config_dir = arena_printf(&a, "%s/other", h.dir),
        .home = str_of(h.dir),
        .managed_dir = STR("/nonexistent"),
    };
    struct settings *s = settings_load(&place);
    assert_str(settings_model(s), "other");
    settings_free(s);
    place.config_dir = STR("");
    s = settings_load(&place);
    assert_str(settings_model(s), "home");
    settings_free(s);
    assert_int_equal(settings_folders(&a, &place, folders), 3);
    place.cwd = STR("/w");
    assert_int_equal(settings_folders(&a, &place, folders), 4);
    assert_str(folders[1], "/w/.claude");
    assert_str(folders[3], "/nonexistent/managed-settings.d");
    home_remove(&h);
}

static void files_named_by_options(void **state)
{
    const char *why = NULL;
    (void)state;

    assert_null(settings_read_file(STR("/nonexistent/x.json"), &why));
    assert_non_null(why);
    assert_null(settings_read_file(STR("/dev/zero"), &why));
    assert_null(settings_read_file((str){"/etc/passwd\0x", 13}, &why));
    assert_null(settings_read_file(STR_ABSENT, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiers_merge),
        cmocka_unit_test(a_folder_cannot_grant_itself_more),
        cmocka_unit_test(tiers_can_be_left_out),
        cmocka_unit_test(a_broken_file_counts_as_a_whole),
        cmocka_unit_test(what_is_there),
        cmocka_unit_test(the_managed_file_is_never_left_out),
        cmocka_unit_test(a_file_is_ignored_until_it_changes),
        cmocka_unit_test(words_of_modes),
        cmocka_unit_test(broken_files_count_as_empty),
        cmocka_unit_test(odd_files_do_no_harm),
        cmocka_unit_test(many_entries_are_cut),
        cmocka_unit_test(effort_of_a_model),
        cmocka_unit_test(config_dir_and_folders),
        cmocka_unit_test(files_named_by_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
