#include "settings/settings.h"

#include <cJSON.h>
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "settings/model_text.h"
#include "settings/settings_check.h"
#include "settings/settings_file.h"

#ifdef __APPLE__
static const char managed_folder[] = "/Library/Application Support/ClaudeCode";
#else
static const char managed_folder[] = "/etc/claude-code";
#endif

/* Only what the accessors read is merged. The bounds keep a hostile project's file from costing more than a
 * moment: merging is quadratic in the entries of one object or array. */
enum { ENTRIES_MAX = 1024, DEPTH_MAX = 4, DROPINS_MAX = 256 };

static const char *const merged_keys[] = {
    "model",         "availableModels", "modelOverrides", "deniedModels", "effortLevel",
    "modelSettings", "ultracode",       "permissions",    "apiKeyHelper", "env",
};
static const char *const permission_keys[] = {"defaultMode", "disableBypassPermissionsMode"};

struct settings {
    cJSON *merged;
    cJSON *managed; /* that tier alone */
    struct arena mem;
    struct settings_names available;
    struct settings_names denied;
    struct settings_pairs env;
    struct settings_fault faults[3]; /* one for each tier of a person's */
    size_t n_faults;
    bool present;
};

/* ---- Reading --------------------------------------------------------------------------------- */

/* cJSON_ArrayForEach() over the entries of an array or object; nothing for another value. */
static const cJSON *entries_of(const cJSON *v)
{
    return cJSON_IsArray(v) || cJSON_IsObject(v) ? v : NULL;
}

/* ---- Trees ----------------------------------------------------------------------------------- */

static char *key_dup(str key)
{
    return str_has_nul(key) ? NULL : str_dup(key);
}

static cJSON *scalar(json v)
{
    char *text = NULL;
    cJSON *item = NULL;

    switch (json_type(v)) {
    case JSON_NULL:
        return cJSON_CreateNull();
    case JSON_TRUE:
    case JSON_FALSE:
        return cJSON_CreateBool(json_is_true(v));
    case JSON_NUMBER:
        text = key_dup(json_raw(v));
        item = text ? cJSON_CreateRaw(text) : NULL;
        break;
    default:
        text = key_dup(json_str(v));
        item = text ? cJSON_CreateString(text) : NULL;
        break;
    }
    free(text);
    return item;
}

static bool wanted(str key, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (str_is(key, keys[i])) {
            return true;
        }
    }
    return n == 0;
}

/* The value as a tree, of an object only the named members (all of them when `n` is 0). NULL when it is
 * beyond the bounds, has a NUL in it, or memory is out. */
static cJSON *tree(json v, int depth, const char *const *keys, size_t n)
{
    bool object = json_is(v, JSON_OBJECT);
    int entries = 0;

    if (!object && !json_is(v, JSON_ARRAY)) {
        return json_present(v) ? scalar(v) : NULL;
    }
    cJSON *top = depth >= DEPTH_MAX ? NULL : object ? cJSON_CreateObject() : cJSON_CreateArray();
    for (struct json_iter it = json_each(v); top && entries < ENTRIES_MAX && json_next(&it);) {
        str key = object ? json_iter_key(&it) : STR_ABSENT;
        if (object && (json_iter_shadowed(&it) || !wanted(key, keys, n))) {
            continue;
        }
        bool permissions = object && n && str_is(key, "permissions");
        cJSON *item = tree(it.value, depth + 1, permissions ? permission_keys : NULL,
                           permissions ? ARRAY_LEN(permission_keys) : 0);
        char *name = object && item ? key_dup(key) : NULL;
        if (item &&
            (object ? !name || !cJSON_AddItemToObject(top, name, item) : !cJSON_AddItemToArray(top, item))) {
            cJSON_Delete(item);
        }
        free(name);
        entries++;
    }
    return top;
}

static bool array_has(const cJSON *array, const cJSON *item)
{
    const cJSON *have;
    cJSON_ArrayForEach(have, array)
    {
        if (cJSON_Compare(have, item, true)) {
            return true;
        }
    }
    return false;
}

