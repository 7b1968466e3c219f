#include "options/models.h"

#include <stdint.h>
#include <stdio.h>

#include "settings/model_text.h"

enum { PREFERENCE_MAX = 256, HINT_SCORE = 3 };

static const char *const families[] = {"opus", "sonnet", "haiku", "fable"};

/* ---- Names ----------------------------------------------------------------------------------- */

/* A label of the form "[Claude ]Word[ 4.5][ (1M context)]". */
struct label {
    str head; /* with "Claude " */
    str family;
    str version; /* absent when the label has none */
    str suffix;  /* "(1M context)"; absent without one */
    str size;    /* "1M" */
};

static str take_word(str *rest)
{
    size_t end = str_find_byte(*rest, ' ', 0);
    str word = str_first(*rest, end == SIZE_MAX ? rest->n : end);
    *rest = end == SIZE_MAX ? str_from(*rest, rest->n) : str_from(*rest, end + 1);
    return word;
}

static bool only_letters(str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (!model_is_word(s.p[i]) || model_is_digit(s.p[i])) {
            return false;
        }
    }
    return s.n > 0;
}

static bool only_version(str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (!model_is_digit(s.p[i]) && s.p[i] != '.') {
            return false;
        }
    }
    return s.n && model_is_digit(s.p[0]);
}

/* "(1M context)" or "(200k context)". */
static bool context_suffix(str s, str *size)
{
    size_t n = s.n && s.p[0] == '(' ? model_digits_at(s, 1) : 0;

    if (!n || n + 2 > s.n || (model_lower(s.p[n + 1]) != 'm' && model_lower(s.p[n + 1]) != 'k') ||
        !str_eq_nocase(str_from(s, n + 2), STR(" context)"))) {
        return false;
    }
    *size = str_first(str_from(s, 1), n + 1);
    return true;
}

static bool read_label(str name, struct label *label)
{
    str rest = name;
    *label = (struct label){.family = take_word(&rest)};

    if (str_eq_nocase(label->family, STR("claude")) && rest.n) {
        label->family = take_word(&rest);
    }
    label->head = str_first(name, (size_t)(label->family.p - name.p) + label->family.n);
    str after = rest;
    str word = take_word(&after);
    if (only_version(word)) {
        label->version = word;
        rest = after;
    }
    if (rest.n) {
        label->suffix = rest;
        return only_letters(label->family) && context_suffix(rest, &label->size);
    }
    return only_letters(label->family);
}

static str concrete_name(struct arena *a, const struct model_row *row)
{
    struct label label;
    struct model_version found = {STR_ABSENT, STR_ABSENT};
    AUTO_BUF(name);

    if (!read_label(row->original_name, &label)) {
        return row->original_name;
    }
    const str sources[] = {row->resolved, row->description, row->value};
    for (size_t i = 0; i < ARRAY_LEN(sources) && !label.version.p && !found.major.p; i++) {
        found = sources[i].p ? model_family_version(sources[i], label.family) : found;
    }
    if (!label.version.p && !found.major.p) {
        return row->original_name;
    }
    buf_put_str(&name, label.head);
    buf_put_byte(&name, ' ');
    buf_put_str(&name, label.version.p ? label.version : found.major);
    if (found.minor.p) {
        buf_put_byte(&name, '.');
        buf_put_str(&name, found.minor);
    }
    AUTO_BUF(context);
    buf_put_str(&context, label.size);
    buf_put_c(&context, " context");
    if (label.suffix.p && !model_has_text(row->description, buf_str(&context))) {
        buf_put_byte(&name, ' ');
        buf_put_str(&name, label.suffix);
    }
    return buf_ok(&name) && buf_ok(&context) ? arena_buf(a, &name) : row->original_name;
}

/* Rows that would get one name keep their own. */
static void name_rows(struct arena *a, struct model_row *rows, size_t n)
{
    str *names = arena_alloc(a, (n + 1) * sizeof *names);

    for (size_t i = 0; names && i < n; i++) {
        names[i] = concrete_name(a, &rows[i]);
    }
    for (size_t i = 0; names && i < n; i++) {
        bool alone = true;
        for (size_t k = 0; k < n && alone; k++) {
            alone = k == i || !str_eq(names[i], names[k]);
        }
        rows[i].name = alone ? names[i] : rows[i].original_name;
    }
}

