/* TodoWrite and the Task tools, which are shown as the session's plan. */
#include "reporter_fixture.h"

static void test_plan_tools_are_shown_as_the_plan(void **state)
{
    const struct fixture *fx = *state;
    static const char *const plan[] = {"TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"};
    static const char *const calls[] = {"Bash", "Task", "TaskStop", "ExitPlanMode", "TodoRead"};
    for (size_t i = 0; i < ARRAY_LEN(plan); i++) {
        assert_true(reporter_shows_plan(reporter_for(fx->host, str_of(plan[i]))));
        assert_false(reporter_shows_plan(reporter_for(fx->host, str_of(calls[i]))));
    }
}

/* ---- TodoWrite -------------------------------------------------------------------------------------- */

static void test_todos_are_the_plan(void **state)
{
    CHECK_USE(
        "TodoWrite",
        "{'todos':[{'content':'A','status':'completed','activeForm':'Doing A'},"
        "{'content':'B','status':'in_progress','activeForm':'Doing B'},{'content':'C','status':'pending'},"
        "{'content':'D','status':'in_progress','activeForm':''}]}",
        "title 'Update TODOs: A, B, C, D'\nkind think\nplan\nentry completed 'A'\nentry in_progress 'Doing "
        "B'\n"
        "entry pending 'C'\nentry in_progress 'D'\n");
    CHECK_USE("TodoWrite", "{'todos':[]}", "title 'Update TODOs: '\nkind think\nplan\n");
}

static void test_todos_that_are_no_list(void **state)
{
    static const char bare[] = "title 'Update TODOs'\nkind think\n";
    check_call(state, PHASE_USE, &(struct fixture_call){.tool = "TodoWrite", .start = true}, bare, __FILE__,
               __LINE__);
    CHECK_USE("TodoWrite", "{'todos':'A'}", bare);
    CHECK_USE("TodoWrite", "{'todos':{'content':'A'}}", bare);
    CHECK_USE("TodoWrite", "null", bare);
    CHECK_USE("TodoWrite",
              "{'todos':[7,{'content':['x'],'status':'pending'},{'content':'A','status':3},null]}",
              "title 'Update TODOs: , , A, '\nkind think\nplan\nentry pending 'A'\n");
}

static void test_todo_results_state_nothing(void **state)
{
    CHECK_RESULT("", .tool = "TodoWrite", .result = "'Todos have been modified'");
}

/* ---- Titles of the Task tools ----------------------------------------------------------------------- */

static void test_task_titles(void **state)
{
    CHECK_USE("TaskCreate", "{}", "title 'Create task'\nkind think\n");
    CHECK_USE("TaskCreate", "{'subject':'Test'}", "title 'Create task: Test'\nkind think\n");
    CHECK_USE("TaskUpdate", "{'taskId':'1','subject':''}", "title 'Update task'\nkind think\n");
    CHECK_USE("TaskUpdate", "{'taskId':'1','subject':'Test'}", "title 'Update task: Test'\nkind think\n");
    CHECK_USE("TaskList", "{}", "title 'List tasks'\nkind think\n");
    CHECK_USE("TaskGet", "{'taskId':'1'}", "title 'Get task'\nkind think\n");
}

/* ---- TaskCreate ------------------------------------------------------------------------------------- */

static void test_create_puts_a_task(void **state)
{
    CHECK_RESULT("put '3' subject 'Test' active 'Testing' description 'All' pending\npublish\n",
                 .tool = "TaskCreate",
                 .input = "{'subject':'Test','activeForm':'Testing','description':'All'}", .result = "'x'",
                 .structured = "{'task':{'id':'3','subject':'Other'}}");
    CHECK_RESULT("put '3' subject 'Test' pending\npublish\n", .tool = "TaskCreate",
                 .input = "{'subject':'Test'}", .result = "' Task #3 created successfully: Tast\\n'");
    CHECK_RESULT("put 'a-b' subject 'Test' pending\npublish\n", .tool = "TaskCreate", .input = "{}",
                 .result =
                     "[{'type':'image'},{'type':'text','text':'no'},{'type':'text','text':'Task #a-b created "
                     "successfully: Test'}]");
    CHECK_RESULT("put '3' subject 'Test' description 'All' pending\npublish\n", .tool = "TaskCreate",
                 .input = "{'subject':7}",
                 .structured = "{'task':{'id':'3','subject':'Test','description':'All'}}");
    CHECK_RESULT("put '4' subject 'Test' pending\npublish\n", .tool = "TaskCreate",
                 .structured = "'Task #4 created successfully: Test'",
                 .result = "'Task #5 created successfully: x'");
}

