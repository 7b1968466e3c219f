/* What is written in the names and ids of models: words, context hints and versions. For the settings and the
 * lists of models. */
#ifndef HERALD_SETTINGS_MODEL_TEXT_H
#define HERALD_SETTINGS_MODEL_TEXT_H

#include "base/str.h"

unsigned char model_lower(char c);
bool model_is_digit(char c);
/* A letter or a digit, ASCII. */
bool model_is_word(char c);
/* The number of digits that start at `at`. */
size_t model_digits_at(str s, size_t at);
/* As str_find() and str_has(), without regard to ASCII case; nothing is in an absent text. */
size_t model_find_text(str s, str needle, size_t from);
bool model_has_text(str s, str needle);

/* A model's name apart from the context window that it asks for: "x[1m]" and "x-1m" are x with 1. */
struct model_spelling {
    str base;
    str millions; /* the digits; absent without a hint */
};
struct model_spelling model_spell(str text);
bool model_same_hint(struct model_spelling a, struct model_spelling b);
/* Two names of one model: equal in canonical form. */
bool model_same(str a, str b);

/* "5", "4.5" or "4-5". */
struct model_version {
    str major; /* absent: none found */
    str minor; /* may be absent */
};
/* The first version in a text, the context hint left out of it. */
struct model_version model_first_version(str text);
/* The version that follows the word `family` somewhere in `text`. */
struct model_version model_family_version(str text, str family);

#endif