/* ---- Matching -------------------------------------------------------------------------------- */

static bool compatible(struct model_version text, const struct model_row *row)
{
    const str sources[] = {row->value, row->name, row->description};
    struct model_version have = {STR_ABSENT, STR_ABSENT};

    for (size_t i = 0; i < ARRAY_LEN(sources) && !have.major.p; i++) {
        have = model_first_version(sources[i]);
    }
    return !text.major.p || !have.major.p ||
           (str_eq(text.major, have.major) && str_eq(text.minor, have.minor));
}

static bool is_default(const struct model_row *row)
{
    return str_is(row->value, "default");
}

static bool direct_match(const struct model_row *row, str text)
{
    return str_eq(row->value, text) || model_same(row->value, text) || str_eq_nocase(row->name, text) ||
           str_eq_nocase(row->original_name, text);
}

static bool contains_match(const struct model_row *row, str text, struct model_spelling spelled)
{
    return model_same_hint(model_spell(row->value), spelled) && compatible(model_first_version(text), row) &&
           (model_has_text(row->value, text) || model_has_text(row->name, text) ||
            model_has_text(row->original_name, text) || model_has_text(text, row->value));
}

/* The next word of `text` at *at that says something about a model; absent at the end. */
static str next_word(str text, size_t *at)
{
    static const char *const idle[] = {"claude", "best", "default"};

    while (*at < text.n) {
        size_t from = *at;
        bool letters = false;
        for (; *at < text.n && model_is_word(text.p[*at]); ++*at) {
            letters = letters || !model_is_digit(text.p[*at]);
        }
        str word = str_first(str_from(text, from), *at - from);
        *at += *at < text.n;
        for (size_t i = 0; i < ARRAY_LEN(idle); i++) {
            letters = letters && !str_eq_nocase(word, str_of(idle[i]));
        }
        if (letters) {
            return str_eq_nocase(word, STR("opusplan")) ? STR("opus") : word;
        }
    }
    return STR_ABSENT;
}

static unsigned score(const struct model_row *row, str text, struct model_spelling spelled)
{
    unsigned points = 0;
    size_t at = 0;

    if (!compatible(model_first_version(text), row)) {
        return 0;
    }
    for (str w = next_word(spelled.base, &at); w.p; w = next_word(spelled.base, &at)) {
        points += model_has_text(row->value, w) || model_has_text(row->name, w);
    }
    if (points && spelled.millions.p) {
        char hint[32];
        int n =
            snprintf(hint, sizeof hint, "%.*sm", (int)str_first(spelled.millions, 20).n, spelled.millions.p);
        str h = {hint, (size_t)n};
        points += model_has_text(row->value, h) || model_has_text(row->name, h) ? HINT_SCORE : 0;
    }
    return points;
}

/* The text with its hint as "[1m]"; cut at the room, which is enough for PREFERENCE_MAX. */
static str canonical_text(char *room, size_t size, struct model_spelling s)
{
    int n = s.millions.p ? snprintf(room, size, "%.*s[%.*sm]", STR_ARG(s.base), STR_ARG(s.millions))
                         : snprintf(room, size, "%.*s", STR_ARG(s.base));
    return (str){room, n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1};
}

static int match(const struct model_list *list, str preference, bool skip_default)
{
    str text = str_trim(preference);
    char canonical[PREFERENCE_MAX + 8];
    int best = MODEL_NOT_FOUND;
    unsigned best_score = 0;

    if (!text.n || text.n > PREFERENCE_MAX) {
        return MODEL_NOT_FOUND;
    }
    struct model_spelling spelled = model_spell(text);
    str c = canonical_text(canonical, sizeof canonical, spelled);

    for (int pass = 0; pass < 5; pass++) {
        for (size_t i = 0; i < list->n; i++) {
            const struct model_row *row = &list->rows[i];
            bool plain = is_default(row);
            if (plain && skip_default) {
                continue;
            }
            bool hit = pass == 0   ? direct_match(row, text)
                       : pass == 1 ? !plain && model_same(row->resolved, text)
                       : pass == 2 ? model_same(row->resolved, text)
                       : pass == 3 ? contains_match(row, c, spelled)
                                   : false;
            unsigned points = pass == 4 ? score(row, text, spelled) : 0;
            if (hit) {
                return (int)i;
            }
            if (points > best_score) {
                best_score = points;
                best = (int)i;
            }
        }
    }
    return best;
}