static void test_create_without_an_id_only_sends_the_plan(void **state)
{
    CHECK_RESULT("publish\n", .tool = "TaskCreate", .input = "{'subject':'Test'}", .result = "'done'");
    CHECK_RESULT("publish\n", .tool = "TaskCreate", .input = "{'subject':'Test'}",
                 .structured = "{'task':{'id':3}}", .result = "'Task # created successfully: x'");
    CHECK_RESULT("publish\n", .tool = "TaskCreate", .input = "{'subject':'Test'}",
                 .result = "'Task #3 created successfully: x\\ny'");
    CHECK_RESULT("publish\n", .tool = "TaskCreate", .input = "{}", .structured = "{'task':{'id':'3'}}");
    CHECK_RESULT("publish\n", .tool = "TaskCreate", .input = "{'subject':'Test'}");
    CHECK_RESULT("general\ncontent [ '```\\nno\\n```' ]\n", .tool = "TaskCreate",
                 .input = "{'subject':'Test'}", .result = "'no'", .is_error = true,
                 .structured = "{'task':{'id':'3'}}");
}

/* ---- TaskUpdate ------------------------------------------------------------------------------------- */

static void test_update_merges(void **state)
{
    CHECK_RESULT("merge '3' in_progress\npublish\n", .tool = "TaskUpdate",
                 .input = "{'taskId':'3','status':'in_progress'}", .result = "'Updated task #3 status'",
                 .structured = "{'success':true,'taskId':'3','updatedFields':['status']}");
    CHECK_RESULT("merge '3' subject 'S' active 'A' description 'D'\npublish\n", .tool = "TaskUpdate",
                 .input = "{'taskId':'3','subject':'S','activeForm':'A','description':'D','status':'odd'}",
                 .result = "'Updated task #3'");
    CHECK_RESULT("remove '3'\npublish\n", .tool = "TaskUpdate", .input = "{'taskId':'3','status':'deleted'}",
                 .result = "'ok'");
    /* An entry is never left without a name. */
    CHECK_RESULT("publish\n", .tool = "TaskUpdate", .input = "{'taskId':'3','subject':''}", .result = "'ok'");
    CHECK_RESULT("publish\n", .tool = "TaskUpdate", .input = "{'taskId':3,'status':'completed'}",
                 .result = "'ok'");
}

static void test_update_that_did_not_happen(void **state)
{
    static const char input[] = "{'taskId':'3','status':'completed'}";
    CHECK_RESULT("", .tool = "TaskUpdate", .input = input, .result = "'x'",
                 .structured = "{'success':false,'taskId':'3','updatedFields':[]}");
    CHECK_RESULT("", .tool = "TaskUpdate", .input = input, .result = "'x'",
                 .structured = "{'success':true,'taskId':'4','updatedFields':[]}");
    CHECK_RESULT("", .tool = "TaskUpdate", .input = input, .result = "'Task #3 not found\\n'");
    CHECK_RESULT("", .tool = "TaskUpdate", .input = input,
                 .result = "[{'type':'text','text':'Failed to delete task'}]");
    CHECK_RESULT("general\ncontent [ '```\\nno\\n```' ]\n", .tool = "TaskUpdate", .input = input,
                 .result = "'no'", .is_error = true);
    /* An answer in another form is unknown. */
    CHECK_RESULT("merge '3' completed\npublish\n", .tool = "TaskUpdate", .input = input, .result = "'x'",
                 .structured = "{'success':false,'taskId':'3','updatedFields':[7]}");
    CHECK_RESULT("merge '3' completed\npublish\n", .tool = "TaskUpdate", .input = input, .result = "'x'",
                 .structured = "{'success':'no','taskId':'3','updatedFields':[]}");
    CHECK_RESULT("merge '3' completed\npublish\n", .tool = "TaskUpdate", .input = input,
                 .result = "'Task #3 not found here'");
}

/* ---- TaskList --------------------------------------------------------------------------------------- */

