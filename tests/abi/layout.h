/* The recorded ABI 1.0: the place and size of every public member, and every public value.
 *
 * Compiles as C11 and as C++17. A line that fails means that plugins which were built before would break: put
 * the header right, not this file. What is new is added here in the same change, at the end of its structure.
 * Places are those of 64-bit machines, sizes of 32 bits are not recorded. */
#include <herald/reporter.h>
#include <herald/text.h>

#ifdef __cplusplus
#define CHECK(condition, text) static_assert(condition, text)
#else
#define CHECK(condition, text) _Static_assert(condition, text)
#endif

#define VALUE(name, value) CHECK((name) == (value), #name)
#if UINTPTR_MAX == UINT64_MAX
#define SIZE(type, size) CHECK(sizeof(type) == (size), "size of " #type)
#define PLACE(type, member, offset, size)                                                                    \
    CHECK(offsetof(type, member) == (offset) && sizeof(((type *)0)->member) == (size), #type "." #member)
#else
#define SIZE(type, size)                  CHECK(sizeof(type) > 0, #type)
#define PLACE(type, member, offset, size) CHECK(sizeof(((type *)0)->member) > 0, #type "." #member)
#endif

VALUE(HERALD_ABI_MAJOR, 1);

/* herald_type */
SIZE(herald_type, 4);
VALUE(HERALD_MISSING, 0);
VALUE(HERALD_NULL, 1);
VALUE(HERALD_BOOLEAN, 2);
VALUE(HERALD_NUMBER, 3);
VALUE(HERALD_TEXT, 4);
VALUE(HERALD_ARRAY, 5);
VALUE(HERALD_OBJECT, 6);

/* herald_form */
SIZE(herald_form, 4);
VALUE(HERALD_BOTH, 0);
VALUE(HERALD_FACT, 1);
VALUE(HERALD_PLAIN, 2);

/* herald_kind */
SIZE(herald_kind, 4);
VALUE(HERALD_KIND_OTHER, 0);
VALUE(HERALD_KIND_READ, 1);
VALUE(HERALD_KIND_EDIT, 2);
VALUE(HERALD_KIND_DELETE, 3);
VALUE(HERALD_KIND_MOVE, 4);
VALUE(HERALD_KIND_SEARCH, 5);
VALUE(HERALD_KIND_EXECUTE, 6);
VALUE(HERALD_KIND_THINK, 7);
VALUE(HERALD_KIND_FETCH, 8);
VALUE(HERALD_KIND_SWITCH_MODE, 9);

/* herald_edit_kind */
SIZE(herald_edit_kind, 4);
VALUE(HERALD_EDIT_REPLACE, 0);
VALUE(HERALD_EDIT_WRITE, 1);

/* herald_change_kind */
SIZE(herald_change_kind, 4);
VALUE(HERALD_CHANGE_CREATED, 0);
VALUE(HERALD_CHANGE_UPDATED, 1);
VALUE(HERALD_CHANGE_EDITED, 2);

/* herald_plan_status */
SIZE(herald_plan_status, 4);
VALUE(HERALD_PLAN_PENDING, 0);
VALUE(HERALD_PLAN_IN_PROGRESS, 1);
VALUE(HERALD_PLAN_COMPLETED, 2);

/* herald_task_change */
SIZE(herald_task_change, 4);
VALUE(HERALD_TASK_PUT, 0);
VALUE(HERALD_TASK_MERGE, 1);
VALUE(HERALD_TASK_REMOVE, 2);
VALUE(HERALD_TASK_CLEAR, 3);
VALUE(HERALD_TASK_RELIST, 4);

/* herald_extra_space */
SIZE(herald_extra_space, 4);
VALUE(HERALD_EXTRA_CLAUDE_CODE, 0);
VALUE(HERALD_EXTRA_AIR, 1);

/* herald_input_state */
SIZE(herald_input_state, 4);
VALUE(HERALD_INPUT_START, 0);
VALUE(HERALD_INPUT_PARTIAL, 1);
VALUE(HERALD_INPUT_COMPLETE, 2);

/* herald_presentation */
SIZE(herald_presentation, 4);
VALUE(HERALD_SHOW_CALL, 0);
VALUE(HERALD_SHOW_PLAN, 1);

/* herald_status */
SIZE(herald_status, 4);
VALUE(HERALD_OK, 0);
VALUE(HERALD_GENERAL, 1);
VALUE(HERALD_E_ARGUMENT, (-1));
VALUE(HERALD_E_ENCODING, (-2));
VALUE(HERALD_E_TOO_LARGE, (-3));
VALUE(HERALD_E_PHASE, (-4));
VALUE(HERALD_E_MEMORY, (-5));
VALUE(HERALD_E_FAILED, (-6));
VALUE(HERALD_MAX_TITLE, (1024 * 1024));
VALUE(HERALD_MAX_PATH, 4096);
VALUE(HERALD_MAX_TEXT, (256 * 1024 * 1024));
VALUE(HERALD_MAX_ENTRIES, 65536);
VALUE(HERALD_NO_LINE, (-1));

/* herald_string */
SIZE(herald_string, 16);
PLACE(herald_string, data, 0, 8);
PLACE(herald_string, size, 8, 8);

/* herald_value */
SIZE(herald_value, 16);
PLACE(herald_value, document, 0, 8);
PLACE(herald_value, index, 8, 8);

/* herald_edit */
SIZE(herald_edit, 64);
PLACE(herald_edit, struct_size, 0, 8);
PLACE(herald_edit, kind, 8, 4);
PLACE(herald_edit, replace_all, 12, 1);
PLACE(herald_edit, reserved, 13, 3);
PLACE(herald_edit, path, 16, 16);
PLACE(herald_edit, old_text, 32, 16);
PLACE(herald_edit, new_text, 48, 16);

/* herald_file_change */
SIZE(herald_file_change, 80);
PLACE(herald_file_change, struct_size, 0, 8);
PLACE(herald_file_change, kind, 8, 4);
PLACE(herald_file_change, reserved, 12, 4);
PLACE(herald_file_change, path, 16, 16);
PLACE(herald_file_change, old_text, 32, 16);
PLACE(herald_file_change, new_text, 48, 16);
PLACE(herald_file_change, hunks, 64, 16);

/* herald_task */
SIZE(herald_task, 80);
PLACE(herald_task, struct_size, 0, 8);
PLACE(herald_task, id, 8, 16);
PLACE(herald_task, subject, 24, 16);
PLACE(herald_task, active_form, 40, 16);
PLACE(herald_task, description, 56, 16);
PLACE(herald_task, status, 72, 4);
PLACE(herald_task, reserved, 76, 4);

/* herald_host */
SIZE(herald_host, 376);
PLACE(herald_host, struct_size, 0, 8);
PLACE(herald_host, abi_major, 8, 4);
PLACE(herald_host, abi_minor, 12, 4);
PLACE(herald_host, type, 16, 8);
PLACE(herald_host, member, 24, 8);
PLACE(herald_host, element, 32, 8);
PLACE(herald_host, count, 40, 8);
PLACE(herald_host, next, 48, 8);
PLACE(herald_host, text, 56, 8);
PLACE(herald_host, number, 64, 8);
PLACE(herald_host, integer, 72, 8);
PLACE(herald_host, is_true, 80, 8);
PLACE(herald_host, truthy, 88, 8);
PLACE(herald_host, json, 96, 8);
PLACE(herald_host, scratch, 104, 8);
PLACE(herald_host, display_path, 112, 8);
PLACE(herald_host, fence, 120, 8);
PLACE(herald_host, error_text, 128, 8);
PLACE(herald_host, size_label, 136, 8);
PLACE(herald_host, result_text, 144, 8);
PLACE(herald_host, set_title, 152, 8);
PLACE(herald_host, set_kind, 160, 8);
PLACE(herald_host, set_locations, 168, 8);
PLACE(herald_host, add_location, 176, 8);
PLACE(herald_host, add_edit, 184, 8);
PLACE(herald_host, add_file_text_key, 192, 8);
PLACE(herald_host, add_display, 200, 8);
PLACE(herald_host, set_command, 208, 8);
PLACE(herald_host, set_plan_keys, 216, 8);
PLACE(herald_host, set_subagent, 224, 8);
PLACE(herald_host, set_skill, 232, 8);
PLACE(herald_host, set_mcp, 240, 8);
PLACE(herald_host, add_extra, 248, 8);
PLACE(herald_host, add_plan_entry, 256, 8);
PLACE(herald_host, set_plan, 264, 8);
PLACE(herald_host, set_content, 272, 8);
PLACE(herald_host, add_text, 280, 8);
PLACE(herald_host, add_image, 288, 8);
PLACE(herald_host, add_block, 296, 8);
PLACE(herald_host, add_result, 304, 8);
PLACE(herald_host, set_command_output, 312, 8);
PLACE(herald_host, set_raw_output, 320, 8);
PLACE(herald_host, set_plan_file, 328, 8);
PLACE(herald_host, set_background_task, 336, 8);
PLACE(herald_host, change_task, 344, 8);
PLACE(herald_host, publish_tasks, 352, 8);
PLACE(herald_host, set_file_change, 360, 8);
PLACE(herald_host, parse, 368, 8);

/* herald_call */
SIZE(herald_call, 152);
PLACE(herald_call, struct_size, 0, 8);
PLACE(herald_call, host, 8, 8);
PLACE(herald_call, tool, 16, 16);
PLACE(herald_call, id, 32, 16);
PLACE(herald_call, cwd, 48, 16);
PLACE(herald_call, home, 64, 16);
PLACE(herald_call, replay, 80, 1);
PLACE(herald_call, is_error, 81, 1);
PLACE(herald_call, reserved, 82, 2);
PLACE(herald_call, input_state, 84, 4);
PLACE(herald_call, input, 88, 16);
PLACE(herald_call, result, 104, 16);
PLACE(herald_call, structured, 120, 16);
PLACE(herald_call, response, 136, 16);

/* herald_reporter */
SIZE(herald_reporter, 56);
PLACE(herald_reporter, struct_size, 0, 8);
PLACE(herald_reporter, name, 8, 8);
PLACE(herald_reporter, tools, 16, 8);
PLACE(herald_reporter, presentation, 24, 4);
PLACE(herald_reporter, reserved, 28, 4);
PLACE(herald_reporter, use, 32, 8);
PLACE(herald_reporter, result, 40, 8);
PLACE(herald_reporter, finished, 48, 8);

/* herald_module */
SIZE(herald_module, 56);
PLACE(herald_module, abi_major, 0, 4);
PLACE(herald_module, abi_minor, 4, 4);
PLACE(herald_module, struct_size, 8, 8);
PLACE(herald_module, id, 16, 8);
PLACE(herald_module, version, 24, 8);
PLACE(herald_module, license, 32, 8);
PLACE(herald_module, homepage, 40, 8);
PLACE(herald_module, reporters, 48, 8);
