/* Host functions that state facts of a result and of a finished tool. */
#include "base/path.h"
#include "report/blocks.h"
#include "reporter_host/fact_checks.h"

/* ---- Content ------------------------------------------------------------------------------------- */

static herald_status host_set_content(herald_facts *x, herald_form form)
{
    herald_status st = fact_belongs(x, IN_RESULT | IN_FINISHED);
    st = st ? st : fact_form_ok(form);
    if (!st) {
        for (enum fact_form i = form_first(form); i <= form_last(form); i++) {
            x->facts->content[i].stated = true;
        }
    }
    return fact_answer(x, "set_content", st);
}

static herald_status host_add_text(herald_facts *x, herald_form form, herald_string markdown)
{
    herald_status st = fact_belongs(x, IN_RESULT | IN_FINISHED);
    st = st ? st : fact_form_ok(form);
    st = st ? st : fact_text_ok(markdown, LIMIT_TEXT);
    st = st ? st : fact_room_in(x, LIST_CONTENT, form, 1);
    if (!st) {
        fact_add_texts(x, x->facts->content, LIST_CONTENT, form, markdown);
    }
    return fact_answer(x, "add_text", st);
}

static herald_status host_add_image(herald_facts *x, herald_form form, herald_string mime_type,
                                    herald_string base64)
{
    herald_status st = fact_belongs(x, IN_RESULT | IN_FINISHED);
    st = st ? st : fact_form_ok(form);
    st = st ? st : fact_name_ok(mime_type, LIMIT_TEXT);
    st = st ? st : fact_text_ok(base64, LIMIT_TEXT);
    st = st ? st : fact_room_in(x, LIST_CONTENT, form, 1);
    if (!st) {
        str type = fact_keep(x, mime_type), data = fact_keep(x, base64);
        for (enum fact_form i = form_first(form); i <= form_last(form); i++) {
            contents_add_image(x->facts->arena, &x->facts->content[i], type, data);
            x->counts[LIST_CONTENT + i]++;
        }
    }
    return fact_answer(x, "add_image", st);
}

static herald_status host_add_block(herald_facts *x, herald_form form, herald_value block, bool as_error)
{
    json v = json_of_value(block);
    herald_status st = fact_belongs(x, IN_RESULT);
    st = st ? st : fact_form_ok(form);
    st = st ? st : json_present(v) ? HERALD_OK : HERALD_E_ARGUMENT;
    st = st ? st : fact_room_in(x, LIST_CONTENT, form, 1);
    if (!st) {
        for (enum fact_form i = form_first(form); i <= form_last(form); i++) {
            facts_add_block(x->facts->arena, &x->facts->content[i], v, as_error);
            x->counts[LIST_CONTENT + i]++;
        }
    }
    return fact_answer(x, "add_block", st);
}

static herald_status host_add_result(herald_facts *x, herald_form form, herald_value result, bool as_error)
{
    json v = json_of_value(result);
    size_t blocks = json_is(v, JSON_ARRAY) ? json_count(v) : 1;
    herald_status st = fact_belongs(x, IN_RESULT);
    st = st ? st : fact_form_ok(form);
    st = st ? st : fact_room_in(x, LIST_CONTENT, form, blocks);
    if (!st) {
        for (enum fact_form i = form_first(form); i <= form_last(form); i++) {
            facts_add_result(x->facts->arena, &x->facts->content[i], v, as_error);
            x->counts[LIST_CONTENT + i] += blocks;
        }
    }
    return fact_answer(x, "add_result", st);
}

/* ---- Other facts of a result --------------------------------------------------------------------- */

static herald_status host_set_command_output(herald_facts *x, herald_string output, const int32_t *exit_code,
                                             bool interrupted)
{
    herald_status st = fact_belongs(x, IN_RESULT);
    st = st ? st : fact_text_ok(output, LIMIT_TEXT);
    if (!st) {
        x->facts->output_stated = true;
        x->facts->output = fact_keep(x, output);
        x->facts->exit_known = exit_code != NULL;
        x->facts->exit_code = exit_code ? *exit_code : 0;
        x->facts->interrupted = interrupted;
    }
    return fact_answer(x, "set_command_output", st);
}

static herald_status host_set_raw_output(herald_facts *x, herald_form form, herald_string text)
{
    str value = STR_ABSENT;
    herald_status st = fact_belongs(x, IN_RESULT);
    st = st ? st : fact_form_ok(form);
    st = st ? st : fact_text_optional(text, LIMIT_TEXT);
    st = st || !text.data ? st : fact_keep_json(x, text, LIMIT_TEXT, &value);
    if (!st) {
        for (enum fact_form i = form_first(form); i <= form_last(form); i++) {
            x->facts->raw_output_stated[i] = true;
            x->facts->raw_output[i] = value;
        }
    }
    return fact_answer(x, "set_raw_output", st);
}

