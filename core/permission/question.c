#include "permission/question.h"

#include "client/air_meta.h"
#include <stdio.h>
#include <stdlib.h>

#include "base/js_space.h"
#include "permission/text.h"

enum { QUESTIONS_MAX = 100 }; /* the CLI asks four at most */

struct question {
    str text;
    json body;
    bool multi;
};

struct question_form {
    struct arena arena;
    struct json_doc *input; /* a copy of the tool input; NULL when there was none */
    str tool_use_id;
    struct question questions[QUESTIONS_MAX];
    size_t n;
};

/* An option that can be shown: it has a label. */
static bool usable(json option)
{
    return str_present(json_str(json_get(option, "label")));
}

static bool has_options(json question)
{
    json options = json_get(question, "options");
    if (!json_is(options, JSON_ARRAY)) {
        return false;
    }
    for (struct json_iter it = json_each(options); json_next(&it);) {
        if (usable(it.value)) {
            return true;
        }
    }
    return false;
}

struct question_form *question_form_new(const struct permission_question *q)
{
    struct question_form *f = calloc(1, sizeof(*f));
    if (!f) {
        return NULL;
    }
    bool input = json_is(q->input, JSON_OBJECT);
    f->tool_use_id = arena_str(&f->arena, q->tool_use_id);
    f->input = input ? json_detach(q->input) : NULL;
    if (!arena_ok(&f->arena) || (input && !f->input)) {
        question_form_free(f);
        return NULL;
    }
    json questions = f->input ? json_get(json_root(f->input), "questions") : JSON_NONE;
    if (!json_is(questions, JSON_ARRAY)) {
        return f;
    }
    for (struct json_iter it = json_each(questions); f->n < QUESTIONS_MAX && json_next(&it);) {
        str text = json_str(json_get(it.value, "question"));
        if (str_present(text) && has_options(it.value)) {
            f->questions[f->n++] =
                (struct question){text, it.value, json_truthy(json_get(it.value, "multiSelect"))};
        }
    }
    return f;
}

void question_form_free(struct question_form *f)
{
    if (f) {
        json_unref(f->input);
        arena_free(&f->arena);
        free(f);
    }
}

size_t question_form_count(const struct question_form *f)
{
    return f->n;
}

/* ---- The form ------------------------------------------------------------------------------------ */

static str field_name(char room[32], size_t n, const char *suffix)
{
    return (str){room, (size_t)snprintf(room, 32, "question_%zu%s", n, suffix)};
}

static void put_option(struct buf *b, json option)
{
    str preview = json_text(json_get(option, "preview"));
    json_open_object(b);
    json_member(b, "const", json_get(option, "label"));
    json_member(b, "title", json_get(option, "label"));
    json_member_str(b, "description", json_text(json_get(option, "description")));
    if (str_present(preview)) {
        json_key(b, "_meta");
        json_open_object(b);
        json_key(b, "_claude/askUserQuestionOption");
        json_open_object(b);
        json_member_str(b, "preview", preview);
        json_close_object(b);
        json_close_object(b);
    }
    json_close_object(b);
}

static void put_select(struct buf *b, const struct question_form *f, size_t n)
{
    const struct question *q = &f->questions[n];
    char name[32];
    json_key_str(b, field_name(name, n, ""));
    json_open_object(b);
    json_member_c(b, "type", q->multi ? "array" : "string");
    json_member_str(b, "title", json_text(json_get(q->body, "header")));
    if (f->n > 1) {
        json_member_str(b, "description", q->text);
    }
    if (q->multi) {
        json_key(b, "items");
        json_open_object(b);
    }
    json_key(b, q->multi ? "anyOf" : "oneOf");
    json_open_array(b);
    for (struct json_iter it = json_each(json_get(q->body, "options")); json_next(&it);) {
        if (usable(it.value)) {
            put_option(b, it.value);
        }
    }
    json_close_array(b);
    if (q->multi) {
        json_close_object(b);
    }
    json_close_object(b);
}

