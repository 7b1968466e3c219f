/* Compiler attributes and small macros that every module uses. */
#ifndef HERALD_BASE_MACROS_H
#define HERALD_BASE_MACROS_H

#include <stddef.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The structure of `type` whose member `member` is at `ptr`. */
#define CONTAINER_OF(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/* Runs `fn(&variable)` when the variable leaves its scope. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define WARN_UNUSED            __attribute__((warn_unused_result))

#endif