/* Puts `from` over `to`, which takes what it needs out of it. */
static void merge(cJSON *to, cJSON *from)
{
    while (from && from->child) {
        cJSON *item = cJSON_DetachItemViaPointer(from, from->child);
        cJSON *have = cJSON_IsArray(to) ? NULL : cJSON_GetObjectItemCaseSensitive(to, item->string);
        bool both = have && ((cJSON_IsObject(have) && cJSON_IsObject(item)) ||
                             (cJSON_IsArray(have) && cJSON_IsArray(item)));
        bool taken = false;
        if (both) {
            merge(have, item);
        } else if (cJSON_IsArray(to)) {
            taken = !array_has(to, item) && cJSON_AddItemToArray(to, item);
        } else {
            char *key = item->string ? str_dup(str_of(item->string)) : NULL;
            taken = key && (have ? cJSON_ReplaceItemInObjectCaseSensitive(to, key, item)
                                 : cJSON_AddItemToObject(to, key, item));
            free(key);
        }
        if (!taken) {
            cJSON_Delete(item);
        }
    }
}

/* ---- Tiers ----------------------------------------------------------------------------------- */

/* A folder that is opened must not decide that nothing is asked in it. Its project file comes with the
 * repository. Its local file is meant to be the user's own, but a repository can bring one as well; there it
 * may still say that edits are accepted. */
static bool grants_too_much(enum settings_source source, enum mode mode)
{
    switch (source) {
    case SETTINGS_PROJECT:
        return mode == MODE_BYPASS || mode == MODE_AUTO || mode == MODE_ACCEPT_EDITS;
    case SETTINGS_LOCAL:
        return mode == MODE_BYPASS || mode == MODE_AUTO;
    default:
        return false;
    }
}

/* The mode that a file asks for is dropped when it is none, and when it is not the file's to grant. */
static void drop_mode(cJSON *tier, enum settings_source source)
{
    cJSON *permissions = cJSON_GetObjectItemCaseSensitive(tier, "permissions");
    const cJSON *mode = cJSON_GetObjectItemCaseSensitive(permissions, "defaultMode");
    enum mode asked = cJSON_IsString(mode) ? mode_of_setting(str_of(mode->valuestring)) : MODE_NONE;

    if (mode && (asked == MODE_NONE || grants_too_much(source, asked))) {
        cJSON_DeleteItemFromObjectCaseSensitive(permissions, "defaultMode");
    }
}

/* The managed tier is never left out as a whole: what one bad value would take with it are the
 * administrator's other rules. */
static cJSON *read_managed(str path)
{
    AUTO_JSON(doc) = settings_read_file(path, NULL);
    cJSON *tier = doc ? tree(json_root(doc), 0, merged_keys, ARRAY_LEN(merged_keys)) : NULL;
    drop_mode(tier, 0);
    return tier;
}

static void take(cJSON *into, cJSON *tier)
{
    if (tier) {
        merge(into, tier);
        cJSON_Delete(tier);
    }
}

static void note_fault(struct settings *s, str path, str key, const char *why)
{
    if (s->n_faults < ARRAY_LEN(s->faults)) {
        s->faults[s->n_faults++] = (struct settings_fault){path, key, str_of(why)};
    }
}

