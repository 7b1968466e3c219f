/* Host functions that read JSON and make texts. */
#include "base/path.h"
#include "report/blocks.h"
#include "reporter_host/fact_checks.h"

static const herald_string no_text = {NULL, 0};
static const herald_value missing = {NULL, 0};

/* A piece of text that a reporter passed in, when it is one at all. */
static bool usable(herald_string s)
{
    return s.data && s.size <= LIMIT_TEXT;
}

/* ---- JSON --------------------------------------------------------------------------------------- */

static herald_type host_type(herald_value value)
{
    static const herald_type types[] = {
        [JSON_MISSING] = HERALD_MISSING, [JSON_NULL] = HERALD_NULL,     [JSON_FALSE] = HERALD_BOOLEAN,
        [JSON_TRUE] = HERALD_BOOLEAN,    [JSON_NUMBER] = HERALD_NUMBER, [JSON_STRING] = HERALD_TEXT,
        [JSON_ARRAY] = HERALD_ARRAY,     [JSON_OBJECT] = HERALD_OBJECT,
    };
    return types[json_type(json_of_value(value))];
}

static herald_value host_member(herald_value object, herald_string name)
{
    return usable(name) ? value_of_json(json_get_str(json_of_value(object), str_of_string(name))) : missing;
}

static herald_value host_element(herald_value array, size_t index)
{
    json v = json_of_value(array);
    return json_is(v, JSON_ARRAY) ? value_of_json(json_nth(v, index)) : missing;
}

static size_t host_count(herald_value value)
{
    return json_count(json_of_value(value));
}

static bool host_next(herald_value value, uint64_t *cursor, herald_string *name, herald_value *item)
{
    struct json_iter it = json_each(json_of_value(value));
    if (!cursor || !it.doc) {
        return false;
    }
    /* The cursor is the iterator's own place; one that lies outside is no place. */
    if (*cursor != 0) {
        if (*cursor <= it.next || *cursor >= it.end - it.object) {
            return false;
        }
        it.next = (uint32_t)*cursor;
    }
    if (!json_next(&it)) {
        return false;
    }
    *cursor = it.next;
    if (name) {
        *name = string_of_str(json_iter_key(&it));
    }
    if (item) {
        *item = value_of_json(it.value);
    }
    return true;
}

static herald_string host_text(herald_value value)
{
    return string_of_str(json_str(json_of_value(value)));
}

static bool host_number(herald_value value, double *out)
{
    return out && json_double(json_of_value(value), out);
}

static bool host_integer(herald_value value, int64_t *out)
{
    return out && json_int(json_of_value(value), out);
}

static bool host_is_true(herald_value value)
{
    return json_is_true(json_of_value(value));
}

static bool host_truthy(herald_value value)
{
    return json_truthy(json_of_value(value));
}

static herald_string host_json(herald_facts *facts, herald_value value, uint32_t indent)
{
    json v = json_of_value(value);
    if (!facts || !facts->active || !v.doc) {
        return no_text;
    }
    if (indent == 0) {
        return string_of_str(text_json(&facts->scratch, v));
    }
    AUTO_BUF(b);
    json_put_indented(&b, v, indent < 8 ? (int)indent : 8);
    return string_of_str(arena_buf(&facts->scratch, &b));
}

static herald_value host_parse(herald_facts *facts, herald_string text)
{
    if (!facts || !facts->active || !usable(text) || facts->parsed_count == PARSED_MAX) {
        return missing;
    }
    struct json_doc *doc = json_parse(str_of_string(text), NULL);
    if (!doc) {
        return missing;
    }
    facts->parsed[facts->parsed_count++] = doc;
    return value_of_json(json_root(doc));
}

/* ---- Text --------------------------------------------------------------------------------------- */

static void *host_scratch(herald_facts *facts, size_t size)
{
    if (!facts || !facts->active || size > LIMIT_TEXT) {
        return NULL;
    }
    void *memory = arena_alloc(&facts->scratch, size);
    if (!memory) {
        facts->scratch.failed = false; /* a smaller piece may still fit */
    }
    return memory;
}

static herald_string host_display_path(herald_facts *facts, herald_string path)
{
    if (!facts || !facts->active || !usable(path)) {
        return no_text;
    }
    return string_of_str(
        path_display(&facts->scratch, str_of_string(path), facts->call->cwd, facts->call->process_cwd));
}

static herald_string host_fence(herald_facts *facts, herald_string language, herald_string text)
{
    if (!facts || !facts->active || !usable(text)) {
        return no_text;
    }
    str word = usable(language) ? str_of_string(language) : STR("");
    for (size_t i = 0; i < word.n; i++) { /* what would break the fence's line is no language */
        if ((unsigned char)word.p[i] < 0x20 || word.p[i] == '`') {
            word = STR("");
        }
    }
    return string_of_str(text_fence(&facts->scratch, word, str_of_string(text)));
}

static herald_string host_error_text(herald_facts *facts, herald_string text)
{
    return facts && facts->active && usable(text)
               ? string_of_str(text_error(&facts->scratch, str_of_string(text)))
               : no_text;
}

static herald_string host_size_label(herald_facts *facts, uint64_t bytes)
{
    return facts && facts->active ? string_of_str(text_size(&facts->scratch, bytes)) : no_text;
}

/* The text of a text block; absent for any other value. */
static str block_text(json block)
{
    return str_is(json_str(json_get(block, "type")), "text") ? json_str(json_get(block, "text")) : STR_ABSENT;
}

static herald_string host_result_text(herald_facts *facts, herald_value result)
{
    json v = json_of_value(result);
    if (!facts || !facts->active || !v.doc) {
        return no_text;
    }
    if (!json_is(v, JSON_ARRAY)) {
        return string_of_str(json_is(v, JSON_STRING) ? json_str(v) : block_text(v));
    }
    AUTO_BUF(b);
    bool any = false;
    for (struct json_iter it = json_each(v); json_next(&it);) {
        str text = block_text(it.value);
        if (text.p) {
            buf_put_c(&b, any ? "\n" : "");
            buf_put_str(&b, text);
            any = true;
        }
    }
    return any ? string_of_str(arena_buf(&facts->scratch, &b)) : no_text;
}

void host_functions_reading(herald_host *table)
{
    table->type = host_type;
    table->member = host_member;
    table->element = host_element;
    table->count = host_count;
    table->next = host_next;
    table->text = host_text;
    table->number = host_number;
    table->integer = host_integer;
    table->is_true = host_is_true;
    table->truthy = host_truthy;
    table->json = host_json;
    table->scratch = host_scratch;
    table->display_path = host_display_path;
    table->fence = host_fence;
    table->error_text = host_error_text;
    table->size_label = host_size_label;
    table->result_text = host_result_text;
    table->parse = host_parse;
}
