/* What every unit test includes: cmocka with the headers that it needs, and short helpers. */
#ifndef HERALD_TESTS_UNIT_H
#define HERALD_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/str.h"
#include "json/json.h"

/* Equal text, shown in full when it is not. */
#define assert_str(actual, expected)                                                                         \
    do {                                                                                                     \
        str got_ = (actual);                                                                                 \
        char *copy_ = str_dup((str){got_.p ? got_.p : "(absent)", got_.p ? got_.n : 8});                     \
        assert_string_equal(copy_, expected);                                                                \
        assert_int_equal(got_.n, got_.p ? strlen(expected) : 0);                                             \
        free(copy_);                                                                                         \
    } while (0)

/* A document of a text that must be JSON. */
static inline struct json_doc *parse_or_fail(const char *text)
{
    const char *why = NULL;
    struct json_doc *doc = json_parse(str_of(text), &why);
    if (!doc) {
        fail_msg("%s: %s", why, text);
    }
    return doc;
}

#endif
