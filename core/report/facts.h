/* The facts model: what a reporter said about one tool use, result or finished tool.
 *
 * Filled through the public ABI (reporter_host/host_use.c and its neighbours) and read by the renderer.
 * Everything that a fact points to lives in the arena that the facts were begun with, or in the JSON document
 * of the message at hand; both outlive the facts. Which of two forms is used is the renderer's choice: index
 * a pair with FORM_FACT or FORM_PLAIN. */
#ifndef HERALD_REPORT_FACTS_H
#define HERALD_REPORT_FACTS_H

#include "base/arena.h"
#include "json/json.h"

enum fact_form { FORM_FACT, FORM_PLAIN, FORM_COUNT };

/* The values of herald_kind. */
enum tool_kind {
    KIND_OTHER,
    KIND_READ,
    KIND_EDIT,
    KIND_DELETE,
    KIND_MOVE,
    KIND_SEARCH,
    KIND_EXECUTE,
    KIND_THINK,
    KIND_FETCH,
    KIND_SWITCH_MODE,
    KIND_COUNT,
};
/* The word that ACP has for it: "read", "switch_mode". */
const char *tool_kind_name(enum tool_kind kind);

struct fact_location {
    struct fact_location *next;
    str path;
    int64_t line; /* below zero: none */
};

struct fact_locations {
    bool stated; /* a list that may be empty, as against no list at all */
    struct fact_location *first, *last;
};

/* One piece of content. */
struct fact_content {
    struct fact_content *next;
    enum { CONTENT_TEXT, CONTENT_IMAGE } type;
    str text;      /* Markdown */
    str mime_type; /* of an image */
    str data;      /* of an image, base64 */
};

struct fact_contents {
    bool stated;
    struct fact_content *first, *last;
};

struct fact_edit {
    struct fact_edit *next;
    bool write; /* the whole file; else a replacement */
    bool replace_all;
    str path;
    str old_text; /* absent or empty: the file is new */
    str new_text; /* absent: not known yet */
};

struct fact_extra {
    struct fact_extra *next;
    bool air; /* else claudeCode */
    str key;
    str json;
};

enum plan_status { PLAN_PENDING, PLAN_IN_PROGRESS, PLAN_COMPLETED };

struct fact_plan_entry {
    struct fact_plan_entry *next;
    str content;
    enum plan_status status;
};

struct fact_task_change { /* see herald_task_change */
    struct fact_task_change *next;
    enum { TASK_PUT, TASK_MERGE, TASK_REMOVE, TASK_CLEAR, TASK_RELIST } change;
    str id, subject, active_form, description;
    int status; /* an enum plan_status, or -1 */
};

struct fact_text_key {
    struct fact_text_key *next;
    str name;
};

/* What happened to a file; see herald_file_change. */
struct fact_file_change {
    bool stated;
    enum { CHANGE_CREATED, CHANGE_UPDATED, CHANGE_EDITED } kind;
    str path;
    str old_text;
    str new_text;
    json hunks;
};

enum fact_phase { PHASE_USE, PHASE_RESULT, PHASE_FINISHED };

struct facts {
    struct arena *arena;
    enum fact_phase phase;
    bool general; /* the reporter left this report to the general rule */

    /* use (title and locations also in a result) */
    str title[FORM_COUNT];
    int kind[FORM_COUNT]; /* an enum tool_kind, or -1 */
    struct fact_locations locations[FORM_COUNT];
    struct fact_edit *edits, *last_edit;
    struct fact_text_key *file_text_keys;
    struct fact_contents display[FORM_COUNT];
    bool command;
    str command_title;
    str plan_text_key, plan_path_key;
    bool subagent;
    str skill;
    bool mcp;
    str mcp_server, mcp_tool;
    struct fact_extra *extras, *last_extra;
    bool plan;
    struct fact_plan_entry *plan_entries, *last_plan_entry;

    /* result */
    struct fact_contents content[FORM_COUNT];
    bool output_stated;
    str output;
    bool exit_known;
    int32_t exit_code;
    bool interrupted;
    bool raw_output_stated[FORM_COUNT];
    str raw_output[FORM_COUNT]; /* JSON; absent: decided that there is none */
    str plan_file;
    str background_task;
    struct fact_task_change *task_changes, *last_task_change;
    bool publish_tasks;

    /* finished */
    struct fact_file_change change;
};

/* Facts with nothing stated. */
void facts_begin(struct facts *f, struct arena *arena, enum fact_phase phase);

#endif
