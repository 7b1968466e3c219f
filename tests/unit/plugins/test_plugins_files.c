/* Read, Write, Edit and NotebookEdit. */
#include "reporter_fixture.h"

/* ---- Read ------------------------------------------------------------------------------------------- */

static void test_read_names_the_path_and_the_range(void **state)
{
    CHECK_USE("Read", "{}", "title 'Read File'\nkind read\nlocations [ ]\n");
    CHECK_USE("Read", "{'file_path':'/ws/src/a.c'}",
              "title 'Read src/a.c'\nkind read\nlocations [ '/ws/src/a.c':1 ]\n");
    CHECK_USE("Read", "{'file_path':'/etc/hosts','limit':2,'offset':3}",
              "title 'Read /etc/hosts (3 - 4)'\nkind read\nlocations [ '/etc/hosts':3 ]\n");
    CHECK_USE("Read", "{'limit':2}", "title 'Read File (1 - 2)'\nkind read\nlocations [ ]\n");
    CHECK_USE("Read", "{'file_path':'/ws/a','offset':7}",
              "title 'Read a (from line 7)'\nkind read\nlocations [ '/ws/a':7 ]\n");
    CHECK_USE("Read", "{'file_path':'/ws/a','offset':0}",
              "title 'Read a'\nkind read\nlocations [ '/ws/a':0 ]\n");
    CHECK_USE("Read", "{'file_path':'/ws/a','offset':0,'limit':5}",
              "title 'Read a (0 - 4)'\nkind read\nlocations [ '/ws/a':0 ]\n");
    CHECK_USE("Read", "{'file_path':'/ws/a','offset':null,'limit':5}",
              "title 'Read a (1 - 5)'\nkind read\nlocations [ '/ws/a':1 ]\n");
    CHECK_USE("Read", "{'file_path':'/ws'}", "title 'Read '\nkind read\nlocations [ '/ws':1 ]\n");
}

static void test_read_takes_wrong_types_as_absent(void **state)
{
    static const char bare[] = "title 'Read a'\nkind read\nlocations [ '/ws/a':1 ]\n";
    CHECK_USE("Read", "{'file_path':'/ws/a','offset':'7','limit':true}", bare);
    CHECK_USE("Read", "{'file_path':'/ws/a','limit':-1}", bare);
    CHECK_USE("Read", "{'file_path':'/ws/a','limit':9223372036854775807}", bare);
    CHECK_USE("Read", "{'file_path':'/ws/a','limit':1e300,'offset':-9223372036854775808}", bare);
    CHECK_USE("Read", "{'file_path':['/ws/a'],'offset':{}}", "title 'Read File'\nkind read\nlocations [ ]\n");
    CHECK_USE("Read", "[]", "title 'Read File'\nkind read\nlocations [ ]\n");
    CHECK_USE("Read", "{'file_path':'/ws/a','offset':-5}",
              "title 'Read a (from line -5)'\nkind read\nlocations [ '/ws/a':1 ]\n");
}

static void test_read_numbers_the_lines_of_the_file(void **state)
{
    CHECK_RESULT("content [ '```\\n1\\ta\\n2\\tb\\n```' ]\n", .tool = "Read", .result = "'1\\ta <reminder>'",
                 .structured = "{'type':'text','file':{'content':'a\\nb\\n'}}");
    CHECK_RESULT("content [ '```\\n9\\ta\\r\\n10\\t\\n```' ]\n", .tool = "Read",
                 .structured = "{'type':'text','file':{'content':'a\\r\\n\\n','startLine':9}}");
    CHECK_RESULT("content [ '```\\n4\\ta\\n```' ]\n", .tool = "Read", .input = "{'offset':4}",
                 .structured = "{'type':'text','file':{'content':'a'}}");
    CHECK_RESULT("content [ '```\\n1\\t\\n```' ]\n", .tool = "Read",
                 .structured = "{'type':'text','file':{'content':'\\n','startLine':'x'}}");
    /* The number stands before a fence of the file, which therefore does not begin a line. */
    CHECK_RESULT("content [ '```\\n1\\t```\\n2\\tx\\n```' ]\n", .tool = "Read",
                 .structured = "{'type':'text','file':{'content':'```\\nx'}}");
    CHECK_RESULT("content [ '```\\n1\\ta\\n[File truncated: showing 1 of 25 lines]\\n```' ]\n",
                 .tool = "Read",
                 .structured =
                     "{'type':'text','file':{'content':'a\\n','truncatedByTokenCap':true,'numLines':1,"
                     "'totalLines':25}}");
    CHECK_RESULT("content [ '```\\n1\\ta\\n[File truncated]\\n```' ]\n", .tool = "Read",
                 .structured =
                     "{'type':'text','file':{'content':'a','truncatedByTokenCap':true,'numLines':1}}");
}

