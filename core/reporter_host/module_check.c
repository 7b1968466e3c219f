/* What a module states about itself is looked at before anything of it is called. */
#include "base/utf8.h"
#include "reporter_host/module.h"

enum {
    STRUCT_MAX = 65536, /* no structure of any version comes near */
    REPORTERS_MAX = 256,
    TOOLS_MAX = 1024,
    NAME_MAX_BYTES = 64,
    TOOL_MAX_BYTES = 256,
    TEXT_MAX_BYTES = 1024,
};

/* The size that a structure has when `member` is its last one. */
#define SIZE_THROUGH(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* A name of letters, digits and the characters of `more`. */
static bool is_name(const char *s, size_t limit, const char *more)
{
    size_t n = s ? strnlen(s, limit + 1) : 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_letter(s[i]) && !strchr(more, s[i])) {
            return false;
        }
    }
    return n > 0 && n <= limit;
}

/* A line of readable text. */
static bool is_line(const char *s, size_t limit)
{
    size_t n = s ? strnlen(s, limit + 1) : 0;
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)s[i] < 0x20 || s[i] == 0x7F) {
            return false;
        }
    }
    return n > 0 && n <= limit && utf8_valid_until((str){s, n}) == n;
}

static const char *check_tools(const herald_reporter *r, struct arena *a)
{
    size_t n = 0;
    for (; r->tools && n <= TOOLS_MAX && r->tools[n]; n++) {
        if (!is_line(r->tools[n], TOOL_MAX_BYTES)) {
            return arena_printf(a,
                                "a tool name of its reporter \"%s\" is empty, too long or not readable text",
                                r->name)
                .p;
        }
    }
    if (n == 0) {
        return arena_printf(a, "its reporter \"%s\" names no tools", r->name).p;
    }
    return n <= TOOLS_MAX ? NULL : arena_printf(a, "its reporter \"%s\" names too many tools", r->name).p;
}

static const char *check_reporter(const herald_reporter *r, size_t index, struct arena *a)
{
    if (r->struct_size < SIZE_THROUGH(herald_reporter, tools) || r->struct_size > STRUCT_MAX) {
        return arena_printf(a, "its reporter number %zu states a size of %zu bytes, which cannot be",
                            index + 1, r->struct_size)
            .p;
    }
    if (!is_name(r->name, NAME_MAX_BYTES, "-_")) {
        return arena_printf(a, "its reporter number %zu has no name of letters, digits, '-' and '_'",
                            index + 1)
            .p;
    }
    if (HERALD_HAS(r, presentation) && r->presentation > HERALD_SHOW_PLAN) {
        return arena_printf(a, "its reporter \"%s\" asks for a presentation that this herald does not know",
                            r->name)
            .p;
    }
    return check_tools(r, a);
}

const char *module_check(const herald_module *module, struct arena *a)
{
    if (module->abi_major != HERALD_ABI_MAJOR) {
        return arena_printf(
                   a,
                   "it is built for reporter ABI %u and this herald has ABI %u; it has to be built again "
                   "with this herald's headers",
                   (unsigned)module->abi_major, HERALD_ABI_MAJOR)
            .p;
    }
    if (module->struct_size < SIZE_THROUGH(herald_module, reporters) || module->struct_size > STRUCT_MAX) {
        return arena_printf(a, "its module states a size of %zu bytes, which cannot be", module->struct_size)
            .p;
    }
    if (!is_name(module->id, TOOL_MAX_BYTES, ".-_") || !strchr(module->id, '.')) {
        return "its module has no id in the manner of \"org.example.weather\"";
    }
    if (!is_line(module->version, NAME_MAX_BYTES)) {
        return "its module has no version";
    }
    if ((module->license && !is_line(module->license, TEXT_MAX_BYTES)) ||
        (module->homepage && !is_line(module->homepage, TEXT_MAX_BYTES))) {
        return "its module's licence or homepage is not a line of text";
    }
    size_t n = 0;
    for (; module->reporters && n <= REPORTERS_MAX && module->reporters[n]; n++) {
        const char *why = check_reporter(module->reporters[n], n, a);
        if (why) {
            return why;
        }
    }
    return n == 0              ? "its module has no reporters"
           : n > REPORTERS_MAX ? "its module has too many reporters"
                               : NULL;
}
