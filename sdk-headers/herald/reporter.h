/* herald/reporter.h - what a tool reporter is. The header to include: it brings in the others,
 * but for the helpers of herald/text.h.
 *
 * ABI 1.0.
 *
 * Claude uses tools; an editor shows what they do. A reporter tells Herald what one kind of tool use
 * means: it reads the input or the result of a tool and states facts (a title, a kind, the files it
 * touches, the text to show). Herald decides which field of the Agent Client Protocol carries each
 * fact, for which client. A reporter knows nothing of that protocol, of the client or of the session.
 *
 * A module is a shared object with one exported symbol, `herald_reporter_module`:
 *
 *     #include <herald/reporter.h>
 *
 *     static herald_status use(const herald_call *call, herald_facts *facts)
 *     {
 *         const herald_host *h = call->host;
 *         herald_string city = h->text(h->member(call->input, HERALD_STRING("city")));
 *         h->set_title(facts, HERALD_BOTH, city.size ? city : HERALD_STRING("Weather"));
 *         return h->set_kind(facts, HERALD_BOTH, HERALD_KIND_FETCH);
 *     }
 *
 *     static const char *const tools[] = {"mcp__weather__forecast", NULL};
 *     static const herald_reporter weather = {
 *         .struct_size = sizeof(weather), .name = "weather", .tools = tools, .use = use};
 *     static const herald_reporter *const reporters[] = {&weather, NULL};
 *
 *     HERALD_EXPORT const herald_module herald_reporter_module = {
 *         .abi_major = HERALD_ABI_MAJOR, .abi_minor = HERALD_ABI_MINOR,
 *         .struct_size = sizeof(herald_module),
 *         .id = "org.example.weather", .version = "1.0", .license = "MIT",
 *         .reporters = reporters};
 *
 * Build it with `cc -shared -fPIC $(pkg-config --cflags herald-reporter)` and put it into
 * ~/.local/share/herald/reporters, or name its folder in HERALD_REPORTER_PATH. `herald reporters` shows
 * what was loaded, from where, and what was refused and why. Neither the file nor its folder may be
 * writable by others than you and root.
 */
#ifndef HERALD_REPORTER_H
#define HERALD_REPORTER_H

#include "abi.h"
#include "facts.h"
#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How much of a tool's input is known. */
typedef enum herald_input_state {
    HERALD_INPUT_START = 0,    /* the call was begun; `input` is an empty object */
    HERALD_INPUT_PARTIAL = 1,  /* some members are complete, others are still to come */
    HERALD_INPUT_COMPLETE = 2, /* all of it */
    HERALD_INPUT_STATE_FORCE_32 = 0x7fffffff
} herald_input_state;

/* One tool call, as a callback sees it. The host fills it in; a reporter only reads. */
typedef struct herald_call {
    size_t struct_size;
    const herald_host *host; /* the host's functions; never NULL, valid as long as the module is loaded */
    herald_string tool;      /* the tool's name, "Bash" or "mcp__weather__forecast" */
    herald_string id;        /* the tool use id, unique in its session */
    herald_string cwd;       /* the session's folder, absolute; no text when it is not known */
    herald_string home;      /* the user's home folder; no text when it is not known */
    bool replay;             /* the call comes from a stored session, not from a running one */
    bool is_error;           /* in result(): the tool reported a failure */
    uint8_t reserved[2];     /* zero */
    uint32_t input_state;    /* a herald_input_state */
    herald_value input;      /* the input so far; an object, or whatever Claude sent instead */
    herald_value result;     /* in result(): what the tool answered, text or an array of blocks */
    herald_value structured; /* in result(): the structured result beside it; missing in a replay and
                                where the CLI gave none */
    herald_value response;   /* in finished(): the tool's response */
} herald_call;

/* How the calls of a tool are shown. */
typedef enum herald_presentation {
    HERALD_SHOW_CALL = 0, /* as a tool call */
    HERALD_SHOW_PLAN = 1, /* as entries of the session's plan; as a call only where a person must
                             allow it */
    HERALD_PRESENTATION_FORCE_32 = 0x7fffffff
} herald_presentation;

/* A reporter: the tools it speaks for and its callbacks. All callbacks may be NULL; a missing one counts
 * as one that answers HERALD_GENERAL. Callbacks keep no state between calls: the same input gives the same
 * facts, and calls of several sessions come in any order.
 *
 * An answer below zero, a fact that is missing although it must be there, or a call that takes more than 50
 * ms costs that one report: Herald falls back to the general report of the tool call and logs the reporter's
 * name once.
 */
typedef struct herald_reporter {
    size_t struct_size;
    /* Names the reporter within its module: letters, digits, '-', '_'. */
    const char *name;
    /* Ended by NULL. An exact tool name ("Bash"), or a pattern whose last character is '*' ("mcp__github__*";
     * "*" serves every tool). The longest match wins and an exact name before any pattern; at a tie the
     * user's module beats the system's, and that the built-in one; then the order of the file names
     * decides. */
    const char *const *tools;
    uint32_t presentation; /* a herald_presentation */
    uint32_t reserved;     /* zero */

    /* The tool is used. Called when the call begins (HERALD_INPUT_START), as members of its input are
     * complete (HERALD_INPUT_PARTIAL) and when all of it is there (HERALD_INPUT_COMPLETE), each time from
     * the beginning: state everything that the input so far supports. A call may come with its complete
     * input at once.
     * Facts: title, kind, locations, edits, file-text keys, display, command, plan keys, subagent, skill,
     * MCP, extra, plan entries. */
    herald_status (*use)(const herald_call *call, herald_facts *facts);

    /* The tool answered (`is_error` false), or failed (`is_error` true). `input` is the complete input.
     * HERALD_GENERAL gives the general result: the answer's text and images as they are, a failure's text in
     * a code block.
     * Facts: title, locations, content, command output, raw output, plan file, background task, plan changes.
     */
    herald_status (*result)(const herald_call *call, herald_facts *facts);

    /* The tool has finished without failure and its response is known, shortly before result(). Not called
     * in a replay.
     * Facts: file change, or content and locations. */
    herald_status (*finished)(const herald_call *call, herald_facts *facts);
} herald_reporter;

/* The module. Its first three members are fixed for all majors. */
typedef struct herald_module {
    uint32_t abi_major;   /* HERALD_ABI_MAJOR of the header it was built with; must equal the host's */
    uint32_t abi_minor;   /* HERALD_ABI_MINOR likewise. A module that needs functions of a newer minor than
                             its host's must check HERALD_HAS(host, function) */
    size_t struct_size;   /* sizeof(herald_module) */
    const char *id;       /* reverse-DNS name, "org.example.weather"; required */
    const char *version;  /* the module's own version; required */
    const char *license;  /* an SPDX expression, or NULL */
    const char *homepage; /* a URL, or NULL */
    const herald_reporter *const *reporters; /* ended by NULL; required */
} herald_module;

/* The symbol that a module exports, and the only one:
 *     HERALD_EXPORT const herald_module herald_reporter_module = { … };
 */
#define HERALD_MODULE_SYMBOL "herald_reporter_module"
extern HERALD_EXPORT const herald_module herald_reporter_module;

#ifdef __cplusplus
}
#endif
#endif
