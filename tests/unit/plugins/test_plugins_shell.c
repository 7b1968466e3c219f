/* Bash and PowerShell. */
#include "reporter_fixture.h"

static void test_a_command_is_its_own_title(void **state)
{
    CHECK_USE("Bash", "{'command':'exit 3\\necho \\u0000\\ud800','description':'Fail'}",
              "title 'exit 3\\necho \\u0000\\ud800'\nkind execute\ndisplay 'Fail'\ncommand 'Fail'\n");
    CHECK_USE("PowerShell", "{'command':'dir','command_description':'List'}",
              "title 'dir'\nkind execute\ndisplay 'List'\ncommand 'List'\n");
}

static void test_a_command_that_is_not_known_yet(void **state)
{
    static const char bare[] = "title 'Terminal'\nkind execute\ncommand\n";
    check_call(state, PHASE_USE, &(struct fixture_call){.tool = "Bash", .start = true}, bare, __FILE__,
               __LINE__);
    CHECK_USE("Bash", "{'command':''}", bare);
    CHECK_USE("Bash", "{'command':['ls'],'description':7}", bare);
    CHECK_USE("Bash", "null", bare);
    CHECK_USE("Bash", "'ls'", bare);
    CHECK_USE("Bash", "[1]", bare);
    check_call(state, PHASE_USE,
               &(struct fixture_call){.tool = "Bash", .partial = true, .input = "{'command':'ls'}"},
               "title 'ls'\nkind execute\ncommand\n", __FILE__, __LINE__);
}

static void test_the_canonical_description_counts_even_when_empty(void **state)
{
    CHECK_USE("Bash", "{'command':'ls','description':'','command_description':'List'}",
              "title 'ls'\nkind execute\ncommand\n");
    CHECK_USE("Bash", "{'command':'ls','description':null,'command_description':'List'}",
              "title 'ls'\nkind execute\ndisplay 'List'\ncommand 'List'\n");
}

static void test_output_comes_from_the_structured_result(void **state)
{
    CHECK_RESULT("output 'out\\nerr' exit 0\n", .tool = "Bash", .result = "'out err <hint>'",
                 .structured = "{'stdout':'out','stderr':'err','interrupted':false,'isImage':false}");
    CHECK_RESULT("output 'err' exit 0\n", .tool = "Bash", .result = "'x'",
                 .structured = "{'stdout':'','stderr':'err'}");
    CHECK_RESULT("output '' exit 0\n", .tool = "PowerShell", .result = "'x'",
                 .structured = "{'stdout':'','stderr':''}");
    /* A structured result in another form does not count. */
    CHECK_RESULT("output 'x' exit 0\n", .tool = "Bash", .result = "'x'", .structured = "{'stdout':'out'}");
    CHECK_RESULT("output 'x' exit 0\n", .tool = "Bash", .result = "'x'",
                 .structured = "{'stdout':'out','stderr':null}");
    CHECK_RESULT("output 'x' exit 0\n", .tool = "Bash", .result = "'x'", .structured = "'Error: y'");
    CHECK_RESULT("output 'x' exit 0\n", .tool = "Bash", .result = "'x'",
                 .structured = "[{'stdout':'out','stderr':''}]");
}

static void test_notes_follow_the_output(void **state)
{
    CHECK_RESULT("output 'a\\n[Command was aborted before completion]' interrupted\n", .tool = "Bash",
                 .result = "'x'", .structured = "{'stdout':'a','stderr':'','interrupted':true}");
    CHECK_RESULT("output '[Command was aborted before completion]' interrupted\n", .tool = "Bash",
                 .result = "'x'", .is_error = true,
                 .structured = "{'stdout':'','stderr':'','interrupted':true}");
    CHECK_RESULT("output ''\n", .tool = "Bash", .result = "''",
                 .structured = "{'stdout':'','stderr':'','returnCodeInterpretation':'No matches found'}");
    CHECK_RESULT(
        "output 'a\\n[Output truncated (70000 bytes total): full output saved to /t/o.txt]' exit 0\n",
        .tool = "Bash", .result = "'x'",
        .structured =
            "{'stdout':'a','stderr':'','persistedOutputPath':'/t/o.txt','persistedOutputSize':70000}");
    CHECK_RESULT("output '[Output truncated: full output saved to /t/o.txt]' exit 0\n", .tool = "Bash",
                 .result = "'x'",
                 .structured =
                     "{'stdout':'','stderr':'','persistedOutputPath':'/t/o.txt','persistedOutputSize':'7'}");
    CHECK_RESULT("output 'a' exit 0\n", .tool = "Bash", .result = "'x'",
                 .structured = "{'stdout':'a','stderr':'','persistedOutputPath':7,'persistedOutputSize':7}");
}