static void put_custom(struct buf *b, const struct question_form *f, size_t n, bool air)
{
    char name[32];
    json_key_str(b, field_name(name, n, "_custom"));
    json_open_object(b);
    json_member_c(b, "type", "string");
    json_member_c(b, "title", "Other");
    json_member_c(b, "description",
                  f->questions[n].multi
                      ? "Type your own answer to add to your selection above (optional)."
                      : "Type your own answer, or add a note to the option you chose above (optional).");
    if (air) {
        json_key(b, "_meta");
        json_open_object(b);
        air_meta_open(b);
        json_key(b, "customAnswer");
        json_open_object(b);
        json_member_str(b, "questionId", field_name(name, n, ""));
        json_member_bool(b, "isCustomAnswer", true);
        json_close_object(b);
        air_meta_close(b);
        json_close_object(b);
    }
    json_close_object(b);
}

void question_form_put_request(struct buf *b, const struct question_form *f, str session_id, str call_id,
                               bool air)
{
    json_open_object(b);
    json_member_c(b, "mode", "form");
    json_member_str(b, "sessionId", session_id);
    json_member_str(b, "toolCallId", call_id);
    json_member_str(b, "message",
                    f->n == 1 ? f->questions[0].text : STR("Please answer the following questions."));
    json_key(b, "requestedSchema");
    json_open_object(b);
    json_member_c(b, "type", "object");
    json_key(b, "properties");
    json_open_object(b);
    for (size_t n = 0; n < f->n; n++) {
        put_select(b, f, n);
        put_custom(b, f, n, air);
    }
    json_close_object(b);
    json_close_object(b);
    json_close_object(b);
}

/* ---- The answer ---------------------------------------------------------------------------------- */

/* What was answered to one question; absent texts for nothing. */
struct reply {
    str answer, note;
};

static bool valid_content(json content)
{
    if (!json_is(content, JSON_OBJECT)) {
        return false;
    }
    for (struct json_iter it = json_each(content); json_next(&it);) {
        if (json_is(it.value, JSON_OBJECT)) {
            return false;
        }
        struct json_iter item = json_each(it.value);
        while (json_next(&item)) {
            if (!json_is(item.value, JSON_STRING)) {
                return false;
            }
        }
    }
    return true;
}

/* A string, number or boolean as text; absent when it is none of them. */
static str value_text(struct arena *a, json v)
{
    AUTO_BUF(b);
    double number = 0;
    if (json_is_bool(v)) {
        return json_raw(v);
    }
    if (!json_double(v, &number)) {
        return json_str(v);
    }
    json_put_double(&b, number);
    return arena_buf(a, &b);
}

/* Adds one choice behind the others. In the text of a multiple choice, one that could be taken for two is
 * quoted. */
static void add_pick(struct buf *picks, str pick, bool multi)
{
    if (str_empty(pick)) {
        return;
    }
    if (picks->n) {
        buf_put_c(picks, ", ");
    }
    if (multi && (str_has(pick, STR(", ")) || str_has(pick, STR("\"")))) {
        AUTO_BUF(quoted);
        json_put_str(&quoted, pick);
        picks->failed = picks->failed || quoted.failed;
        pick = buf_str(&quoted);
        buf_put_str(picks, pick);
        return;
    }
    buf_put_str(picks, pick);
}

static struct reply read_reply(struct arena *a, const struct question *q, json content, size_t n)
{
    char name[32];
    json picked = json_get_str(content, field_name(name, n, ""));
    str custom = space_trim(json_str(json_get_str(content, field_name(name, n, "_custom"))));
    AUTO_BUF(picks);
    if (json_is(picked, JSON_ARRAY)) {
        for (struct json_iter it = json_each(picked); json_next(&it);) {
            add_pick(&picks, json_str(it.value), q->multi);
        }
    } else {
        add_pick(&picks, value_text(a, picked), q->multi);
    }
    if (q->multi) {
        add_pick(&picks, custom, true);
    }
    a->failed = a->failed || picks.failed;
    if (!picks.n) {
        return (struct reply){str_empty(custom) ? STR_ABSENT : custom, STR_ABSENT};
    }
    return (struct reply){arena_buf(a, &picks), q->multi || str_empty(custom) ? STR_ABSENT : custom};
}

static str part_of(const struct reply *r, bool note)
{
    return note ? r->note : r->answer;
}

