/* herald/facts.h - the facts that a reporter can state.
 *
 * ABI 1.0. Each fact is stated by a host function (herald/host.h), which says in which callback it belongs.
 * Stating a single fact again replaces it; stating a list's member again adds another one.
 */
#ifndef HERALD_FACTS_H
#define HERALD_FACTS_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The facts of one report. Herald's; a reporter passes the pointer on and never looks inside. */
typedef struct herald_facts herald_facts;

/* A few facts have two forms: the fact itself, and the form in which older clients expect it. Herald picks
 * the form by what the client has declared. State HERALD_BOTH unless you have a reason. */
typedef enum herald_form {
    HERALD_BOTH = 0,  /* the same for every client */
    HERALD_FACT = 1,  /* for clients that render each fact from its own field */
    HERALD_PLAIN = 2, /* for clients that only know the plain fields */
    HERALD_FORM_FORCE_32 = 0x7fffffff
} herald_form;

/* What the tool does, in the protocol's words. A client picks an icon by it. */
typedef enum herald_kind {
    HERALD_KIND_OTHER = 0,
    HERALD_KIND_READ = 1,        /* reads files or data */
    HERALD_KIND_EDIT = 2,        /* changes files or content */
    HERALD_KIND_DELETE = 3,      /* removes files or data */
    HERALD_KIND_MOVE = 4,        /* moves or renames files */
    HERALD_KIND_SEARCH = 5,      /* looks for information */
    HERALD_KIND_EXECUTE = 6,     /* runs commands or code */
    HERALD_KIND_THINK = 7,       /* plans or reasons */
    HERALD_KIND_FETCH = 8,       /* gets data from outside */
    HERALD_KIND_SWITCH_MODE = 9, /* changes the session's mode */
    HERALD_KIND_FORCE_32 = 0x7fffffff
} herald_kind;

/* No line number. */
#define HERALD_NO_LINE (-1)

/* An edit that the input asks for, before it has happened. Herald makes of it what the client can show: a
 * snippet, or the exact patch of the file. */
typedef enum herald_edit_kind {
    HERALD_EDIT_REPLACE = 0, /* replace old_text by new_text in the file */
    HERALD_EDIT_WRITE = 1,   /* the file becomes new_text */
    HERALD_EDIT_FORCE_32 = 0x7fffffff
} herald_edit_kind;

typedef struct herald_edit {
    size_t struct_size;
    uint32_t kind;          /* a herald_edit_kind */
    bool replace_all;       /* REPLACE: every occurrence, not only the one that there must be */
    uint8_t reserved[3];    /* zero */
    herald_string path;     /* as the input names it; required, not empty */
    herald_string old_text; /* REPLACE: no text or the empty one means a new file */
    herald_string new_text; /* no text: not known yet */
} herald_edit;

/* A change that has happened to a file. Herald compares what was with what is on the disk and shows the
 * exact difference; `hunks` serve where that cannot be done. */
typedef enum herald_change_kind {
    HERALD_CHANGE_CREATED = 0, /* the file was not there before */
    HERALD_CHANGE_UPDATED = 1, /* the whole file was written anew; `new_text` is its text */
    HERALD_CHANGE_EDITED = 2,  /* parts of the file were changed */
    HERALD_CHANGE_FORCE_32 = 0x7fffffff
} herald_change_kind;

typedef struct herald_file_change {
    size_t struct_size;
    uint32_t kind;          /* a herald_change_kind */
    uint32_t reserved;      /* zero */
    herald_string path;     /* absolute, or relative to the session's folder; required, not empty */
    herald_string old_text; /* the text before; no text: not known. Not looked at when CREATED */
    herald_string new_text; /* the text that was written; no text: not known */
    /* An array of {oldStart, oldLines, newStart, newLines, lines: ["-old", "+new", " same", …]}, or missing.
     */
    herald_value hunks;
} herald_file_change;

/* How a plan entry stands. */
typedef enum herald_plan_status {
    HERALD_PLAN_PENDING = 0,
    HERALD_PLAN_IN_PROGRESS = 1,
    HERALD_PLAN_COMPLETED = 2,
    HERALD_PLAN_STATUS_FORCE_32 = 0x7fffffff
} herald_plan_status;

/* A change to the session's task list, which is shown as its plan. Members without text stay as they are when
 * the entry exists. */
typedef struct herald_task {
    size_t struct_size;
    herald_string id;          /* required */
    herald_string subject;     /* what is to be done */
    herald_string active_form; /* the same while it is being done ("Running the tests") */
    herald_string description;
    int32_t status;    /* a herald_plan_status, or -1 to leave it */
    uint32_t reserved; /* zero */
} herald_task;

typedef enum herald_task_change {
    HERALD_TASK_PUT = 0, /* add the entry, or replace one of that id */
    HERALD_TASK_MERGE =
        1, /* change the members that have text; an unknown id is added when it has a subject */
    HERALD_TASK_REMOVE = 2, /* drop the entry */
    HERALD_TASK_CLEAR = 3,  /* drop every entry; `task` may be NULL */
    /* Begin a new list: PUTs that follow keep the active form and description of known ids, and what is not
     * put again is dropped. `task` may be NULL. */
    HERALD_TASK_RELIST = 4,
    HERALD_TASK_CHANGE_FORCE_32 = 0x7fffffff
} herald_task_change;

/* Where a free-form fact goes; see herald_host.add_extra. */
typedef enum herald_extra_space {
    HERALD_EXTRA_CLAUDE_CODE = 0, /* for every client */
    HERALD_EXTRA_AIR = 1,         /* for JetBrains AIR */
    HERALD_EXTRA_FORCE_32 = 0x7fffffff
} herald_extra_space;

#ifdef __cplusplus
}
#endif
#endif
