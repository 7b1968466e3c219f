/* The models that a session can choose from.
 *
 * The rows come from the CLI, are narrowed by the user's allowlist and get concrete names. A list never
 * changes after models_build(); all its text lives in the arena that it was built in. Row 0 is the CLI's
 * default.
 *
 * What a person or a file calls a model (an alias, an id, a name) is matched to a row by models_match(). Two
 * spellings are compared in canonical form: trimmed, lower case, a final "-<n>m" written "[<n>m]". */
#ifndef HERALD_OPTIONS_MODELS_H
#define HERALD_OPTIONS_MODELS_H

#include "settings/settings.h"

enum { MODEL_NOT_FOUND = -1, MODELS_MAX = 512, EFFORTS_MAX = 32 };

struct model_row {
    str value;         /* what set_model takes */
    str resolved;      /* the full id behind it; may be absent */
    str name;          /* as clients see it */
    str original_name; /* as the CLI gave it */
    str description;   /* may be absent */
    const str *efforts;
    size_t n_efforts; /* 0: the model has no effort option */
    bool fast;
    bool auto_mode;
    bool synthesized; /* the row is not one of the CLI's, or has another value than there */
};

struct model_list {
    const struct model_row *rows;
    size_t n;
};

/* `cli_rows`: the `models` of the CLI's initialize answer; `custom`: ANTHROPIC_CUSTOM_MODEL_OPTION, kept
 * outside the allowlist (may be absent). A list without any row gets a default one. False when memory is out.
 */
bool models_build(struct arena *a, struct model_list *list, json cli_rows, const struct settings *s,
                  str custom) WARN_UNUSED;
/* The row that `preference` means, or MODEL_NOT_FOUND. */
int models_match(const struct model_list *list, str preference);
/* The same without the default row. */
int models_match_named(const struct model_list *list, str preference);
/* The row whose value is exactly `value`, or MODEL_NOT_FOUND. */
int models_find(const struct model_list *list, str value);
/* The row, other than the default one, that the default resolves to; or MODEL_NOT_FOUND. */
int models_recommended(const struct model_list *list);
/* What the default row shows as its description: the CLI's name of the row that it resolves to, else the
 * resolved id; absent when it is unknown. */
str models_default_description(const struct model_list *list);

#endif
