#include "acp_v2/replay_marks.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/map.h"

struct replay {
    struct list link;
    char *session;
    struct replay *root; /* of a subagent's: the session whose history it is part of; NULL: this one */
    unsigned requests;
    struct map begun; /* role and message id → anything */
};

struct replay_marks {
    struct list replays;
};

static struct replay *find(const struct replay_marks *m, str session)
{
    LIST_EACH(r, &m->replays, struct replay, link) {
        if (str_is(session, r->session)) {
            return r;
        }
    }
    return NULL;
}

static struct replay *add(struct replay_marks *m, str session)
{
    struct replay *r = calloc(1, sizeof(*r));
    if (!r) {
        return NULL;
    }
    r->session = str_dup(session);
    if (!r->session) {
        free(r);
        return NULL;
    }
    list_append(&m->replays, &r->link);
    return r;
}

static void drop(struct replay *r)
{
    list_remove(&r->link);
    map_free(&r->begun, NULL);
    free(r->session);
    free(r);
}

struct replay_marks *replay_marks_new(void)
{
    struct replay_marks *m = calloc(1, sizeof(*m));
    if (m) {
        list_init(&m->replays);
    }
    return m;
}

void replay_marks_free(struct replay_marks *m)
{
    if (!m) {
        return;
    }
    LIST_EACH(r, &m->replays, struct replay, link) {
        drop(r);
    }
    free(m);
}

void replay_marks_begin(struct replay_marks *m, str session)
{
    struct replay *r = find(m, session);
    r = r ? r : add(m, session);
    if (r) {
        r->requests++;
    }
}

void replay_marks_end(struct replay_marks *m, str session)
{
    struct replay *root = find(m, session);
    if (!root || root->root) {
        return;
    }
    LIST_EACH(r, &m->replays, struct replay, link) {
        if (r->root == root) {
            drop(r);
        }
    }
    map_free(&root->begun, NULL); /* the next request sends all of it again */
    root->begun = MAP_INIT;
    if (!root->requests || --root->requests == 0) {
        drop(root);
    }
}

void replay_marks_child(struct replay_marks *m, str parent, str child)
{
    struct replay *around = find(m, parent);
    struct replay *r = around && !find(m, child) ? add(m, child) : NULL;
    if (r) {
        r->root = around->root ? around->root : around;
    }
}

bool replay_marks_first(struct replay_marks *m, str session, enum message_role role, str message_id)
{
    struct replay *r = list_empty(&m->replays) ? NULL : find(m, session);
    AUTO_BUF(key);
    if (!r) {
        return false;
    }
    buf_put_byte(&key, (char)('0' + role));
    buf_put_str(&key, message_id);
    return !set_has(&r->begun, buf_str(&key)) && set_add(&r->begun, buf_str(&key));
}