static void read_tier(struct settings *s, const struct settings_place *place, enum settings_source source,
                      str path)
{
    const char *why = NULL;
    struct stat st;
    AUTO_JSON(doc) = settings_read_file(path, &why);

    if (!doc) {
        if (path.n && !str_has_nul(path) && stat(path.p, &st) == 0 &&
            !(S_ISREG(st.st_mode) && st.st_size == 0)) {
            s->present = true;
            note_fault(s, path, STR(""), why);
        }
        return;
    }
    s->present = s->present || json_count(json_root(doc)) > 0;
    const char *key = settings_check(json_root(doc), &why);
    if (key) {
        note_fault(s, path, str_of(key), why);
    } else if (!settings_is_ignored(place, path)) {
        cJSON *tier = tree(json_root(doc), 0, merged_keys, ARRAY_LEN(merged_keys));
        drop_mode(tier, source);
        take(s->merged, tier);
    }
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

/* managed-settings.d/ *.json, in the order of their names. */
static void take_dropins(struct arena *a, cJSON *into, str folder)
{
    str names[DROPINS_MAX];
    size_t n = 0;
    DIR *dir = opendir(folder.p);
    const struct dirent *entry;

    while (dir && n < DROPINS_MAX && (entry = readdir(dir))) { /* NOLINT(concurrency-mt-unsafe) */
        str name = str_of(entry->d_name);
        if (str_ends(name, STR(".json")) && name.p[0] != '.') {
            names[n] = arena_str(a, name);
            n += names[n].p != NULL;
        }
    }
    if (dir) {
        closedir(dir);
    }
    qsort(names, n, sizeof names[0], by_name);
    for (size_t i = 0; i < n; i++) {
        take(into, read_managed(path_join(a, folder, names[i])));
    }
}

static str user_folder(struct arena *a, const struct settings_place *place)
{
    if (place->config_dir.n) {
        return place->config_dir;
    }
    return place->home.n ? path_join(a, place->home, STR(".claude")) : STR_ABSENT;
}

static str managed_dir(const struct settings_place *place)
{
    return place->managed_dir.n ? place->managed_dir : str_of(managed_folder);
}

size_t settings_folders(struct arena *a, const struct settings_place *place, str folders[4])
{
    size_t n = 0;
    str user = user_folder(a, place);

    if (user.n) {
        folders[n++] = user;
    }
    if (place->cwd.n) {
        folders[n++] = path_join(a, place->cwd, STR(".claude"));
    }
    folders[n++] = managed_dir(place);
    folders[n++] = path_join(a, managed_dir(place), STR("managed-settings.d"));
    return n;
}

/* ---- The object ------------------------------------------------------------------------------ */

static struct settings_names names_of(struct arena *a, const cJSON *array)
{
    struct settings_names out = {.present = cJSON_IsArray(array)};
    size_t max = out.present ? (size_t)cJSON_GetArraySize(array) : 0;
    str *names = arena_alloc(a, (max + 1) * sizeof *names);
    const cJSON *item;

    cJSON_ArrayForEach(item, entries_of(array))
    {
        if (out.present && names && cJSON_IsString(item)) {
            names[out.n++] = str_of(item->valuestring);
        }
    }
    out.names = names;
    return out;
}

static struct settings_pairs pairs_of(struct arena *a, const cJSON *object)
{
    struct settings_pairs out = {0};
    size_t max = cJSON_IsObject(object) ? (size_t)cJSON_GetArraySize(object) : 0;
    struct settings_pair *pairs = arena_alloc(a, (max + 1) * sizeof *pairs);
    const cJSON *item;

    cJSON_ArrayForEach(item, entries_of(object))
    {
        str name = item->string ? str_of(item->string) : STR_ABSENT;
        str value = cJSON_IsString(item) || cJSON_IsRaw(item) ? str_of(item->valuestring)
                    : cJSON_IsBool(item) ? (cJSON_IsTrue(item) ? STR("true") : STR("false"))
                                         : STR_ABSENT;
        if (pairs && name.n && value.p && !str_has(name, STR("="))) {
            pairs[out.n++] = (struct settings_pair){name, value};
        }
    }
    out.pairs = pairs;
    return out;
}

static bool load(struct settings *s, const struct settings_place *place)
{
    struct arena *a = &s->mem;
    str user = user_folder(a, place);

    s->merged = cJSON_CreateObject();
    s->managed = cJSON_CreateObject();
    if (!s->merged || !s->managed) {
        return false;
    }
    if (user.n && !(place->left_out & SETTINGS_USER)) {
        read_tier(s, place, SETTINGS_USER, path_join(a, user, STR("settings.json")));
    }
    if (place->cwd.n) {
        str folder = path_join(a, place->cwd, STR(".claude"));
        if (!(place->left_out & SETTINGS_PROJECT)) {
            read_tier(s, place, SETTINGS_PROJECT, path_join(a, folder, STR("settings.json")));
        }
        if (!(place->left_out & SETTINGS_LOCAL)) {
            read_tier(s, place, SETTINGS_LOCAL, path_join(a, folder, STR("settings.local.json")));
        }
    }
    str managed = managed_dir(place);
    take(s->managed, read_managed(path_join(a, managed, STR("managed-settings.json"))));
    str dropins = path_join(a, managed, STR("managed-settings.d"));
    if (dropins.p && !str_has_nul(dropins)) {
        take_dropins(a, s->managed, dropins);
    }
    cJSON *copy = cJSON_Duplicate(s->managed, true);
    if (!copy) {
        return false;
    }
    take(s->merged, copy);
    s->available = names_of(a, cJSON_GetObjectItemCaseSensitive(s->merged, "availableModels"));
    s->denied = names_of(a, cJSON_GetObjectItemCaseSensitive(s->managed, "deniedModels"));
    s->env = pairs_of(a, cJSON_GetObjectItemCaseSensitive(s->managed, "env"));
    return arena_ok(a);
}

struct settings *settings_load(const struct settings_place *place)
{
    struct settings *s = calloc(1, sizeof *s);

    if (s && !load(s, place)) {
        settings_free(s);
        s = NULL;
    }
    return s;
}

void settings_free(struct settings *s)
{
    if (s) {
        cJSON_Delete(s->merged);
        cJSON_Delete(s->managed);
        arena_free(&s->mem);
        free(s);
    }
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static str string_member(const cJSON *object, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(v) ? str_of(v->valuestring) : STR_ABSENT;
}

static const cJSON *permissions(const struct settings *s)
{
    return cJSON_GetObjectItemCaseSensitive(s->merged, "permissions");
}

/* A member by a key that is text. cJSON wants a C string, so the members are compared here. */
static const cJSON *member(const cJSON *object, str key)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, entries_of(object))
    {
        if (item->string && str_is(key, item->string)) {
            return item;
        }
    }
    return NULL;
}

