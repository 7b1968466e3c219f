/* Glob, Grep, WebFetch and WebSearch. */
#include "reporter_fixture.h"

static void test_glob_names_place_and_pattern(void **state)
{
    CHECK_USE("Glob", "{}", "title 'Find'\nkind search\nlocations [ ]\n");
    CHECK_USE("Glob", "{'pattern':'**/*.c','path':'/ws/src'}",
              "title 'Find `/ws/src` `**/*.c`'\nkind search\nlocations [ '/ws/src' ]\n");
    CHECK_USE("Glob", "{'pattern':'*','path':''}", "title 'Find `*`'\nkind search\nlocations [ ]\n");
    CHECK_USE("Glob", "{'pattern':[],'path':7}", "title 'Find'\nkind search\nlocations [ ]\n");
    CHECK_RESULT("general\ncontent [ 'a.c\\nb.c' ]\n", .tool = "Glob", .result = "'a.c\\nb.c'");
}

static void test_grep_is_a_command_line(void **state)
{
    CHECK_USE("Grep", "{}", "title 'grep'\nkind search\n");
    CHECK_USE(
        "Grep",
        "{'path':'src','pattern':'a \\'b\\'','multiline':true,'type':'c','glob':'*.{c,h}','head_limit':20,"
        "'output_mode':'count','-C':1,'-B':0,'-A':null,'-n':true,'-i':1}",
        "title 'grep -i -n -A null -B 0 -C 1 -c | head -20 --include=\\'*.{c,h}\\' --type=c -P \\'a "
        "\\'b\\'\\' src'\nkind search\n");
    CHECK_USE("Grep", "{'-i':false,'-n':0,'multiline':'','-A':'2','head_limit':true,'glob':'','type':7}",
              "title 'grep -A 2 | head -true'\nkind search\n");
    CHECK_USE("Grep", "{'-A':[1],'-B':{},'head_limit':[]}", "title 'grep'\nkind search\n");
}

static void test_grep_reads_aliases(void **state)
{
    CHECK_USE("Grep", "{'-l':true}", "title 'grep -l'\nkind search\n");
    CHECK_USE("Grep", "{'-c':'true','-l':'yes'}", "title 'grep -c'\nkind search\n");
    CHECK_USE("Grep", "{'-l':true,'-c':true}", "title 'grep -l'\nkind search\n");
    CHECK_USE("Grep", "{'output_mode':'content','-l':true}", "title 'grep'\nkind search\n");
    CHECK_USE("Grep", "{'output_mode':7,'-l':true}", "title 'grep -l'\nkind search\n");
    CHECK_USE("Grep", "{'output_mode':'files_with_matches','pattern':'x','file_path':'/ws/a'}",
              "title 'grep -l \\'x\\' /ws/a'\nkind search\n");
    CHECK_USE("Grep", "{'path':'','file_path':'/ws/a'}", "title 'grep'\nkind search\n");
    CHECK_USE("Grep", "{'path':null,'file_path':'/ws/a'}", "title 'grep /ws/a'\nkind search\n");
    CHECK_RESULT("general\ncontent [ 'Found 1 file' ]\n", .tool = "Grep", .result = "'Found 1 file'");
}

static void test_fetch_names_the_page(void **state)
{
    CHECK_USE("WebFetch", "{}", "title 'Fetch'\nkind fetch\n");
    CHECK_USE("WebFetch", "{'url':'https://x.test/','prompt':'Sum up'}",
              "title 'Fetch https://x.test/'\nkind fetch\ndisplay 'Sum up'\n");
    CHECK_USE("WebFetch", "{'url':'https://x.test/','prompt':'','offset':5000}",
              "title 'Fetch https://x.test/ (from char 5000)'\nkind fetch\n");
    CHECK_USE("WebFetch", "{'offset':5000,'prompt':7}", "title 'Fetch'\nkind fetch\n");
    CHECK_USE("WebFetch", "{'url':'u','offset':0}", "title 'Fetch u'\nkind fetch\n");
    CHECK_USE("WebFetch", "{'url':'u','offset':[1]}", "title 'Fetch u'\nkind fetch\n");
    CHECK_RESULT("general\ncontent [ 'It says' ]\n", .tool = "WebFetch", .result = "'It says'");
}

static void test_search_shows_the_hits(void **state)
{
    CHECK_USE("WebSearch", "{}", "title 'Web search'\nkind fetch\n");
    CHECK_USE("WebSearch", "{'query':'a \\'b\\''}", "title 'Search \\'a \\'b\\'\\''\nkind fetch\n");
    CHECK_RESULT("content [ 'I looked\\nA (https://a)\\nB (https://b)\\n' ]\n", .tool = "WebSearch",
                 .result = "'for the model'",
                 .structured =
                     "{'results':['I looked',{'content':[{'title':'A','url':'https://a'},{'title':'x'},7,"
                     "{'title':'B','url':'https://b'}]},{'content':'no'},null,5,'']}");
    CHECK_RESULT("general\ncontent [ 'raw' ]\n", .tool = "WebSearch", .result = "'raw'",
                 .structured = "{'results':[{'content':[]},{}]}");
    CHECK_RESULT("general\ncontent [ 'raw' ]\n", .tool = "WebSearch", .result = "'raw'",
                 .structured = "{'results':{'content':'x'}}");
    CHECK_RESULT("general\ncontent [ 'raw' ]\n", .tool = "WebSearch", .result = "'raw'");
    CHECK_RESULT("general\ncontent [ '```\\nraw\\n```' ]\n", .tool = "WebSearch", .result = "'raw'",
                 .is_error = true, .structured = "{'results':['x']}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_glob_names_place_and_pattern), cmocka_unit_test(test_grep_is_a_command_line),
        cmocka_unit_test(test_grep_reads_aliases),           cmocka_unit_test(test_fetch_names_the_page),
        cmocka_unit_test(test_search_shows_the_hits),
    };
    return RUN_REPORTER_TESTS(tests);
}