int models_match(const struct model_list *list, str preference)
{
    return match(list, preference, false);
}

int models_match_named(const struct model_list *list, str preference)
{
    return match(list, preference, true);
}

int models_find(const struct model_list *list, str value)
{
    for (size_t i = 0; i < list->n; i++) {
        if (str_eq(list->rows[i].value, value)) {
            return (int)i;
        }
    }
    return MODEL_NOT_FOUND;
}

/* The first other row that stands for the same model as the default one. */
static int same_as_default(const struct model_list *list, const struct model_row *plain)
{
    for (size_t i = 0; plain && i < list->n; i++) {
        const struct model_row *row = &list->rows[i];
        if (row != plain && (model_same(row->resolved, plain->resolved) ||
                             (!row->resolved.p && model_same(row->value, plain->resolved)))) {
            return (int)i;
        }
    }
    return MODEL_NOT_FOUND;
}

static const struct model_row *default_row(const struct model_list *list)
{
    int at = models_find(list, STR("default"));
    return at < 0 || !list->rows[at].resolved.n ? NULL : &list->rows[at];
}

int models_recommended(const struct model_list *list)
{
    return same_as_default(list, default_row(list));
}

str models_default_description(const struct model_list *list)
{
    const struct model_row *plain = default_row(list);
    int same = same_as_default(list, plain);
    return same >= 0 ? list->rows[same].original_name : plain ? plain->resolved : STR_ABSENT;
}

/* ---- Denied models --------------------------------------------------------------------------- */

static bool drop_suffix(str *s, size_t digits, const char *lead)
{
    size_t n = strlen(lead);
    size_t from = s->n;

    while (from && (model_is_digit(s->p[from - 1]) || (!digits && s->p[from - 1] == ':'))) {
        from--;
    }
    if (from == s->n || (digits && s->n - from != digits) || from < n ||
        !str_eq_nocase(str_first(str_from(*s, from - n), n), str_of(lead))) {
        return false;
    }
    s->n = from - n;
    return true;
}

/* The part of an id that names the model, whatever the backend calls it. */
static str plain_id(str id)
{
    str s = model_spell(id).base;
    size_t at = SIZE_MAX;

    for (size_t i = model_find_text(s, STR("anthropic."), 0); i != SIZE_MAX;
         i = model_find_text(s, STR("anthropic."), i + 1)) {
        at = i;
    }
    s = at == SIZE_MAX ? s : str_from(s, at + 10);
    s = str_first(s, str_find_byte(s, '@', 0));
    for (bool again = true; again;) {
        again = drop_suffix(&s, 0, "-v") || drop_suffix(&s, 8, "-");
        if (s.n > 5 && str_eq_nocase(str_from(s, s.n - 5), STR("-fast"))) {
            s.n -= 5;
            again = true;
        }
    }
    return s;
}

static bool denied(const struct settings *s, str id)
{
    struct settings_names list = settings_denied_models(s);
    str plain = id.p ? plain_id(id) : STR_ABSENT;

    for (size_t i = 0; plain.n && i < list.n; i++) {
        str no = plain_id(list.names[i]);
        bool family = false;
        for (size_t k = 0; k < ARRAY_LEN(families); k++) {
            family = family || str_eq_nocase(no, str_of(families[k]));
        }
        if (no.n && (family ? model_has_text(plain, no)
                            : str_eq_nocase(str_first(plain, no.n), no) &&
                                  (plain.n == no.n || plain.p[no.n] == '-'))) {
            return true;
        }
    }
    return false;
}

/* ---- Building -------------------------------------------------------------------------------- */

