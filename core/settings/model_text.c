#include "settings/model_text.h"

#include <stdint.h>

/* ---- Text ------------------------------------------------------------------------------------ */

unsigned char model_lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool model_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool model_is_word(char c)
{
    return model_is_digit(c) || (model_lower(c) >= 'a' && model_lower(c) <= 'z');
}

size_t model_digits_at(str s, size_t at)
{
    size_t n = 0;
    while (at + n < s.n && model_is_digit(s.p[at + n])) {
        n++;
    }
    return n;
}

size_t model_find_text(str s, str needle, size_t from)
{
    for (size_t i = from; needle.n <= s.n && i <= s.n - needle.n; i++) {
        if (str_eq_nocase(str_first(str_from(s, i), needle.n), needle)) {
            return i;
        }
    }
    return SIZE_MAX;
}

bool model_has_text(str s, str needle)
{
    return s.p && needle.p && model_find_text(s, needle, 0) != SIZE_MAX;
}

struct model_spelling model_spell(str text)
{
    str s = str_trim(text);
    bool bracket = s.n && s.p[s.n - 1] == ']';
    size_t end = bracket ? s.n - 1 : s.n;

    if (end < 2 || model_lower(s.p[end - 1]) != 'm') {
        return (struct model_spelling){s, STR_ABSENT};
    }
    size_t first = --end;
    while (first && model_is_digit(s.p[first - 1])) {
        first--;
    }
    if (first == end || !first || s.p[first - 1] != (bracket ? '[' : '-')) {
        return (struct model_spelling){s, STR_ABSENT};
    }
    return (struct model_spelling){str_first(s, first - 1), str_first(str_from(s, first), end - first)};
}

bool model_same_hint(struct model_spelling a, struct model_spelling b)
{
    return a.millions.p && b.millions.p ? str_eq(a.millions, b.millions) : a.millions.p == b.millions.p;
}

bool model_same(str a, str b)
{
    struct model_spelling x = model_spell(a), y = model_spell(b);
    return a.p && b.p && model_same_hint(x, y) && str_eq_nocase(x.base, y.base);
}

/* ---- Versions -------------------------------------------------------------------------------- */

/* A number of one or two digits at `at` that is a word of its own; its length, or 0. */
static size_t version_number(str s, size_t at)
{
    size_t n = model_digits_at(s, at);
    return n && n <= 2 && (at + n == s.n || !model_is_word(s.p[at + n])) ? n : 0;
}

static struct model_version version_at(str s, size_t at)
{
    struct model_version v = {STR_ABSENT, STR_ABSENT};
    size_t n = version_number(s, at);

    if (n) {
        v.major = str_first(str_from(s, at), n);
        size_t next = at + n;
        if (next < s.n && (s.p[next] == '.' || s.p[next] == '-')) {
            size_t more = version_number(s, next + 1);
            v.minor = more ? str_first(str_from(s, next + 1), more) : STR_ABSENT;
        }
    }
    return v;
}

struct model_version model_first_version(str text)
{
    str s = model_spell(text).base;

    for (size_t i = 0; i < s.n; i++) {
        if (model_is_digit(s.p[i]) && (!i || !model_is_word(s.p[i - 1]))) {
            struct model_version v = version_at(s, i);
            if (v.major.p) {
                return v;
            }
        }
    }
    return (struct model_version){STR_ABSENT, STR_ABSENT};
}

struct model_version model_family_version(str text, str family)
{
    struct model_version v = {STR_ABSENT, STR_ABSENT};

    for (size_t at = model_find_text(text, family, 0); at != SIZE_MAX && !v.major.p;
         at = model_find_text(text, family, at + 1)) {
        size_t next = at + family.n;
        if (at && model_is_word(text.p[at - 1])) {
            continue;
        }
        while (next < text.n && (text.p[next] == '-' || text.p[next] == '.' || text.p[next] == ' ')) {
            next++;
        }
        v = next > at + family.n ? version_at(text, next) : v;
    }
    return v;
}
