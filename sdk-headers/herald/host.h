/* herald/host.h - the functions that Herald offers to a reporter.
 *
 * ABI 1.0. The table is valid as long as the module is loaded; herald_call.host points to it. All functions
 * run on the loop thread, inside a callback only, and none blocks. Functions are added at the end of the
 * table and never change; check HERALD_HAS(host, name) before you call one that is newer than 1.0.
 *
 * Functions that state facts answer HERALD_OK or one of the HERALD_E_ codes (herald/abi.h). A refused fact is
 * left out, logged once for each module, and the rest of the report goes on: a reporter need not check.
 */
#ifndef HERALD_HOST_H
#define HERALD_HOST_H

#include "abi.h"
#include "facts.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct herald_host {
    size_t struct_size;
    uint32_t abi_major;
    uint32_t abi_minor;

    /* ---- JSON ---------------------------------------------------------------------------------------
     * Every function takes a missing value and answers with a missing one, no text, 0 or false. */

    herald_type (*type)(herald_value value);
    /* The member of an object, by its exact name. Of repeated names the last one counts. */
    herald_value (*member)(herald_value object, herald_string name);
    /* The element of an array, from 0. Linear in `index`: walk long arrays with next(). */
    herald_value (*element)(herald_value array, size_t index);
    /* The number of elements or members. */
    size_t (*count)(herald_value value);
    /* Walks an array or object: *cursor is 0 at first, and false comes back at the end. `name` gets the
     * member's name (no text for an array); it may be NULL. */
    bool (*next)(herald_value value, uint64_t *cursor, herald_string *name, herald_value *item);
    /* The text of a string value; no text for any other type. Borrowed until the callback returns. */
    herald_string (*text)(herald_value value);
    /* False, and *out untouched, when the value is not a number (not a whole one within 64 bits). */
    bool (*number)(herald_value value, double *out);
    bool (*integer)(herald_value value, int64_t *out);
    /* True only for the JSON value true. */
    bool (*is_true)(herald_value value);
    /* True unless the value is missing, null, false, 0 or the empty string. */
    bool (*truthy)(herald_value value);
    /* The value as JSON text, compact, with the sender's key order and digits; `indent` blanks a level
     * (0 to 8) when it is not 0. In scratch memory. */
    herald_string (*json)(herald_facts *facts, herald_value value, uint32_t indent);

    /* ---- Text ---------------------------------------------------------------------------------------
     * Results live in scratch memory, which is freed when the callback returns. */

    /* Scratch memory, zeroed, aligned for any type; NULL when memory is out or `size` is over 256 MiB. */
    void *(*scratch)(herald_facts *facts, size_t size);
    /* `path` as it is shown: relative to the session's folder when it lies below it, else as it is. The
     * folder itself gives the empty text. */
    herald_string (*display_path)(herald_facts *facts, herald_string path);
    /* The text in a Markdown code block whose fence is longer than any fence in it. `language` may have no
     * text. */
    herald_string (*fence)(herald_facts *facts, herald_string language, herald_string text);
    /* A failure's text as the general report shows it: in a code block of three backticks. */
    herald_string (*error_text)(herald_facts *facts, herald_string text);
    /* "512 B", "2.4 KB", "1.0 MB". */
    herald_string (*size_label)(herald_facts *facts, uint64_t bytes);
    /* The text of a result: a string, or the text blocks of an array joined by line breaks. No text when
     * there is none. */
    herald_string (*result_text)(herald_facts *facts, herald_value result);

    /* ---- Facts of a use: callback use() ------------------------------------------------------------- */

    /* The title of the call (also in result(), where it replaces the use's). At most HERALD_MAX_TITLE bytes;
     * may hold line breaks. Without one the tool's name is the title. */
    herald_status (*set_title)(herald_facts *facts, herald_form form, herald_string title);
    herald_status (*set_kind)(herald_facts *facts, herald_form form, herald_kind kind);
    /* The call has a list of locations, empty so far. A call for which this is never stated has no list,
     * which is something else to a client. Also in result() and finished(). */
    herald_status (*set_locations)(herald_facts *facts, herald_form form);
    /* Adds a file that the call touches, and with it the list. `path` as the input gives it, 1 to
     * HERALD_MAX_PATH bytes; `line` from 0, or HERALD_NO_LINE. Also in result() and finished(). */
    herald_status (*add_location)(herald_facts *facts, herald_form form, herald_string path, int64_t line);
    /* An edit that the input asks for. */
    herald_status (*add_edit)(herald_facts *facts, const herald_edit *edit);
    /* The input member `name` holds a file's text that an edit above states too, so that a client which shows
     * the edit needs no second copy. */
    herald_status (*add_file_text_key)(herald_facts *facts, herald_string name);
    /* Readable input for a client that does not render the raw input by itself: a Markdown text. */
    herald_status (*add_display)(herald_facts *facts, herald_form form, herald_string markdown);
    /* The call runs a command: its output goes to a terminal where the client has one. `description` says in
     * short what the command is for; no text when that is not known. */
    herald_status (*set_command)(herald_facts *facts, herald_string description);
    /* The input holds a plan to approve: `text_key` names the member with its text, `path_key` the one with
     * the path of the file that holds it. Herald decides which of the two the client gets. */
    herald_status (*set_plan_keys)(herald_facts *facts, herald_string text_key, herald_string path_key);
    /* The call starts a subagent. */
    herald_status (*set_subagent)(herald_facts *facts);
    /* The call loads the skill of this name; Herald looks its file up. */
    herald_status (*set_skill)(herald_facts *facts, herald_string name);
    /* The call goes to an MCP server. Known by itself for tools named mcp__<server>__<tool>. */
    herald_status (*set_mcp)(herald_facts *facts, herald_string server, herald_string tool);
    /* A free-form fact: `json` is a JSON text under `key` (letters, digits, '-', '_', '.'; at most 64 bytes).
     * Keys that Herald uses itself are refused with HERALD_E_ARGUMENT. At most 64 KiB. Also in result(). */
    herald_status (*add_extra)(herald_facts *facts, herald_extra_space space, herald_string key,
                               herald_string json);
    /* A reporter with HERALD_SHOW_PLAN: the input is a whole plan, and this is its next entry. */
    herald_status (*add_plan_entry)(herald_facts *facts, herald_string content, herald_plan_status status);
    /* The same, for a plan that has no entries. */
    herald_status (*set_plan)(herald_facts *facts);

    /* ---- Facts of a result: callback result() (and finished(), where it says so) --------------------- */

    /* The call has this content, empty so far: without members it shows nothing. Also in finished(). */
    herald_status (*set_content)(herald_facts *facts, herald_form form);
    /* Adds a Markdown text. Also in finished(). */
    herald_status (*add_text)(herald_facts *facts, herald_form form, herald_string markdown);
    /* Adds an image: its MIME type and its data in base64. Also in finished(). */
    herald_status (*add_image)(herald_facts *facts, herald_form form, herald_string mime_type,
                               herald_string base64);
    /* Adds a block of the result as the general report shows it; with `as_error` text is put in a code block.
     */
    herald_status (*add_block)(herald_facts *facts, herald_form form, herald_value block, bool as_error);
    /* Adds all of a result (a string, a block or an array of blocks) as the general report shows it. */
    herald_status (*add_result)(herald_facts *facts, herald_form form, herald_value result, bool as_error);
    /* The output of a command. `exit_code` may be NULL: not known. `interrupted`: it was ended before it had
     * finished. */
    herald_status (*set_command_output)(herald_facts *facts, herald_string output, const int32_t *exit_code,
                                        bool interrupted);
    /* What the raw output is where no other field carries the result: `json`, or nothing when it has no text.
     * Without this fact it is the result as it came. */
    herald_status (*set_raw_output)(herald_facts *facts, herald_form form, herald_string json);
    /* The file that holds the approved plan; used when the input named none. An absolute path. */
    herald_status (*set_plan_file)(herald_facts *facts, herald_string path);
    /* The command goes on in the background under this task id. */
    herald_status (*set_background_task)(herald_facts *facts, herald_string task_id);
    /* A reporter with HERALD_SHOW_PLAN: a change to the session's task list, which is sent as its plan after
     * the last change. */
    herald_status (*change_task)(herald_facts *facts, herald_task_change change, const herald_task *task);
    /* The same without a change: send the plan. */
    herald_status (*publish_tasks)(herald_facts *facts);

    /* ---- Facts of a finished tool: callback finished() ----------------------------------------------- */

    /* A file was changed. One for each call of the callback. `hunks` is a value of the call, not of parse().
     */
    herald_status (*set_file_change)(herald_facts *facts, const herald_file_change *change);

    /* ---- JSON in a text ------------------------------------------------------------------------------ */

    /* Reads a JSON text, such as the answer of an MCP tool that comes as text. A missing value when it is not
     * JSON, or is larger or nested deeper than Herald reads (10,000 levels, 4 million values). Valid until
     * the callback returns; at most 16 texts for each callback. */
    herald_value (*parse)(herald_facts *facts, herald_string json);
} herald_host;

#ifdef __cplusplus
}
#endif
#endif
