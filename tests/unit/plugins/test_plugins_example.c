/* The sample of somebody else's reporter: it is built from the public headers alone, by a compiler that knows
 * nothing of our build, and loaded from HERALD_REPORTER_PATH. */
#include <unistd.h>

#include "reporter_fixture.h"

static char folder[] = "/tmp/herald-example-XXXXXX";

static void in_folder(struct buf *b, const char *name)
{
    buf_printf(b, "%s/%s", folder, name);
}

static int setup(void **state)
{
    static struct fixture fx;
    const char *cc = getenv("CC");
    const char *headers = getenv("HERALD_SDK_HEADERS");
    AUTO_BUF(command);
    if (!mkdtemp(folder)) {
        return -1;
    }
    buf_printf(&command,
               "%s -std=c11 -Wall -Wextra -Wpedantic -Werror -shared -fPIC -fvisibility=hidden '-I%s' -o "
               "'%s/weather.so' "
               "'%s/../plugins/examples/weather/reporter.c'",
               cc && *cc ? cc : "cc", headers, folder, headers);
    // NOLINTNEXTLINE(cert-env33-c): the command is the test's own
    if (system(buf_c(&command)) != 0) {
        return -1;
    }
    struct reporter_dirs dirs = {.extra = folder};
    fx.host = reporter_host_new(&dirs, &fx.log);
    *state = &fx;
    return fx.host ? 0 : -1;
}

static int teardown(void **state)
{
    AUTO_BUF(file);
    in_folder(&file, "weather.so");
    unlink(buf_c(&file));
    rmdir(folder);
    return fixture_teardown(state);
}

static void check_row(void *user, const struct reporter_row *row)
{
    size_t *count = user;
    (*count)++;
    assert_null(row->refused);
    assert_string_equal(row->id, "org.example.weather");
    assert_string_equal(row->origin, "path");
    assert_string_equal(row->tools[0], "mcp__weather__forecast");
}

static void test_it_is_listed(void **state)
{
    const struct fixture *fx = *state;
    size_t count = 0;
    reporter_host_list(fx->host, check_row, &count);
    assert_int_equal(count, 1);
}

#define TOOL "mcp__weather__forecast"

static void test_it_reports_the_use(void **state)
{
    CHECK_USE(TOOL, "{}", "title 'Forecast'\nkind fetch\nmcp\n");
    CHECK_USE(TOOL, "{'city':'Bern'}", "title 'Forecast for Bern'\nkind fetch\nmcp\n");
    CHECK_USE(TOOL, "{'city':'Bern','days':3}", "title 'Forecast for Bern, 3 days'\nkind fetch\nmcp\n");
    CHECK_USE(TOOL, "{'city':'Bern','days':1}", "title 'Forecast for Bern, 1 day'\nkind fetch\nmcp\n");
    CHECK_USE(TOOL, "{'city':['Bern'],'days':'3'}", "title 'Forecast'\nkind fetch\nmcp\n");
    CHECK_USE(TOOL, "null", "title 'Forecast'\nkind fetch\nmcp\n");
}

static void test_it_reports_the_answer(void **state)
{
    CHECK_RESULT("content [ '**Bern, 3 days**\\n\\nSun\\nRain' ]\n", .tool = TOOL,
                 .input = "{'city':'Bern','days':3}",
                 .result = "[{'type':'text','text':'Sun'},{'type':'text','text':'Rain'}]");
    CHECK_RESULT("general\ncontent [ 'Sun' ]\n", .tool = TOOL, .result = "'Sun'");
    CHECK_RESULT("general\ncontent [ '```\\nno such city\\n```' ]\n", .tool = TOOL,
                 .input = "{'city':'Bern'}", .result = "'no such city'", .is_error = true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_is_listed),
        cmocka_unit_test(test_it_reports_the_use),
        cmocka_unit_test(test_it_reports_the_answer),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