static void test_read_falls_back_to_the_text(void **state)
{
    CHECK_RESULT("content [ '```\\n<empty>\\n```' ]\n", .tool = "Read", .result = "'<empty>'",
                 .structured = "{'type':'text','file':{'content':''}}");
    CHECK_RESULT("content [ '````\\n```\\n````' ]\n", .tool = "Read", .result = "'```'",
                 .structured = "{'type':'notebook','file':{'content':'a'}}");
    CHECK_RESULT("content [ '```\\na\\n```' image 'image/png' 'AA' '{\\'a\\':1}' ]\n", .tool = "Read",
                 .result =
                     "[{'type':'text','text':'a'},{'type':'image','source':{'type':'base64','media_type':"
                     "'image/png','data':'AA'}},{'a':1}]");
    CHECK_RESULT("", .tool = "Read", .result = "''");
    CHECK_RESULT("", .tool = "Read");
    CHECK_RESULT("general\ncontent [ '```\\nno such file\\n```' ]\n", .tool = "Read", .is_error = true,
                 .result = "'no such file'", .structured = "'Error: no such file'");
}

/* ---- Write ------------------------------------------------------------------------------------------ */

static void test_write_states_the_file(void **state)
{
    static const char none[] = "title 'Preparing file\xE2\x80\xA6'\nkind edit\nlocations [ ]\n";
    CHECK_USE("Write", "{}", none);
    CHECK_USE("Write", "{'file_path':7}", none);
    CHECK_USE(
        "Write", "{'file_path':'/ws/d/a.txt','content':'x\\n'}",
        "title 'Write d/a.txt'\nkind edit\nlocations [ '/ws/d/a.txt' ]\nwrite '/ws/d/a.txt' new 'x\\n'\n"
        "file-text 'content'\n");
    CHECK_USE("Write", "{'file_path':'/ws/a'}",
              "title 'Write a'\nkind edit\nlocations [ '/ws/a' ]\nwrite '/ws/a'\n");
    CHECK_USE(
        "Write", "{'path':'/ws/a','file_text':''}",
        "title 'Write a'\nkind edit\nlocations [ '/ws/a' ]\nwrite '/ws/a' new ''\nfile-text 'file_text'\n");
    CHECK_USE("Write", "{'file_path':'/ws/a','path':'/ws/b','content':null,'file_content':'x'}",
              "title 'Write a'\nkind edit\nlocations [ '/ws/a' ]\nwrite '/ws/a' new 'x'\n"
              "file-text 'file_content'\n");
    CHECK_USE("Write", "{'file_path':'/ws/a','content':['x']}",
              "title 'Write a'\nkind edit\nlocations [ '/ws/a' ]\nwrite '/ws/a'\n");
    CHECK_USE("Write", "{'file_path':'/ws','content':'x'}",
              "title 'Preparing file\xE2\x80\xA6'\nkind edit\nlocations [ '/ws' ]\nwrite '/ws' new 'x'\n"
              "file-text 'content'\n");
    CHECK_USE("Write", "{'file_path':'','content':'x'}",
              "title 'Preparing file\xE2\x80\xA6'\nkind edit\nlocations [ ]\ndisplay 'x'\n");
}