/* An object of the answers, or the notes, by the questions' texts. Of questions with the same text the last
 * answer counts and stands where the first one would. False when it is empty. */
static bool put_replies(struct buf *b, const struct question_form *f, const struct reply *replies, bool note)
{
    bool any = false;
    json_open_object(b);
    for (size_t i = 0; i < f->n; i++) {
        bool first = str_present(part_of(&replies[i], note));
        str value = STR_ABSENT;
        for (size_t k = 0; first && k < f->n; k++) {
            str part = part_of(&replies[k], note);
            if (str_present(part) && str_eq(f->questions[k].text, f->questions[i].text)) {
                first = k >= i;
                value = part;
            }
        }
        if (!first) {
            continue;
        }
        any = true;
        json_key_str(b, f->questions[i].text);
        if (note) {
            json_open_object(b);
            json_member_str(b, "notes", value);
            json_close_object(b);
        } else {
            json_put_str(b, value);
        }
    }
    json_close_object(b);
    return any;
}

struct member {
    const char *key;
    str value; /* JSON; absent: the input's own stays */
    bool written;
};

/* The input with members replaced where they stand, or added at the end. */
static void put_merged(struct buf *b, json input, struct member *members, size_t n)
{
    json_open_object(b);
    for (struct json_iter it = json_each(input); json_next(&it);) {
        str key = json_iter_key(&it);
        struct member *m = NULL;
        for (size_t i = 0; i < n; i++) {
            m = str_present(members[i].value) && str_is(key, members[i].key) ? &members[i] : m;
        }
        if (m && m->written) {
            continue;
        }
        json_key_str(b, key);
        if (m) {
            json_put_raw(b, m->value);
            m->written = true;
        } else {
            json_put(b, it.value);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (str_present(members[i].value) && !members[i].written) {
            json_member_raw(b, members[i].key, members[i].value);
        }
    }
    json_close_object(b);
}

static void allow(const struct question_form *f, json content, struct permission_decision *d)
{
    struct reply replies[QUESTIONS_MAX] = {{STR_ABSENT, STR_ABSENT}};
    AUTO_ARENA(a);
    AUTO_BUF(answers);
    AUTO_BUF(notes);
    for (size_t n = 0; n < f->n; n++) {
        replies[n] = read_reply(&a, &f->questions[n], content, n);
    }
    put_replies(&answers, f, replies, false);
    bool noted = put_replies(&notes, f, replies, true);
    struct member members[] = {{"answers", buf_str(&answers), false},
                               {"annotations", noted ? buf_str(&notes) : STR_ABSENT, false}};
    d->verdict = PERMISSION_ALLOW;
    json_open_object(&d->text);
    json_member_c(&d->text, "behavior", "allow");
    json_key(&d->text, "updatedInput");
    put_merged(&d->text, json_root(f->input), members, ARRAY_LEN(members));
    json_member_str(&d->text, "toolUseID", f->tool_use_id);
    json_close_object(&d->text);
    if (!arena_ok(&a) || !buf_ok(&answers) || !buf_ok(&notes) || !buf_ok(&d->text)) {
        d->text.failed = true;
        d->verdict = PERMISSION_ERROR;
    }
}

void question_form_decide(const struct question_form *f, json result, struct permission_decision *d)
{
    str action = json_str(json_get(result, "action"));
    json content = json_get(result, "content");
    if (!f->n) {
        question_form_refuse(f, QUESTION_NONE_VALID, d);
    } else if (str_is(action, "accept")) {
        allow(f, valid_content(content) ? content : JSON_NONE, d);
    } else if (str_is(action, "decline")) {
        allow(f, JSON_NONE, d);
    } else {
        d->verdict = PERMISSION_ERROR;
        buf_put_c(&d->text, PERMISSION_ABORTED);
    }
}

void question_form_refuse(const struct question_form *f, const char *message, struct permission_decision *d)
{
    d->verdict = PERMISSION_DENY;
    permission_put_deny(&d->text, f->tool_use_id, message);
    if (!buf_ok(&d->text)) {
        d->verdict = PERMISSION_ERROR;
    }
}
