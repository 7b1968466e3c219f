/* herald/abi.h - versions, basic types and result codes of the reporter ABI.
 *
 * ABI 1.0. Follows the Agent Client Protocol v1 and the Claude Code tool set as of CLI 2.1.
 *
 * Rules that hold for every header in this folder:
 *
 * - C11, usable from C++. Nothing but <stddef.h>, <stdint.h> and <stdbool.h> is included, and a
 *   reporter links against nothing of Herald: everything it calls is in the table of host functions
 *   (herald/host.h) that it is handed.
 * - Every structure that crosses the border begins with its size. A structure grows only at its end,
 *   and a table of functions only by functions at its end; none changes its meaning. Use
 *   HERALD_HAS(ptr, member) before you read a member that is newer than the ABI minor version that
 *   you require; members of 1.0 need no check.
 * - Text is a pointer and a length (herald_string), never NUL-terminated by promise. It is UTF-8, in
 *   which a lone UTF-16 surrogate that Claude sent may stand as three bytes (WTF-8). It may hold NUL.
 * - What Herald hands to a reporter is borrowed: it lives until the callback returns and must not be
 *   kept, changed or freed. What a reporter hands to Herald is copied before the function returns.
 *   Nothing ever changes its owner.
 * - Every callback and every host function runs on one thread, the loop thread. A callback is never
 *   called while another one runs. A reporter must not call host functions from threads of its own.
 * - A callback must not block, wait or do I/O: it has 50 ms. What needs the disk (diffs, plan files,
 *   skill paths) is done by Herald from the facts that the reporter states.
 */
#ifndef HERALD_ABI_H
#define HERALD_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A module and a host work together when their majors are equal. A module may be older or newer in its
 * minor version than the host: see herald_module.abi_minor. */
#define HERALD_ABI_MAJOR 1
#define HERALD_ABI_MINOR 0

/* True when the structure at `ptr`, by the size that it states, has `member`. */
#define HERALD_HAS(ptr, member)                                                                              \
    ((ptr)->struct_size >= (size_t)((const char *)(&(ptr)->member + 1) - (const char *)(ptr)))

#if defined(_WIN32)
#define HERALD_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define HERALD_EXPORT __attribute__((visibility("default")))
#else
#define HERALD_EXPORT
#endif

/* A piece of text, `size` bytes long. A NULL `data` means that there is no text at all, which is not
 * the same as the empty text. */
typedef struct herald_string {
    const char *data;
    size_t size;
} herald_string;

/* A herald_string of a C string literal. */
#ifdef __cplusplus
#define HERALD_STRING(literal) (herald_string{"" literal, sizeof(literal) - 1})
#else
#define HERALD_STRING(literal) ((herald_string){"" literal, sizeof(literal) - 1})
#endif

/* A JSON value of Claude's: part of a tool input, a result or a hook's message. The members are
 * Herald's business; pass the structure around by value. A value with a NULL `document` is missing.
 * It is valid until the callback that got it returns. */
typedef struct herald_value {
    const void *document;
    uint64_t index;
} herald_value;

typedef enum herald_type {
    HERALD_MISSING = 0, /* no such member or element */
    HERALD_NULL = 1,
    HERALD_BOOLEAN = 2,
    HERALD_NUMBER = 3,
    HERALD_TEXT = 4,
    HERALD_ARRAY = 5,
    HERALD_OBJECT = 6,
    HERALD_TYPE_FORCE_32 = 0x7fffffff
} herald_type;

/* What functions answer. Zero and above is success. */
typedef int32_t herald_status;
/* Done. As the answer of a callback: the facts that were stated are the report. */
#define HERALD_OK 0
/* As the answer of a callback: state nothing of mine, use the general report. */
#define HERALD_GENERAL 1
/* An argument is NULL, unknown or out of its range; nothing was stated. */
#define HERALD_E_ARGUMENT (-1)
/* A text is not UTF-8 (WTF-8); nothing was stated. */
#define HERALD_E_ENCODING (-2)
/* A text or list is larger than its limit; nothing was stated. */
#define HERALD_E_TOO_LARGE (-3)
/* The fact does not belong to this callback (a plan entry in a result, say); nothing was stated. */
#define HERALD_E_PHASE (-4)
/* Memory is out; nothing was stated. */
#define HERALD_E_MEMORY (-5)
/* As the answer of a callback: the reporter failed. Herald uses the general report and says so in its
 * log, with the reporter's name. */
#define HERALD_E_FAILED (-6)

/* Limits. A fact beyond its limit is refused with HERALD_E_TOO_LARGE. */
#define HERALD_MAX_TITLE   (1024 * 1024)       /* bytes of a title (a shell command may be long) */
#define HERALD_MAX_PATH    4096                /* bytes of a path */
#define HERALD_MAX_TEXT    (256 * 1024 * 1024) /* bytes of any other text */
#define HERALD_MAX_ENTRIES 65536               /* members of a list of facts */

#ifdef __cplusplus
}
#endif
#endif
