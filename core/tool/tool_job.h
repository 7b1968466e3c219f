/* One report of a tool call in the making, for the files that make reports (tool_uses.c, tool_results.c and
 * their neighbours).
 *
 * A job holds what the reporter stated, the JSON that the facts point into, and what the disk is asked: is
 * this plan file there, where is that skill's file, what does the edited file hold. tool_job_run() asks the
 * disk on a worker thread, when there is something to ask, and then calls finish(), which renders and sends.
 * Meanwhile the CLI's frames are held, so that nothing overtakes the report. A replay asks the disk at once:
 * nothing is live that could wait. */
#ifndef HERALD_TOOL_TOOL_JOB_H
#define HERALD_TOOL_TOOL_JOB_H

#include <uv.h>

#include "report/patch.h"
#include "report/render.h"
#include "tool/tool_calls.h"

enum { TOOL_JOB_SKILL_PLACES = 7, TOOL_JOB_PLAN_FILES = 2 };

struct tool_job {
    uv_work_t work;
    const struct tool_host *host;
    struct tool_calls *calls;
    struct arena mem;
    str key;                  /* of the call */
    struct json_doc *docs[2]; /* kept while a worker thread is busy */
    json message;             /* what the facts point into, beside the call's input */
    struct facts use, facts;
    struct render_context cx;
    struct render_call call;
    struct reporter_call rcall;
    void (*finish)(struct tool_job *job);

    /* Questions to the disk and its answers; the worker thread touches only these. An absent text asks
     * nothing. */
    str plan_files[TOOL_JOB_PLAN_FILES]; /* the first one that is there is taken */
    str skill_places[TOOL_JOB_SKILL_PLACES];
    str source_path;
    int plan_found, skill_found; /* an index, or -1 */
    bool source_read;
    struct file_source source;

    /* For finish(). */
    struct render_use_options shown;
    bool rewritten; /* a question or a hook told another input than was shown */
    struct render_result_input result;
    json response;
    str options;
    tool_calls_ready_cb *ready;    /* of a question; NULL: none */
    tool_calls_shown_cb *shown_cb; /* of a hook; NULL: none */
    void *user;
};

/* A job about the call, with this input. To be followed by tool_job_run() or tool_job_end(). */
void tool_job_begin(struct tool_job *job, struct tool_calls *tc, const struct tool_call *call, json input);
void tool_job_end(struct tool_job *job);
/* Finishes the job, after asking the disk when there is something to ask, and ends it. `job` is gone after
 * that. */
void tool_job_run(struct tool_job *job);

/* Asks the reporter what the use is. */
void tool_job_read_use(struct tool_job *job, const struct reporter *reporter);
/* Notes in the call what the use that is about to be told says of it. */
void tool_job_note_use(struct tool_job *job, struct tool_call *call);
/* Has the disk asked for this plan file, or for what a use names (its plan file, its skill). */
void tool_job_want_plan_file(struct tool_job *job, str path);
void tool_job_want_use_files(struct tool_job *job);
/* The path, made absolute by the session's folder; one that is absolute stays as it is written. */
str tool_job_resolve(struct tool_job *job, str path);

/* Sends what the client does not know yet; nothing when the job's memory ran out. */
void tool_job_send(struct tool_job *job, struct tool_report *r);
void tool_calls_send(struct tool_calls *tc, struct tool_report *r);

/* The call of this id, made when there is none; NULL when memory is out or too many are open. */
struct tool_call *tool_calls_open(struct tool_calls *tc, str id, str name, struct call_place at);

#endif
