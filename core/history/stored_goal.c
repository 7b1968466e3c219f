#include "history/stored_goal.h"

#include "history/backwards.h"
#include "json/json.h"

struct search {
    enum stored_goal found;
    struct buf *condition;
};

static bool look_at(void *user, str line)
{
    struct search *s = user;
    if (!str_has(line, STR("\"goal_status\""))) {
        return false;
    }
    AUTO_JSON(doc) = json_parse(line, NULL);
    json root = json_root(doc), note = json_get(root, "attachment");
    if (!str_is(json_str(json_get(root, "type")), "attachment") ||
        !str_is(json_str(json_get(note, "type")), "goal_status") ||
        json_is_true(json_get(root, "isSidechain"))) {
        return false;
    }
    str condition = json_text(json_get(note, "condition"));
    if (!json_is_true(json_get(note, "met")) && !json_is_true(json_get(note, "failed")) && condition.p) {
        s->found = STORED_GOAL_ACTIVE;
        buf_put_str(s->condition, condition);
    }
    return true;
}

enum stored_goal stored_goal_read(const char *transcript, struct buf *condition)
{
    struct search s = {.found = STORED_GOAL_NONE, .condition = condition};
    return lines_backwards(transcript, look_at, &s) ? s.found : STORED_GOAL_UNKNOWN;
}
