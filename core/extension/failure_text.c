#include "extension/failure_text.h"

#include <stdint.h>

#include "base/js_space.h"

enum {
    SECRET_MIN = 16,     /* letters and digits after the mark of a secret */
    LOOK_AT = 16 * 1024, /* bytes of a text; no sentence is longer */
};

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static char at(str s, size_t i)
{
    if (i >= s.n) {
        return '\0';
    }
    return s.p[i];
}

/* A word begins here: the text before does not go on. */
static bool begins(str s, size_t i)
{
    return i == 0 || is_blank(s.p[i - 1]) || strchr("'\"`([{<=:,;@", s.p[i - 1]) != NULL;
}

static size_t word_length(str s, size_t from, const char *also)
{
    size_t n = 0;
    while (from + n < s.n && (is_word(s.p[from + n]) || strchr(also, s.p[from + n]))) {
        n++;
    }
    return n;
}

/* ---- Words that are no sentence ---- */

/* "error_during_execution", "ECONNRESET", "E1:x": one word says nothing to a person. */
static bool is_one_word(str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (is_blank(s.p[i])) {
            return false;
        }
    }
    return true;
}

/* "TypeError: …", "Error [ERR_X]: …", "java.io.IOException: …" */
static bool is_exception(str s)
{
    size_t n = word_length(s, 0, "."), after = n;
    str name = str_first(s, n);
    while (at(s, after) == ' ' && at(s, after + 1) == '[') {
        size_t close = str_find_byte(s, ']', after);
        if (close == SIZE_MAX) {
            break;
        }
        after = close + 1;
    }
    return at(s, after) == ':' && (str_ends(name, STR("Error")) || str_ends(name, STR("Exception")));
}

/* ---- Lines of a stack ---- */

static bool is_stack_line(str line)
{
    line = str_trim(line);
    if (str_starts(line, STR("Traceback (most recent call last)"))) {
        return true;
    }
    if (str_starts(line, STR("File \"")) && str_has(line, STR(", line "))) {
        return true;
    }
    if (!str_starts(line, STR("at "))) {
        return false;
    }
    char last = line.p[line.n - 1];
    return last == ')' || (last >= '0' && last <= '9' && str_find_byte(line, ':', 0) != SIZE_MAX);
}

static bool has_stack(str s)
{
    while (s.n) {
        size_t end = str_find_byte(s, '\n', 0);
        if (is_stack_line(str_first(s, end))) {
            return true;
        }
        s = end == SIZE_MAX ? STR_ABSENT : str_from(s, end + 1);
    }
    return false;
}

/* ---- Secrets ---- */

static bool has_secret(str s)
{
    static const struct {
        str mark;
        bool nocase;
    } marks[] = {
        {STR_INIT("sk-"), false},      {STR_INIT("eyJ"), false},      {STR_INIT("ghp_"), false},
        {STR_INIT("AKIA"), false},     {STR_INIT("bearer "), true},   {STR_INIT("basic "), true},
        {STR_INIT("token="), true},    {STR_INIT("token: "), true},   {STR_INIT("api_key="), true},
        {STR_INIT("api-key: "), true}, {STR_INIT("api_key: "), true}, {STR_INIT("apikey="), true},
    };
    for (size_t i = 0; i < s.n; i++) {
        for (size_t k = 0; k < ARRAY_LEN(marks); k++) {
            str here = str_first(str_from(s, i), marks[k].mark.n);
            bool hit = marks[k].nocase ? str_eq_nocase(here, marks[k].mark) : str_eq(here, marks[k].mark);
            if (hit && word_length(s, i + marks[k].mark.n, "-.+/=~") >= SECRET_MIN) {
                return true;
            }
        }
    }
    return str_has(s, STR("sk-ant-"));
}

/* ---- Places ---- */

/* A path of two names at least, so that commands (/login) and slashes between words stay: /home/…, ~/…, C:\…
 */
static bool is_path(str s, size_t i)
{
    if (!begins(s, i)) {
        return false;
    }
    char c = s.p[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter && at(s, i + 1) == ':' && (at(s, i + 2) == '\\' || at(s, i + 2) == '/') &&
        is_word(at(s, i + 3))) {
        return true;
    }
    if (c == '~' && at(s, i + 1) == '/') {
        return true;
    }
    if (c != '/') {
        return false;
    }
    size_t name = word_length(s, i + 1, "-.+@");
    size_t next = i + 1 + name + 1;
    return name && at(s, next - 1) == '/' &&
           (is_word(at(s, next)) || (at(s, next) == '.' && is_word(at(s, next + 1))));
}

/* The address of a service, rather than of a page for people: on this machine, with a port or a user, or of
 * an API. */
static bool is_service(str address)
{
    static const char *const parts[] = {"/v1/", "localhost", "127.0.0.1", "[::1]", "api."};
    size_t end = 0;
    while (end < address.n && !is_blank(address.p[end]) && !strchr("'\"`)>,", address.p[end])) {
        end++;
    }
    address = str_first(address, end);
    str host = str_first(address, str_find_byte(address, '/', 0));
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        if (str_has(address, str_of(parts[i]))) {
            return true;
        }
    }
    return str_find_byte(host, '@', 0) != SIZE_MAX ||
           (str_find_byte(host, ':', 0) != SIZE_MAX && is_word(at(host, str_find_byte(host, ':', 0) + 1)));
}

static bool has_place(str s)
{
    static const str schemes[] = {STR_INIT("file://"), STR_INIT("unix:"), STR_INIT("ws://"),
                                  STR_INIT("wss://")};
    for (size_t i = 0; i < s.n; i++) {
        str here = str_from(s, i);
        for (size_t k = 0; k < ARRAY_LEN(schemes); k++) {
            if (str_starts(here, schemes[k]) && begins(s, i)) {
                return true;
            }
        }
        size_t scheme = str_starts(here, STR("http://"))    ? STR("http://").n
                        : str_starts(here, STR("https://")) ? STR("https://").n
                                                            : 0;
        if ((scheme && is_service(str_from(here, scheme))) || (!scheme && is_path(s, i))) {
            return true;
        }
    }
    return false;
}

bool failure_text_is_for_people(str text)
{
    str s = space_trim(text);
    return s.n && s.n <= LOOK_AT && !is_one_word(s) && !is_exception(s) &&
           !str_has(s, STR("[ede_diagnostic]")) && !has_stack(s) && !has_secret(s) && !has_place(s);
}