static herald_status host_set_plan_file(herald_facts *x, herald_string path)
{
    herald_status st = fact_belongs(x, IN_RESULT);
    st = st ? st : fact_name_ok(path, HERALD_MAX_PATH);
    st = st ? st : path_is_absolute(str_of_string(path)) ? HERALD_OK : HERALD_E_ARGUMENT;
    if (!st) {
        x->facts->plan_file = fact_keep(x, path);
    }
    return fact_answer(x, "set_plan_file", st);
}

static herald_status host_set_background_task(herald_facts *x, herald_string task_id)
{
    herald_status st = fact_belongs(x, IN_RESULT);
    st = st ? st : fact_name_ok(task_id, LIMIT_TEXT);
    if (!st) {
        x->facts->background_task = fact_keep(x, task_id);
    }
    return fact_answer(x, "set_background_task", st);
}

static herald_status change_ok(const herald_file_change *change)
{
    if (!change || !HERALD_HAS(change, hunks) || change->kind > HERALD_CHANGE_EDITED) {
        return HERALD_E_ARGUMENT;
    }
    herald_status st = fact_name_ok(change->path, HERALD_MAX_PATH);
    st = st ? st : fact_text_optional(change->old_text, LIMIT_TEXT);
    return st ? st : fact_text_optional(change->new_text, LIMIT_TEXT);
}

static herald_status host_set_file_change(herald_facts *x, const herald_file_change *change)
{
    herald_status st = fact_belongs(x, IN_FINISHED);
    st = st ? st : change_ok(change);
    if (!st) {
        static const int kinds[] = {CHANGE_CREATED, CHANGE_UPDATED, CHANGE_EDITED};
        struct fact_file_change *c = &x->facts->change;
        json hunks = json_of_value(change->hunks);
        c->stated = true;
        c->kind = kinds[change->kind];
        c->path = fact_keep(x, change->path);
        c->old_text = change->kind == HERALD_CHANGE_CREATED ? STR_ABSENT : fact_keep(x, change->old_text);
        c->new_text = fact_keep(x, change->new_text);
        /* They are read after the callback, so they must be the call's own. */
        c->hunks = json_is(hunks, JSON_ARRAY) && hunks.doc == x->call->response.doc ? hunks : JSON_NONE;
    }
    return fact_answer(x, "set_file_change", st);
}

/* ---- The task list --------------------------------------------------------------------------------- */

static herald_status task_ok(herald_task_change change, const herald_task *task)
{
    if ((uint32_t)change > HERALD_TASK_RELIST) {
        return HERALD_E_ARGUMENT;
    }
    if (change == HERALD_TASK_CLEAR || change == HERALD_TASK_RELIST) {
        return HERALD_OK; /* the task is not looked at */
    }
    if (!task || !HERALD_HAS(task, reserved) || task->status < -1 || task->status > HERALD_PLAN_COMPLETED) {
        return HERALD_E_ARGUMENT;
    }
    herald_status st = fact_name_ok(task->id, LIMIT_TEXT);
    st = st ? st : fact_text_optional(task->subject, LIMIT_TEXT);
    st = st ? st : fact_text_optional(task->active_form, LIMIT_TEXT);
    return st ? st : fact_text_optional(task->description, LIMIT_TEXT);
}

static herald_status host_change_task(herald_facts *x, herald_task_change change, const herald_task *task)
{
    herald_status st = fact_belongs(x, IN_RESULT | OF_PLAN);
    st = st ? st : task_ok(change, task);
    st = st ? st : fact_room(x, LIST_TASK_CHANGES, 1);
    struct fact_task_change *item = st ? NULL : arena_alloc(x->facts->arena, sizeof(*item));
    if (item) {
        static const int changes[] = {TASK_PUT, TASK_MERGE, TASK_REMOVE, TASK_CLEAR, TASK_RELIST};
        *item = (struct fact_task_change){.status = -1};
        item->change = changes[change];
        if (change < HERALD_TASK_CLEAR) {
            item->id = fact_keep(x, task->id);
            item->subject = fact_keep(x, task->subject);
            item->active_form = fact_keep(x, task->active_form);
            item->description = fact_keep(x, task->description);
            item->status = task->status;
        }
        *(x->facts->last_task_change ? &x->facts->last_task_change->next : &x->facts->task_changes) = item;
        x->facts->last_task_change = item;
        x->facts->publish_tasks = true;
        x->counts[LIST_TASK_CHANGES]++;
    }
    return fact_answer(x, "change_task", st);
}

static herald_status host_publish_tasks(herald_facts *x)
{
    herald_status st = fact_belongs(x, IN_RESULT | OF_PLAN);
    if (!st) {
        x->facts->publish_tasks = true;
    }
    return fact_answer(x, "publish_tasks", st);
}

void host_functions_result(herald_host *table)
{
    table->set_content = host_set_content;
    table->add_text = host_add_text;
    table->add_image = host_add_image;
    table->add_block = host_add_block;
    table->add_result = host_add_result;
    table->set_command_output = host_set_command_output;
    table->set_raw_output = host_set_raw_output;
    table->set_plan_file = host_set_plan_file;
    table->set_background_task = host_set_background_task;
    table->change_task = host_change_task;
    table->publish_tasks = host_publish_tasks;
    table->set_file_change = host_set_file_change;
}