const struct settings_fault *settings_faults(const struct settings *s, size_t *n)
{
    *n = s->n_faults;
    return s->faults;
}

bool settings_present(const struct settings *s)
{
    return s->present;
}

str settings_model(const struct settings *s)
{
    return string_member(s->merged, "model");
}

struct settings_names settings_available_models(const struct settings *s)
{
    return s->available;
}

struct settings_names settings_denied_models(const struct settings *s)
{
    return s->denied;
}

str settings_model_override(const struct settings *s, str name)
{
    const cJSON *v = member(cJSON_GetObjectItemCaseSensitive(s->merged, "modelOverrides"), name);
    return cJSON_IsString(v) ? str_of(v->valuestring) : STR_ABSENT;
}

enum mode settings_default_mode(const struct settings *s)
{
    return mode_of_setting(string_member(permissions(s), "defaultMode"));
}

bool settings_bypass_disabled(const struct settings *s)
{
    return str_is(string_member(permissions(s), "disableBypassPermissionsMode"), "disable");
}

str settings_api_key_helper(const struct settings *s)
{
    return string_member(s->merged, "apiKeyHelper");
}

bool settings_ultracode(const struct settings *s, json over)
{
    json above = json_get(over, "ultracode");
    return json_present(above) ? json_is_true(above)
                               : cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(s->merged, "ultracode"));
}

/* The effort of the entry whose key is `name`, or else of the first one that is the same in canonical form.
 * An entry of `over` replaces the file's of the same key. */
static str model_effort(const cJSON *files, json over, str name)
{
    json exact = json_get_str(over, name);
    const cJSON *item = member(files, name);

    if (json_present(exact)) {
        return json_str(json_get(exact, "effortLevel"));
    }
    if (item) {
        return string_member(item, "effortLevel");
    }
    cJSON_ArrayForEach(item, entries_of(files))
    {
        str key = item->string ? str_of(item->string) : STR_ABSENT;
        if (key.p && model_same(key, name) && !json_present(json_get_str(over, key))) {
            return string_member(item, "effortLevel");
        }
    }
    for (struct json_iter it = json_each(over); json_next(&it);) {
        if (!json_iter_shadowed(&it) && model_same(json_iter_key(&it), name)) {
            return json_str(json_get(it.value, "effortLevel"));
        }
    }
    return STR_ABSENT;
}

str settings_effort(const struct settings *s, json over, const str *names, size_t n_names)
{
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(s->merged, "modelSettings");
    json entries = json_get(over, "modelSettings");

    if (!json_is(entries, JSON_OBJECT)) {
        entries = JSON_NONE;
    }
    for (size_t i = 0; i < n_names; i++) {
        str effort = names[i].n ? model_effort(files, entries, names[i]) : STR_ABSENT;
        if (effort.p) {
            return effort;
        }
    }
    str top = json_str(json_get(over, "effortLevel"));
    return top.p ? top : string_member(s->merged, "effortLevel");
}

struct settings_pairs settings_managed_env(const struct settings *s)
{
    return s->env;
}
