#include "tool/plan_list.h"

#include <stdlib.h>

enum { PLAN_TASKS_MAX = 2000 }; /* more are not listed */

struct plan_task {
    struct list link;
    struct buf id, subject, active_form;
    enum plan_status status;
    bool listed; /* put again since the last relist */
};

static const char *const status_names[] = {
    [PLAN_PENDING] = "pending",
    [PLAN_IN_PROGRESS] = "in_progress",
    [PLAN_COMPLETED] = "completed",
};

static void free_task(struct plan_task *t)
{
    list_remove(&t->link);
    buf_free(&t->id);
    buf_free(&t->subject);
    buf_free(&t->active_form);
    free(t);
}

static void drop(struct plan_list *p, struct plan_task *t)
{
    free_task(t);
    p->count--;
}

static void clear(struct plan_list *p)
{
    LIST_EACH(t, &p->tasks, struct plan_task, link) {
        drop(p, t);
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
    LIST_EACH(t, &p->tasks, struct plan_task, link) {
        if (str_eq(id, buf_str(&t->id))) {
            return t;
        }
    }
    return NULL;
}

/* An absent value changes nothing. */
static void set(struct buf *member, str value)
{
    if (value.p) {
        buf_clear(member);
        buf_put_str(member, value);
    }
}

static struct plan_task *add(struct plan_list *p, str id)
{
    struct plan_task *t = id.p && p->count < PLAN_TASKS_MAX ? calloc(1, sizeof(*t)) : NULL;
    if (!t) {
        return NULL;
    }
    buf_put_str(&t->id, id);
    if (!buf_ok(&t->id)) {
        buf_free(&t->id);
        free(t);
        return NULL;
    }
    list_append(&p->tasks, &t->link);
    p->count++;
    return t;
}

static void merge(struct plan_task *t, const struct fact_task_change *c)
{
    set(&t->subject, c->subject);
    set(&t->active_form, c->active_form);
    if (c->status >= 0 && (size_t)c->status < ARRAY_LEN(status_names)) {
        t->status = (enum plan_status)c->status;
    }
    t->listed = true;
}

static void drop_unlisted(struct plan_list *p)
{
    LIST_EACH(t, &p->tasks, struct plan_task, link) {
        if (!t->listed) {
            drop(p, t);
        }
    }
}

/* A put takes the place of an old entry of that id, but in a new list, where it takes its turn and keeps what
 * the list does not tell. */
static void put(struct plan_list *p, struct plan_task *t, const struct fact_task_change *c, bool relist)
{
    if (!t) {
        t = c->change == TASK_PUT || c->subject.p ? add(p, c->id) : NULL;
    } else if (relist) {
        list_remove(&t->link);
        list_append(&p->tasks, &t->link);
    } else if (c->change == TASK_PUT) {
        buf_clear(&t->subject);
        buf_clear(&t->active_form);
        t->status = PLAN_PENDING;
    }
    if (t) {
        merge(t, c);
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
            // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what is freed was taken out of the list before
            LIST_EACH(task, &p->tasks, struct plan_task, link) {
                task->listed = false;
            }
            break;
        case TASK_REMOVE:
            if (t) {
                drop(p, t);
            }
            break;
        case TASK_PUT:
        case TASK_MERGE:
            put(p, t, c, relist);
            break;
        }
    }
    if (relist) {
        drop_unlisted(p);
    }
}

bool plan_list_created(struct plan_list *p, str id, str subject)
{
    struct plan_task *t = subject.n && !find(p, id) ? add(p, id) : NULL;
    if (t) {
        set(&t->subject, subject);
    }
    return t != NULL;
}

bool plan_list_completed(struct plan_list *p, str id)
{
    struct plan_task *t = id.p ? find(p, id) : NULL;
    if (!t || t->status == PLAN_COMPLETED) {
        return false;
    }
    t->status = PLAN_COMPLETED;
    return true;
}

bool plan_list_unfinished(const struct plan_list *p)
{
    LIST_EACH(t, &p->tasks, struct plan_task, link) {
        if (t->status != PLAN_COMPLETED) {
            return true;
        }
    }
    return false;
}

static void put_entry(struct buf *b, str content, enum plan_status status)
{
    json_open_object(b);
    json_member_str(b, "content", content.p ? content : STR(""));
    json_member_c(b, "status", status_names[status]);
    json_member_c(b, "priority", "medium");
    json_close_object(b);
}

void plan_list_put(struct buf *b, const struct plan_list *p)
{
    json_open_array(b);
    LIST_EACH(t, &p->tasks, struct plan_task, link) {
        bool active = t->status == PLAN_IN_PROGRESS && t->active_form.n > 0;
        put_entry(b, buf_str(active ? &t->active_form : &t->subject), t->status);
    }
    json_close_array(b);
}

void plan_entries_put(struct buf *b, const struct fact_plan_entry *entries)
{
    json_open_array(b);
    for (const struct fact_plan_entry *e = entries; e; e = e->next) {
        put_entry(b, e->content, e->status);
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
    if (!buf_ok(&p->sent)) {
        buf_free(&p->sent); /* not remembered: the next plan goes out, whatever it is */
    }
    return true;
}