static void test_a_background_command_announces_itself(void **state)
{
    CHECK_RESULT("output 'Command running in background with ID: b1'\nbackground 'b1'\n", .tool = "Bash",
                 .result = "'Command running in background with ID: b1'",
                 .structured = "{'stdout':'','stderr':'','backgroundTaskId':'b1'}");
    CHECK_RESULT("output 'a' exit 0\n", .tool = "Bash", .result = "'x'",
                 .structured = "{'stdout':'a','stderr':'','backgroundTaskId':null}");
}

static void test_output_without_a_structured_result(void **state)
{
    CHECK_RESULT("output 'a\\u0000b' exit 0\n", .tool = "Bash", .result = "'a\\u0000b'");
    CHECK_RESULT("output 'a\\nb\\nc' exit 0\n", .tool = "Bash",
                 .result = "[{'type':'text','text':'a'},{'text':'b\\nc'}]");
    CHECK_RESULT("output '' exit 0\n", .tool = "Bash", .result = "[]");
    CHECK_RESULT("output '' exit 0\n", .tool = "Bash");
    CHECK_RESULT("output '' exit 0\n", .tool = "Bash", .result = "17");
    CHECK_RESULT("output 'o\\ne' exit 4\n", .tool = "Bash",
                 .result = "{'type':'bash_code_execution_result','stdout':'o','stderr':'e','return_code':4}");
    CHECK_RESULT("output 'o'\n", .tool = "Bash",
                 .result = "{'type':'bash_code_execution_result','stdout':'o','return_code':'4'}");
    CHECK_RESULT("output ''\n", .tool = "Bash",
                 .result = "{'type':'bash_code_execution_result','return_code':99999999999}");
}

static void test_an_image_is_a_general_result(void **state)
{
    CHECK_RESULT("general\ncontent [ image 'image/png' 'AAAA' ]\n", .tool = "Bash",
                 .structured = "{'stdout':'AAAA','stderr':'','isImage':true}",
                 .result =
                     "[{'type':'image','source':{'type':'base64','media_type':'image/png','data':'AAAA'}}]");
    CHECK_RESULT("general\ncontent [ '```\\na\\n```' '```\\n7\\n```' ]\n", .tool = "Bash", .is_error = true,
                 .result = "[{'type':'text','text':'a'},7]");
}

static void test_a_failure_names_its_exit_code(void **state)
{
    CHECK_RESULT("output 'Exit code 3' exit 3\n", .tool = "Bash", .is_error = true,
                 .result = "'Exit code 3'");
    CHECK_RESULT("output 'Exit code 127\\nno such' exit 127\n", .tool = "Bash", .is_error = true,
                 .result = "'Exit code 127\\nno such'");
    CHECK_RESULT("output 'Exit code 1 of 2'\n", .tool = "Bash", .is_error = true,
                 .result = "'Exit code 1 of 2'");
    CHECK_RESULT("output 'Exit code '\n", .tool = "Bash", .is_error = true, .result = "'Exit code '");
    CHECK_RESULT("output 'Exit code 99999999999999999999'\n", .tool = "Bash", .is_error = true,
                 .result = "'Exit code 99999999999999999999'");
    CHECK_RESULT("output 'refused'\n", .tool = "Bash", .is_error = true, .result = "'refused'");
    CHECK_RESULT("output 'Exit code 3' exit 0\n", .tool = "Bash", .result = "'Exit code 3'");
    CHECK_RESULT("output ''\n", .tool = "Bash", .is_error = true, .result = "''");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_command_is_its_own_title),
        cmocka_unit_test(test_a_command_that_is_not_known_yet),
        cmocka_unit_test(test_the_canonical_description_counts_even_when_empty),
        cmocka_unit_test(test_output_comes_from_the_structured_result),
        cmocka_unit_test(test_notes_follow_the_output),
        cmocka_unit_test(test_a_background_command_announces_itself),
        cmocka_unit_test(test_output_without_a_structured_result),
        cmocka_unit_test(test_an_image_is_a_general_result),
        cmocka_unit_test(test_a_failure_names_its_exit_code),
    };
    return RUN_REPORTER_TESTS(tests);
}