static void test_write_results_state_nothing(void **state)
{
    CHECK_RESULT("", .tool = "Write", .result = "'File created'");
    CHECK_RESULT("general\ncontent [ '```\\nno\\n```' ]\n", .tool = "Write", .result = "'no'",
                 .is_error = true);
}

static void test_write_tells_what_it_changed(void **state)
{
    CHECK_FINISHED(
        "Write",
        "{'type':'create','filePath':'/ws/a','content':'x','structuredPatch':[],'originalFile':null}",
        "created '/ws/a' new 'x' hunks 0\n");
    CHECK_FINISHED(
        "Write",
        "{'type':'update','filePath':'/ws/a','content':'x','structuredPatch':[{}],'originalFile':'y'}",
        "updated '/ws/a' old 'y' new 'x' hunks 1\n");
    CHECK_FINISHED("Write", "{'type':'update','filePath':'/ws/a','content':'x','originalFile':null}",
                   "updated '/ws/a' new 'x'\n");
    CHECK_FINISHED("Write", "{'filePath':'','type':'create','content':'x'}", "");
    CHECK_FINISHED("Write", "{'filePath':7,'type':'create','content':'x'}", "");
    CHECK_FINISHED("Write", "'done'", "");
    CHECK_FINISHED("Write", NULL, "");
    CHECK_FINISHED("Write", "{'filePath':'/ws/a','structuredPatch':'no'}", "edited '/ws/a'\n");
}

/* ---- Edit ------------------------------------------------------------------------------------------- */

static void test_edit_states_the_replacement(void **state)
{
    CHECK_USE("Edit", "{}", "title 'Edit'\nkind edit\nlocations [ ]\n");
    CHECK_USE("Edit", "{'old_string':'a','new_string':'b'}", "title 'Edit'\nkind edit\nlocations [ ]\n");
    CHECK_USE("Edit", "{'replace_all':false,'file_path':'/ws/a.c','old_string':'x','new_string':'y'}",
              "title 'Edit a.c'\nkind edit\nlocations [ '/ws/a.c' ]\nreplace '/ws/a.c' old 'x' new 'y'\n"
              "file-text 'new_string'\nfile-text 'old_string'\n");
    CHECK_USE("Edit", "{'replace_all':true,'file_path':'/ws/a.c','old_string':'x'}",
              "title 'Edit a.c'\nkind edit\nlocations [ '/ws/a.c' ]\nreplace '/ws/a.c' old 'x' new '' all\n"
              "file-text 'new_string'\nfile-text 'old_string'\n");
    CHECK_USE("Edit", "{'replace_all':'true','file_path':'/ws/a.c','old_string':'','new_string':'y'}",
              "title 'Edit a.c'\nkind edit\nlocations [ '/ws/a.c' ]\nreplace '/ws/a.c' old '' new 'y'\n"
              "file-text 'new_string'\nfile-text 'old_string'\n");
    /* Nothing to show: no edit, and the input stays whole. */
    CHECK_USE("Edit", "{'file_path':'/ws/a.c','old_string':'','new_string':''}",
              "title 'Edit a.c'\nkind edit\nlocations [ '/ws/a.c' ]\n");
    CHECK_USE("Edit", "{'file_path':'/ws/a.c','old_string':1,'new_string':[]}",
              "title 'Edit a.c'\nkind edit\nlocations [ '/ws/a.c' ]\n");
    CHECK_USE("Edit", "{'file_path':'/ws','old_string':''}",
              "title 'Edit'\nkind edit\nlocations [ '/ws' ]\n");
}

static void test_edit_results_state_nothing(void **state)
{
    CHECK_RESULT("", .tool = "Edit", .result = "'The file was updated'");
    CHECK_RESULT("general\ncontent [ '```\\nno\\n```' ]\n", .tool = "Edit", .result = "'no'",
                 .is_error = true);
}

