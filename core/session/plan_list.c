#include "session/plan_list.h"

#include <stdlib.h>

struct plan_task {
    struct list link;
    char *id;
    char *subject, *active_form, *description; /* NULL: none */
    char *status;
    bool listed; /* put again since the last relist */
};

static const char *const status_names[] = {"pending", "in_progress", "completed"};

static void free_task(struct plan_task *t)
{
    list_remove(&t->link);
    free(t->id);
    free(t->subject);
    free(t->active_form);
    free(t->description);
    free(t->status);
    free(t);
}

static void clear(struct plan_list *p)
{
    LIST_EACH(t, &p->tasks, struct plan_task, link)
    {
        free_task(t);
    }
}

void plan_list_init(struct plan_list *p)
{
    *p = (struct plan_list){.sent = BUF_INIT};
    list_init(&p->tasks);
}

void plan_list_free(struct plan_list *p)
{
    clear(p);
    buf_free(&p->sent);
}

static struct plan_task *find(const struct plan_list *p, str id)
{
    LIST_EACH(t, &p->tasks, struct plan_task, link)
    {
        if (str_is(id, t->id)) {
            return t;
        }
    }
    return NULL;
}

static void set(char **member, str value)
{
    char *copy = str_dup(value);
    if (copy) {
        free(*member);
        *member = copy;
    }
}

static struct plan_task *add(struct plan_list *p, str id)
{
    struct plan_task *t = calloc(1, sizeof(*t));
    if (!t) {
        return NULL;
    }
    t->id = str_dup(id);
    t->status = str_dup(STR("pending"));
    list_append(&p->tasks, &t->link);
    if (!t->id || !t->status) {
        free_task(t);
        return NULL;
    }
    return t;
}

static void merge(struct plan_task *t, const struct fact_task_change *c)
{
    set(&t->subject, c->subject);
    set(&t->active_form, c->active_form);
    set(&t->description, c->description);
    if (c->status >= 0 && (size_t)c->status < ARRAY_LEN(status_names)) {
        set(&t->status, str_of(status_names[c->status]));
    }
    t->listed = true;
}

/* Takes the tasks that a relist named to the end, in its order, and drops the others when it is over. */
static void drop_unlisted(struct plan_list *p)
{
    LIST_EACH(t, &p->tasks, struct plan_task, link)
    {
        if (!t->listed) {
            free_task(t);
        }
    }
}

void plan_list_change(struct plan_list *p, const struct fact_task_change *changes)
{
    bool relist = false;
    for (const struct fact_task_change *c = changes; c; c = c->next) {
        struct plan_task *t = c->id.p ? find(p, c->id) : NULL;
        switch (c->change) {
        case TASK_CLEAR:
            clear(p);
            break;
        case TASK_RELIST:
            relist = true;
            LIST_EACH(task, &p->tasks, struct plan_task, link)
            {
                task->listed = false;
            }
            break;
        case TASK_REMOVE:
            if (t) {
                free_task(t);
            }
            break;
        case TASK_PUT:
        case TASK_MERGE:
            if (!t && (c->change == TASK_PUT || c->subject.p)) {
                t = add(p, c->id);
            } else if (t && relist) {
                list_remove(&t->link);
                list_append(&p->tasks, &t->link);
            }
            if (t) {
                merge(t, c);
            }
            break;
        }
    }
    if (relist) {
        drop_unlisted(p);
    }
}

bool plan_list_created(struct plan_list *p, str id, str subject, str description)
{
    struct plan_task *t = id.p && subject.n && !find(p, id) ? add(p, id) : NULL;
    if (t) {
        set(&t->subject, subject);
        set(&t->description, description);
    }
    return t != NULL;
}

bool plan_list_completed(struct plan_list *p, str id)
{
    struct plan_task *t = id.p ? find(p, id) : NULL;
    if (!t || strcmp(t->status, "completed") == 0) {
        return false;
    }
    set(&t->status, STR("completed"));
    return true;
}

bool plan_list_unfinished(const struct plan_list *p)
{
    LIST_EACH(t, &p->tasks, struct plan_task, link)
    {
        if (strcmp(t->status, "completed") != 0) {
            return true;
        }
    }
    return false;
}

static void put_entry(struct buf *b, str content, str status)
{
    json_open_object(b);
    json_member_str(b, "content", content);
    json_member_str(b, "status", status);
    json_member_c(b, "priority", "medium");
    json_close_object(b);
}

void plan_list_put(struct buf *b, const struct plan_list *p)
{
    json_open_array(b);
    LIST_EACH(t, &p->tasks, struct plan_task, link)
    {
        bool active = strcmp(t->status, "in_progress") == 0 && t->active_form && *t->active_form;
        const char *content = active ? t->active_form : t->subject;
        put_entry(b, str_of(content ? content : ""), str_of(t->status));
    }
    json_close_array(b);
}

void plan_entries_put(struct buf *b, const struct fact_plan_entry *entries)
{
    json_open_array(b);
    for (const struct fact_plan_entry *e = entries; e; e = e->next) {
        put_entry(b, e->content, str_of(status_names[e->status]));
    }
    json_close_array(b);
}

bool plan_list_sent(struct plan_list *p, str entries)
{
    if (p->sent.n && str_eq(buf_str(&p->sent), entries)) {
        return false;
    }
    buf_clear(&p->sent);
    buf_put_str(&p->sent, entries);
    return true;
}
