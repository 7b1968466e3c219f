/* Facts to reports: the only place that knows which ACP field carries a fact for which client.
 *
 * Each function is pure: it reads the facts, the call and the client's capabilities and fills in reports.
 * Disk access that a report depends on (is the plan file there, where is the skill's file, what does the
 * edited file hold) has been done by the caller and comes in through the context or as a ready `change`.
 * Follows the contract's "Tool call contract" and "Claude tools and ACP fields". */
#ifndef HERALD_REPORT_RENDER_H
#define HERALD_REPORT_RENDER_H

#include "client/capabilities.h"
#include "report/facts.h"
#include "report/report.h"

/* What the renderer needs to know of a tool call. */
struct render_call {
    str id;
    str name;
    str parent; /* the parent tool use id of a subagent's call; absent at top level */
    json input; /* what is known of the input; complete in results */
};

struct render_context {
    const struct client_capabilities *client;
    struct arena *arena; /* the texts of the reports are made here */
    str cwd;
    bool replay;
    /* Answers of the disk, asked by the caller where the facts call for them: */
    str plan_file;  /* the input's plan file, when it is an absolute path of a regular file */
    str skill_path; /* where the skill's file is; absent when it was not found */
};

/* tool_call (first) or a refinement. `partial`: the input is not complete (a refinement without content).
 * `rewritten`: the input is not the one that the client was shown, so that even a preview of it gives way.
 * `undescribed`: the command has no description any more.
 * `start`: the input is not there at all yet. `preview` is content (a JSON array) that takes the place of the
 * change, or absent. */
struct render_use_options {
    bool first;
    bool start;
    bool partial;
    bool rewritten;
    bool undescribed;
    str preview;
};
void render_use(const struct render_context *cx, const struct render_call *call, const struct facts *f,
                struct render_use_options options, struct tool_report *out);

/* The content of a use as an array (terminal block, change, display), as a request of a client that is not
 * AIR repeats it. */
str render_use_content(const struct render_context *cx, const struct render_call *call,
                       const struct facts *f);
/* A list of content as an array; absent when the facts state no list. */
str render_contents(const struct render_context *cx, const struct fact_contents *contents);
/* The locations as an array; absent when the facts state no list. `extra` is a further path or absent; when
 * it is one of the locations already it is not added. */
str render_locations(const struct render_context *cx, const struct facts *f, str extra);
/* The input as `rawInput` shows it to this client. `keep_file_text`: nothing else shows the file's text. */
str render_raw_input(const struct render_context *cx, json input, const struct facts *f, bool keep_file_text);
/* The title of the call for this client; never empty ("Unknown Tool" for a tool without a name). */
str render_title(const struct render_context *cx, const struct render_call *call, const struct facts *f);

/* How a result came to be, beside its facts. */
struct render_result_input {
    json result;
    bool is_error;
    str non_execution_kind; /* of the CLI's tool_result_meta; absent when the tool ran */
    str user_feedback;
    bool background;      /* the call goes on in the background: AIR with asyncTasks is told so */
    bool background_live; /* and its task still runs: no terminal_exit yet */
    bool stopped;         /* the turn's work was cancelled */
    str plan_file;        /* the plan file of the result, checked on the disk; absent when there is none */
    /* The clear-context choice of a plan: the call ends completed, without output. */
    bool accepted_plan;
};
/* One or two reports (terminal output first); how many. `use` are the facts of the complete input. */
size_t render_result(const struct render_context *cx, const struct render_call *call, const struct facts *use,
                     const struct facts *f, const struct render_result_input *in, struct tool_report out[2]);

/* The report of a PostToolUse hook. `content` and `locations` are the final change (JSON arrays) or absent.
 * False when this client gets none. */
bool render_finished(const struct render_context *cx, const struct render_call *call, const struct facts *f,
                     json tool_response, str content, str locations, struct tool_report *out);

/* The CLI's system/permission_denied message. */
void render_denied(const struct render_context *cx, const struct render_call *call, json message,
                   struct tool_report *out);
/* A tool_progress beat; `call` is the call that is told about. `fallback`: the beat named another, unknown
 * call and fell back to its parent. */
void render_progress(const struct render_context *cx, const struct render_call *call, json beat,
                     bool fallback, str parent, struct tool_report *out);

/* A call that ends without a result. */
enum render_close { CLOSE_NOT_RUN, CLOSE_CANCELLED, CLOSE_NO_RESULT, CLOSE_SUCCEEDED };
void render_closed(const struct render_context *cx, const struct render_call *call, enum render_close why,
                   struct tool_report *out);
/* A call of a plan tool that was announced by a permission request and now has its result. */
void render_plan_call_result(const struct render_context *cx, const struct render_call *call,
                             const struct render_result_input *in, struct tool_report *out);

/* A text content item as it stands in a content array: {"type":"content","content":{"type":"text","text":…}}.
 */
void render_put_text(struct buf *b, str text);

#endif
