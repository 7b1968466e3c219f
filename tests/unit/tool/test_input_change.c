/* When a tool's input counts as another one. */
#include "tool_fixture.h"

#include "tool/input_change.h"

static enum input_change change_at(const struct input_setting *at, const char *shown, const char *given)
{
    AUTO_JSON(a) = parse_quoted(shown);
    AUTO_JSON(b) = parse_quoted(given);
    return input_compare(json_root(a), json_root(b), at);
}

static const struct input_setting usual = {.cwd = STR_INIT("/w"), .home = STR_INIT("/home/me")};
static const struct input_setting exact = {.cwd = STR_INIT("/w"),
                                           .home = STR_INIT("/home/me"),
                                           .exact = true};
static const struct input_setting answered = {.cwd = STR_INIT("/w"),
                                              .home = STR_INIT("/home/me"),
                                              .added = true};

#define SAME(shown, given)    assert_int_equal(change_at(&usual, shown, given), INPUT_SAME)
#define CHANGED(shown, given) assert_int_equal(change_at(&usual, shown, given), INPUT_CHANGED)

/* What Claude does by itself. */
static void test_the_same_in_other_words(void **state)
{
    (void)state;
    SAME("{'a':1,'b':'x'}", "{'b':'x','a':1}");
    SAME("{'a':'x'}", "{'a':'x','replace_all':false,'n':null,'s':'','l':[],'o':{}}");
    SAME("{'a':'5','b':'true','c':1.0}", "{'a':5,'b':true,'c':1}");
    SAME("{'l':'[1,{}]'}", "{'l':[1,{}]}");
    SAME("{'file_path':'a/../f','x':1}", "{'file_path':'/w/f','x':1}");
    SAME("{'notebook_path':'~/f'}", "{'notebook_path':'/home/me/f'}");
    SAME("{'path':'~'}", "{'path':'/home/me'}");
    SAME("{'path':'f','text':'x'}", "{'file_path':'f','content':'x'}");
    SAME("{'plan':'p','planFilePath':'/f','unknown':7}", "{}");
    SAME("{'q':[{'a':1,'m':false},{}]}", "{'q':[{'m':false,'a':1},{'m':false}]}");
    SAME("{'a':1,'a':2}", "{'a':2}");
    assert_int_equal(change_at(&usual, "{'query':'x'}", "{'query':'x','max_results':5}"), INPUT_FILLED);
}

static void test_another_input(void **state)
{
    (void)state;
    CHANGED("{'command':'x'}", "{'command':'y'}");
    CHANGED("{'command':'x'}", "{'command':'x','run_in_background':true}");
    CHANGED("{'command':'x','run_in_background':true}", "{'command':'x'}");
    CHANGED("{'command':'x','run_in_background':true}", "{'command':'x','run_in_background':false}");
    CHANGED("{'command':'x'}", "{'command':'x','description':'d'}");
    CHANGED("{'command':'x','timeout':1}", "{'command':'x','timeout':2}");
    CHANGED("{'command':'f'}", "{'command':'/w/f'}"); /* not a path */
    CHANGED("{'file_path':'f'}", "{'file_path':'/other/f'}");
    CHANGED("{'file_path':'/w/f'}", "{'file_path':'f'}");
    CHANGED("{'file_path':'~you/f'}", "{'file_path':'/home/me/f'}");
    CHANGED("{'l':[1]}", "{'l':[1,2]}");
    CHANGED("{'l':[1,2]}", "{'l':[2,1]}");
    CHANGED("{'o':{'a':{'b':[{'c':1}]}}}", "{'o':{'a':{'b':[{'c':2}]}}}");
    CHANGED("{'o':{'a':1}}", "{'o':[1]}");
    CHANGED("{'l':'[1'}", "{'l':[1]}");
}

static void test_an_mcp_tool_gets_what_it_is_given(void **state)
{
    (void)state;
    assert_int_equal(change_at(&exact, "{'a':1,'b':{'c':2}}", "{'b':{'c':2},'a':1}"), INPUT_SAME);
    assert_int_equal(change_at(&exact, "{'a':1,'token':'x'}", "{'a':1}"), INPUT_CHANGED);
    assert_int_equal(change_at(&exact, "{'a':1}", "{'a':1,'n':5}"), INPUT_CHANGED);
    assert_int_equal(change_at(&exact, "{'a':1}", "{'b':1}"), INPUT_CHANGED);
    assert_int_equal(change_at(&exact, "{'a':{'x':1}}", "{'a':{'x':1,'y':false}}"), INPUT_CHANGED);
}

static void test_answers_are_ours(void **state)
{
    (void)state;
    assert_int_equal(change_at(&answered, "{'questions':[{'q':'a'}]}",
                               "{'questions':[{'q':'a'}],'answers':{'a':'b'}}"),
                     INPUT_SAME);
    assert_int_equal(change_at(&answered, "{'questions':[{'q':'a'}]}",
                               "{'questions':[{'q':'x'}],'answers':{'a':'b'}}"),
                     INPUT_CHANGED);
    CHANGED("{'questions':[]}", "{'questions':[],'answers':{'a':'b'}}");
}

/* Nothing takes long, and an end is found. */
static void test_hostile_inputs(void **state)
{
    (void)state;
    AUTO_BUF(deep);
    AUTO_BUF(deeper);
    for (int i = 0; i < 5000; i++) {
        buf_put_c(&deep, "{'a':");
        buf_put_c(&deeper, "{'a':");
    }
    buf_put_c(&deep, "1");
    buf_put_c(&deeper, "2");
    for (int i = 0; i < 5000; i++) {
        buf_put_c(&deep, "}");
        buf_put_c(&deeper, "}");
    }
    CHANGED(buf_c(&deep), buf_c(&deeper));
    SAME(buf_c(&deep), buf_c(&deep));
    AUTO_BUF(wide);
    AUTO_BUF(wider);
    for (int i = 0; i < 100000; i++) {
        buf_printf(&wide, "%c'a%d':'%d'", i ? ',' : '{', i, i);
        buf_printf(&wider, "%c'b%d':'%d'", i ? ',' : '{', i, -i - 1);
    }
    buf_put_c(&wide, "}");
    buf_put_c(&wider, "}");
    CHANGED(buf_c(&wide), buf_c(&wider));
    SAME("{}", "{}");
    CHANGED("{'a':'\\ud800'}", "{'a':'\\ud801'}");
    CHANGED("{'a':'x\\u0000y'}", "{'a':'x\\u0000z'}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_in_other_words),
        cmocka_unit_test(test_another_input),
        cmocka_unit_test(test_an_mcp_tool_gets_what_it_is_given),
        cmocka_unit_test(test_answers_are_ours),
        cmocka_unit_test(test_hostile_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