static void read_efforts(struct arena *a, struct model_row *row, json v)
{
    json levels = json_get(v, "supportedEffortLevels");
    str *efforts = arena_alloc(a, EFFORTS_MAX * sizeof *efforts);

    if (!efforts || !json_is_true(json_get(v, "supportsEffort")) || !json_is(levels, JSON_ARRAY)) {
        return;
    }
    for (struct json_iter it = json_each(levels); row->n_efforts < EFFORTS_MAX && json_next(&it);) {
        str level = json_text(it.value);
        if (level.p && !str_is(level, "default")) {
            efforts[row->n_efforts++] = arena_str(a, level);
        }
    }
    row->efforts = efforts;
}

static void read_rows(struct arena *a, struct model_list *list, struct model_row *rows, json cli_rows)
{
    if (!json_is(cli_rows, JSON_ARRAY)) {
        return;
    }
    for (struct json_iter it = json_each(cli_rows); list->n < MODELS_MAX && json_next(&it);) {
        json v = it.value;
        str value = json_text(json_get(v, "value"));
        str name = json_text(json_get(v, "displayName"));
        if (!value.p || models_find(list, value) >= 0) {
            continue;
        }
        struct model_row *row = &rows[list->n++];
        row->value = arena_str(a, value);
        row->resolved = arena_str(a, json_text(json_get(v, "resolvedModel")));
        row->original_name = arena_str(a, name.p ? name : value);
        row->name = row->original_name;
        row->description = arena_str(a, json_str(json_get(v, "description")));
        row->fast = json_is_true(json_get(v, "supportsFastMode"));
        row->auto_mode = json_is_true(json_get(v, "supportsAutoMode"));
        read_efforts(a, row, v);
    }
}

static struct model_row bare_row(str value, str name)
{
    return (struct model_row){.value = value, .name = name, .original_name = name, .synthesized = true};
}

/* The rows that the allowlist leaves, made out of the CLI's. */
static void allow(struct arena *a, struct model_list *list, const struct model_list *cli,
                  struct model_row *rows, const struct settings *s, str custom)
{
    struct settings_names names = settings_available_models(s);
    int plain = models_find(cli, STR("default"));

    rows[list->n++] = plain >= 0 ? cli->rows[plain] : bare_row(STR("default"), STR("Default"));
    for (size_t i = 0; i < names.n && list->n < MODELS_MAX; i++) {
        str entry = str_trim(names.names[i]);
        str over = entry.n ? settings_model_override(s, entry) : STR_ABSENT;
        str value = arena_str(a, over.n ? over : entry);
        int found = match(cli, entry, true);
        if (!value.n || models_find(list, value) >= 0 || denied(s, entry) || denied(s, over) ||
            (found >= 0 && denied(s, cli->rows[found].resolved))) {
            continue;
        }
        struct model_row row = found >= 0 ? cli->rows[found] : bare_row(value, arena_str(a, entry));
        row.synthesized = models_find(cli, value) < 0;
        row.value = value;
        rows[list->n++] = row;
    }
    int extra = custom.n ? models_find(cli, custom) : MODEL_NOT_FOUND;
    if (extra >= 0 && models_find(list, custom) < 0 && list->n < MODELS_MAX) {
        rows[list->n++] = cli->rows[extra];
    }
}

bool models_build(struct arena *a, struct model_list *list, json cli_rows, const struct settings *s,
                  str custom)
{
    struct model_row *rows = arena_alloc(a, MODELS_MAX * sizeof *rows);
    struct model_list cli = {rows, 0};

    if (!rows) {
        return false;
    }
    read_rows(a, &cli, rows, cli_rows);
    if (settings_available_models(s).present) {
        struct model_row *allowed = arena_alloc(a, MODELS_MAX * sizeof *rows);
        *list = (struct model_list){allowed, 0};
        if (!allowed) {
            return false;
        }
        allow(a, list, &cli, allowed, s, custom);
        rows = allowed;
    } else {
        *list = cli;
    }
    if (!list->n) {
        rows[list->n++] = bare_row(STR("default"), STR("Default"));
    }
    name_rows(a, rows, list->n);
    return arena_ok(a);
}