static void test_list_replaces_the_plan(void **state)
{
    CHECK_RESULT("relist\nput '2' subject 'B' in_progress\nput '1' subject 'A' completed\npublish\n",
                 .tool = "TaskList", .result = "'x'",
                 .structured = "{'tasks':[{'id':'2','subject':'B','status':'in_progress'},"
                               "{'id':'1','subject':'A','status':'completed','owner':'me'}]}");
    CHECK_RESULT("relist\npublish\n", .tool = "TaskList", .result = "'x'", .structured = "{'tasks':[]}");
    CHECK_RESULT("relist\npublish\n", .tool = "TaskList", .result = "'No tasks found'");
    CHECK_RESULT("relist\nput '1' subject 'A' completed\nput '2' subject 'B (x) y' pending\n"
                 "put '3' subject 'C' pending\nput '4' subject 'D' in_progress\npublish\n",
                 .tool = "TaskList",
                 .result = "'#1 [completed] A\\n#2 [pending] B (x) y\\n#3 [pending] C (main) [blocked by #1, "
                           "#2]\\n#4 [in_progress] D (o)\\n'");
    CHECK_RESULT("relist\nput '1' subject 'A' pending\npublish\n", .tool = "TaskList",
                 .result =
                     "[{'type':'text','text':'no'},{'type':'text','text':'#1 [pending] A [blocked by #2]'}]");
    CHECK_RESULT(
        "relist\nput '1' subject 'A (b (c))' pending\nput '2' subject 'A [blocked by 1]' pending\n"
        "put '3' subject 'A [blocked by #1,#2]' pending\nput '4' subject 'A [blocked by #]' pending\n"
        "put '5' subject 'A' pending\nput '6' subject '(b)' pending\npublish\n",
        .tool = "TaskList",
        .result = "'#1 [pending] A (b (c))\\n#2 [pending] A [blocked by 1]\\n#3 [pending] A [blocked by "
                  "#1,#2]\\n#4 [pending] A [blocked by #]\\n#5 [pending] A ()\\n#6 [pending] (b)'");
}

static void test_a_list_that_cannot_be_read_changes_nothing(void **state)
{
    CHECK_RESULT("", .tool = "TaskList", .result = "'#1 [pending] A\\nand more'");
    CHECK_RESULT("", .tool = "TaskList", .result = "'#1 [pending] A\\n\\n#2 [pending] B'");
    CHECK_RESULT("", .tool = "TaskList", .result = "'#1 [blocked] A'");
    CHECK_RESULT("", .tool = "TaskList", .result = "'# [pending] A'");
    CHECK_RESULT("", .tool = "TaskList", .result = "'#1 [pending] '");
    CHECK_RESULT("", .tool = "TaskList", .result = "'#1 [pending'");
    CHECK_RESULT("", .tool = "TaskList", .result = "''");
    CHECK_RESULT("", .tool = "TaskList");
    CHECK_RESULT("", .tool = "TaskList", .result = "7",
                 .structured =
                     "{'tasks':[{'id':'1','subject':'A','status':'pending'},{'id':'2','subject':'B'}]}");
    CHECK_RESULT("", .tool = "TaskList",
                 .structured = "{'tasks':[{'id':1,'subject':'A','status':'pending'}]}");
    CHECK_RESULT("general\ncontent [ '```\\nNo tasks found\\n```' ]\n", .tool = "TaskList",
                 .result = "'No tasks found'", .is_error = true);
}

static void test_get_changes_nothing(void **state)
{
    CHECK_RESULT("", .tool = "TaskGet", .result = "'#1 [pending] A'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_tools_are_shown_as_the_plan),
        cmocka_unit_test(test_todos_are_the_plan),
        cmocka_unit_test(test_todos_that_are_no_list),
        cmocka_unit_test(test_todo_results_state_nothing),
        cmocka_unit_test(test_task_titles),
        cmocka_unit_test(test_create_puts_a_task),
        cmocka_unit_test(test_create_without_an_id_only_sends_the_plan),
        cmocka_unit_test(test_update_merges),
        cmocka_unit_test(test_update_that_did_not_happen),
        cmocka_unit_test(test_list_replaces_the_plan),
        cmocka_unit_test(test_a_list_that_cannot_be_read_changes_nothing),
        cmocka_unit_test(test_get_changes_nothing),
    };
    return RUN_REPORTER_TESTS(tests);
}