static void test_edit_tells_what_it_changed(void **state)
{
    CHECK_FINISHED(
        "Edit",
        "{'filePath':'/ws/a','oldString':'x','newString':'y','originalFile':'x\\n','structuredPatch':[{}]}",
        "edited '/ws/a' old 'x\\n' hunks 1\n");
    /* Whether there was an empty file or none is not told. */
    CHECK_FINISHED(
        "Edit",
        "{'filePath':'/ws/a','oldString':'','newString':'y','originalFile':'','structuredPatch':[{}]}",
        "edited '/ws/a' old '' hunks 1\n");
    CHECK_FINISHED(
        "Edit",
        "{'filePath':'/ws/a','oldString':'','newString':'y','originalFile':' ','structuredPatch':[{}]}",
        "edited '/ws/a' old ' ' hunks 1\n");
    CHECK_FINISHED("Edit", "{'filePath':'/ws/a','originalFile':''}", "edited '/ws/a' old ''\n");
    CHECK_FINISHED("Edit", "{'structuredPatch':[{}]}", "");
    CHECK_FINISHED("Edit", "[]", "");
}

/* ---- NotebookEdit ----------------------------------------------------------------------------------- */

#define NOTEBOOK(title, rest)                                                                                \
    "title/fact '" title "'\ntitle/plain 'NotebookEdit'\nkind/fact edit\nkind/plain other\n" rest

static void test_a_notebook_has_two_forms(void **state)
{
    CHECK_USE("NotebookEdit", "{}", NOTEBOOK("Edit notebook", "locations/fact [ ]\n"));
    CHECK_USE("NotebookEdit", "{'notebook_path':'/ws/n.ipynb','cell_id':'c1','new_source':'print()'}",
              NOTEBOOK("Edit cell c1 in n.ipynb",
                       "locations/fact [ '/ws/n.ipynb' ]\ndisplay/fact '```\\nprint()\\n```'\n"));
    CHECK_USE("NotebookEdit", "{'notebook_path':'/ws/n.ipynb','edit_mode':'insert','new_source':''}",
              NOTEBOOK("Insert cell in n.ipynb",
                       "locations/fact [ '/ws/n.ipynb' ]\ndisplay/fact '```\\n\\n```'\n"));
    CHECK_USE("NotebookEdit",
              "{'notebook_path':'/ws/n.ipynb','edit_mode':'delete','cell_id':'c','new_source':'x'}",
              NOTEBOOK("Delete cell c in n.ipynb", "locations/fact [ '/ws/n.ipynb' ]\n"));
    CHECK_USE("NotebookEdit",
              "{'notebook_path':'/ws/n.ipynb','edit_mode':'replace','cell_id':3,'new_source':[]}",
              NOTEBOOK("Edit cell in n.ipynb", "locations/fact [ '/ws/n.ipynb' ]\n"));
}

static void test_a_shown_source_takes_the_place_of_the_result(void **state)
{
    CHECK_RESULT("content/plain [ 'Updated cell' ]\nraw/fact none\n", .tool = "NotebookEdit",
                 .input = "{'new_source':'x'}", .result = "'Updated cell'");
    CHECK_RESULT("general\ncontent [ 'Deleted cell' ]\n", .tool = "NotebookEdit",
                 .input = "{'new_source':'x','edit_mode':'delete'}", .result = "'Deleted cell'");
    CHECK_RESULT("general\ncontent [ '```\\nno\\n```' ]\n", .tool = "NotebookEdit",
                 .input = "{'new_source':'x'}", .result = "'no'", .is_error = true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_names_the_path_and_the_range),
        cmocka_unit_test(test_read_takes_wrong_types_as_absent),
        cmocka_unit_test(test_read_numbers_the_lines_of_the_file),
        cmocka_unit_test(test_read_falls_back_to_the_text),
        cmocka_unit_test(test_write_states_the_file),
        cmocka_unit_test(test_write_results_state_nothing),
        cmocka_unit_test(test_write_tells_what_it_changed),
        cmocka_unit_test(test_edit_states_the_replacement),
        cmocka_unit_test(test_edit_results_state_nothing),
        cmocka_unit_test(test_edit_tells_what_it_changed),
        cmocka_unit_test(test_a_notebook_has_two_forms),
        cmocka_unit_test(test_a_shown_source_takes_the_place_of_the_result),
    };
    return RUN_REPORTER_TESTS(tests);
}
