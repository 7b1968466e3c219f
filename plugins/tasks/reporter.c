/* TaskCreate, TaskUpdate, TaskList and TaskGet: the session's task list, which is shown as its plan.
 *
 * What the tool answered is read from the structured result first and then from the text, which comes in one
 * piece or in text blocks. An answer in neither form is unknown: an update is then taken from its input, a
 * list is left alone. */
#include <herald/reporter.h>
#include <herald/text.h>

static const herald_string nothing = {NULL, 0};

static herald_string input_text(const herald_call *call, herald_string name)
{
    return herald_member_text(call->host, call->input, name);
}

/* ---- Use -------------------------------------------------------------------------------------------- */

static void set_title(const herald_call *call, herald_facts *facts, herald_string verb)
{
    const herald_host *h = call->host;
    herald_string subject = input_text(call, HERALD_STRING("subject"));
    herald_text title = herald_text_begin(h, facts);
    herald_text_add(&title, verb);
    if (subject.size) {
        herald_text_add(&title, HERALD_STRING(": "));
        herald_text_add(&title, subject);
    }
    h->set_title(facts, HERALD_BOTH, herald_text_end(&title));
    h->set_kind(facts, HERALD_BOTH, HERALD_KIND_THINK);
}

static herald_status use_create(const herald_call *call, herald_facts *facts)
{
    set_title(call, facts, HERALD_STRING("Create task"));
    return HERALD_OK;
}

static herald_status use_update(const herald_call *call, herald_facts *facts)
{
    set_title(call, facts, HERALD_STRING("Update task"));
    return HERALD_OK;
}

static herald_status use_list(const herald_call *call, herald_facts *facts)
{
    call->host->set_title(facts, HERALD_BOTH, HERALD_STRING("List tasks"));
    call->host->set_kind(facts, HERALD_BOTH, HERALD_KIND_THINK);
    return HERALD_OK;
}

static herald_status use_get(const herald_call *call, herald_facts *facts)
{
    call->host->set_title(facts, HERALD_BOTH, HERALD_STRING("Get task"));
    call->host->set_kind(facts, HERALD_BOTH, HERALD_KIND_THINK);
    return HERALD_OK;
}

/* ---- Texts of an answer ----------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static herald_string trimmed(herald_string s)
{
    while (s.size && is_blank(s.data[s.size - 1])) {
        s.size--;
    }
    while (s.size && is_blank(*s.data)) {
        s.data++;
        s.size--;
    }
    return s;
}

/* Takes `literal` off the front of `s`. */
static bool take(herald_string *s, herald_string literal)
{
    if (!herald_string_starts(*s, literal)) {
        return false;
    }
    s->data += literal.size;
    s->size -= literal.size;
    return true;
}

/* Takes characters that are not white space off the front; false when there are none. */
static bool take_word(herald_string *s, herald_string *word)
{
    size_t n = 0;
    while (n < s->size && !is_blank(s->data[n])) {
        n++;
    }
    *word = (herald_string){s->data, n};
    s->data += n;
    s->size -= n;
    return n > 0;
}

/* Calls `read` with each text of the answer, trimmed, until one returns true. */
typedef bool (*text_reader)(herald_string text, void *into);
static bool read_texts(const herald_call *call, herald_value from, text_reader read, void *into)
{
    const herald_host *h = call->host;
    uint64_t cursor = 0;
    herald_value block;
    if (h->type(from) == HERALD_TEXT) {
        return read(trimmed(h->text(from)), into);
    }
    if (h->type(from) != HERALD_ARRAY) {
        return false;
    }
    while (h->next(from, &cursor, NULL, &block)) {
        herald_string text = herald_member_text(h, block, HERALD_STRING("text"));
        herald_string type = herald_member_text(h, block, HERALD_STRING("type"));
        if (text.data && herald_string_equal(type, HERALD_STRING("text")) && read(trimmed(text), into)) {
            return true;
        }
    }
    return false;
}

/* In the structured result, else in the text. */
static bool read_answer(const herald_call *call, text_reader read, void *into)
{
    return read_texts(call, call->structured, read, into) || read_texts(call, call->result, read, into);
}

/* ---- TaskCreate ------------------------------------------------------------------------------------- */

struct created {
    herald_string id, subject, description;
};

/* "Task #3 created successfully: Run the tests" */
static bool read_created_text(herald_string text, void *into)
{
    struct created *c = into;
    herald_string id;
    if (!take(&text, HERALD_STRING("Task #")) || !take_word(&text, &id) ||
        !take(&text, HERALD_STRING(" created successfully: ")) || !text.size ||
        memchr(text.data, '\n', text.size)) {
        return false;
    }
    c->id = id;
    c->subject = text;
    return true;
}

static void read_created(const herald_call *call, struct created *c)
{
    const herald_host *h = call->host;
    herald_value task = h->member(call->structured, HERALD_STRING("task"));
    c->id = herald_member_text(h, task, HERALD_STRING("id"));
    if (c->id.data) {
        c->subject = herald_member_text(h, task, HERALD_STRING("subject"));
        c->description = herald_member_text(h, task, HERALD_STRING("description"));
    } else {
        read_answer(call, read_created_text, c);
    }
}

static herald_status created(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    struct created c = {nothing, nothing, nothing};
    herald_task task = {.struct_size = sizeof(task),
                        .subject = input_text(call, HERALD_STRING("subject")),
                        .active_form = input_text(call, HERALD_STRING("activeForm")),
                        .description = input_text(call, HERALD_STRING("description")),
                        .status = HERALD_PLAN_PENDING};
    if (call->is_error) {
        return HERALD_GENERAL;
    }
    read_created(call, &c);
    task.id = c.id;
    task.subject = task.subject.size ? task.subject : c.subject;
    task.description = task.description.data ? task.description : c.description;
    if (task.id.size && task.subject.size) {
        h->change_task(facts, HERALD_TASK_PUT, &task);
    }
    return h->publish_tasks(facts);
}

/* ---- TaskUpdate ------------------------------------------------------------------------------------- */

static int32_t status_of(herald_string s)
{
    if (herald_string_equal(s, HERALD_STRING("pending"))) {
        return HERALD_PLAN_PENDING;
    }
    if (herald_string_equal(s, HERALD_STRING("in_progress"))) {
        return HERALD_PLAN_IN_PROGRESS;
    }
    return herald_string_equal(s, HERALD_STRING("completed")) ? HERALD_PLAN_COMPLETED : -1;
}

/* "Task #3 not found", "Failed to delete task" */
static bool read_update_failure(herald_string text, void *into)
{
    herald_string id;
    (void)into;
    if (herald_string_equal(text, HERALD_STRING("Failed to delete task"))) {
        return true;
    }
    return take(&text, HERALD_STRING("Task #")) && take_word(&text, &id) &&
           herald_string_equal(text, HERALD_STRING(" not found"));
}

static bool is_list_of_texts(const herald_host *h, herald_value list)
{
    uint64_t cursor = 0;
    herald_value item;
    if (h->type(list) != HERALD_ARRAY) {
        return false;
    }
    while (h->next(list, &cursor, NULL, &item)) {
        if (h->type(item) != HERALD_TEXT) {
            return false;
        }
    }
    return true;
}

/* True unless the answer says that the update did not happen, or happened to another task. */
static bool is_updated(const herald_call *call, herald_string id)
{
    const herald_host *h = call->host;
    herald_value success = h->member(call->structured, HERALD_STRING("success"));
    herald_string answered = herald_member_text(h, call->structured, HERALD_STRING("taskId"));
    herald_value fields = h->member(call->structured, HERALD_STRING("updatedFields"));
    if (h->type(success) == HERALD_BOOLEAN && answered.data && is_list_of_texts(h, fields)) {
        return h->is_true(success) && herald_string_equal(answered, id);
    }
    return !read_answer(call, read_update_failure, NULL);
}

static herald_status updated(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string status = input_text(call, HERALD_STRING("status"));
    herald_task task = {.struct_size = sizeof(task),
                        .id = input_text(call, HERALD_STRING("taskId")),
                        .subject = input_text(call, HERALD_STRING("subject")),
                        .active_form = input_text(call, HERALD_STRING("activeForm")),
                        .description = input_text(call, HERALD_STRING("description")),
                        .status = status_of(status)};
    if (call->is_error) {
        return HERALD_GENERAL;
    }
    if (!is_updated(call, task.id)) {
        return HERALD_OK;
    }
    if (herald_string_equal(status, HERALD_STRING("deleted"))) {
        h->change_task(facts, HERALD_TASK_REMOVE, &task);
    } else if (task.id.size && (!task.subject.data || task.subject.size)) {
        /* An empty subject would leave an entry without a name. */
        h->change_task(facts, HERALD_TASK_MERGE, &task);
    }
    return h->publish_tasks(facts);
}

/* ---- TaskList --------------------------------------------------------------------------------------- */

static bool read_structured_task(const herald_host *h, herald_value from, herald_task *task)
{
    *task = (herald_task){.struct_size = sizeof(*task),
                          .id = herald_member_text(h, from, HERALD_STRING("id")),
                          .subject = herald_member_text(h, from, HERALD_STRING("subject")),
                          .status = status_of(herald_member_text(h, from, HERALD_STRING("status")))};
    return task->id.data && task->subject.data && task->status >= 0;
}

/* False when the structured result is no list of tasks; nothing is stated then. */
static bool list_structured(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_value tasks = h->member(call->structured, HERALD_STRING("tasks"));
    uint64_t cursor = 0;
    herald_value item;
    herald_task task;
    if (h->type(tasks) != HERALD_ARRAY) {
        return false;
    }
    while (h->next(tasks, &cursor, NULL, &item)) {
        if (!read_structured_task(h, item, &task)) {
            return false;
        }
    }
    h->change_task(facts, HERALD_TASK_RELIST, NULL);
    cursor = 0;
    while (h->next(tasks, &cursor, NULL, &item)) {
        read_structured_task(h, item, &task);
        h->change_task(facts, HERALD_TASK_PUT, &task);
    }
    return true;
}

/* The offset of the last `mark` in `s`; 0 when there is none, or nothing before it. */
static size_t last_mark(herald_string s, herald_string mark)
{
    for (size_t at = s.size; at > 0; at--) {
        if (herald_string_starts((herald_string){s.data + at, s.size - at}, mark)) {
            return at;
        }
    }
    return 0;
}

/* "#2, #3" */
static bool is_dependencies(herald_string s)
{
    for (;;) {
        size_t n = 0;
        while (n < s.size && s.data[n] != ',') {
            if (s.data[n] == ']') {
                return false;
            }
            n++;
        }
        if (n < 2 || s.data[0] != '#') {
            return false;
        }
        s.data += n;
        s.size -= n;
        if (!s.size) {
            return true;
        }
        if (!take(&s, HERALD_STRING(", "))) {
            return false;
        }
    }
}

/* Without " [blocked by #2, #3]" and then " (owner)" at its end. */
static herald_string bare_subject(herald_string s)
{
    static const herald_string blocked = {" [blocked by ", 13}, owner = {" (", 2};
    size_t at = last_mark(s, blocked);
    if (at && herald_string_ends(s, HERALD_STRING("]"))) {
        size_t from = at + blocked.size;
        if (is_dependencies((herald_string){s.data + from, s.size - from - 1})) {
            s.size = at;
        }
    }
    at = last_mark(s, owner);
    if (at && herald_string_ends(s, HERALD_STRING(")"))) {
        size_t from = at + owner.size, length = s.size - from - 1;
        if (!length || (!memchr(s.data + from, '(', length) && !memchr(s.data + from, ')', length))) {
            s.size = at;
        }
    }
    return s;
}

/* "#1 [in_progress] Run the tests (main) [blocked by #2]" */
static bool read_task_line(herald_string line, herald_task *task)
{
    herald_string id, status;
    size_t n = 0;
    if (!take(&line, HERALD_STRING("#")) || !take_word(&line, &id) || !take(&line, HERALD_STRING(" ["))) {
        return false;
    }
    while (n < line.size && line.data[n] != ']') {
        n++;
    }
    status = (herald_string){line.data, n};
    line.data += n;
    line.size -= n;
    if (!take(&line, HERALD_STRING("] ")) || !line.size || status_of(status) < 0) {
        return false;
    }
    *task = (herald_task){.struct_size = sizeof(*task),
                          .id = id,
                          .subject = bare_subject(line),
                          .status = status_of(status)};
    return true;
}

static herald_string next_line(herald_string *rest)
{
    const char *lf = (const char *)memchr(rest->data, '\n', rest->size);
    size_t n = lf ? (size_t)(lf - rest->data) : rest->size;
    herald_string line = {rest->data, n};
    n += lf ? 1 : 0;
    rest->data += n;
    rest->size -= n;
    return line;
}

/* A text whose every line is a task; the text is kept for the second reading. */
static bool read_list_text(herald_string text, void *into)
{
    herald_string rest = text;
    herald_task task;
    if (!herald_string_equal(text, HERALD_STRING("No tasks found"))) {
        if (!text.size) {
            return false;
        }
        while (rest.size) {
            if (!read_task_line(next_line(&rest), &task)) {
                return false;
            }
        }
    }
    *(herald_string *)into = text;
    return true;
}

static bool list_text(const herald_call *call, herald_facts *facts)
{
    const herald_host *h = call->host;
    herald_string text;
    herald_task task;
    if (!read_answer(call, read_list_text, &text)) {
        return false;
    }
    h->change_task(facts, HERALD_TASK_RELIST, NULL);
    while (text.size) {
        if (read_task_line(next_line(&text), &task)) {
            h->change_task(facts, HERALD_TASK_PUT, &task);
        }
    }
    return true;
}

static herald_status listed(const herald_call *call, herald_facts *facts)
{
    if (call->is_error) {
        return HERALD_GENERAL;
    }
    if (list_structured(call, facts) || list_text(call, facts)) {
        call->host->publish_tasks(facts);
    }
    return HERALD_OK;
}

static herald_status got(const herald_call *call, herald_facts *facts)
{
    (void)facts;
    return call->is_error ? HERALD_GENERAL : HERALD_OK;
}

static const char *const create_tools[] = {"TaskCreate", NULL};
static const herald_reporter create_reporter = {.struct_size = sizeof(herald_reporter),
                                                .name = "create",
                                                .tools = create_tools,
                                                .presentation = HERALD_SHOW_PLAN,
                                                .use = use_create,
                                                .result = created};
static const char *const update_tools[] = {"TaskUpdate", NULL};
static const herald_reporter update_reporter = {.struct_size = sizeof(herald_reporter),
                                                .name = "update",
                                                .tools = update_tools,
                                                .presentation = HERALD_SHOW_PLAN,
                                                .use = use_update,
                                                .result = updated};
static const char *const list_tools[] = {"TaskList", NULL};
static const herald_reporter list_reporter = {.struct_size = sizeof(herald_reporter),
                                              .name = "list",
                                              .tools = list_tools,
                                              .presentation = HERALD_SHOW_PLAN,
                                              .use = use_list,
                                              .result = listed};
static const char *const get_tools[] = {"TaskGet", NULL};
static const herald_reporter get_reporter = {.struct_size = sizeof(herald_reporter),
                                             .name = "get",
                                             .tools = get_tools,
                                             .presentation = HERALD_SHOW_PLAN,
                                             .use = use_get,
                                             .result = got};

static const herald_reporter *const reporters[] = {&create_reporter, &update_reporter, &list_reporter,
                                                   &get_reporter, NULL};

HERALD_EXPORT const herald_module herald_reporter_module = {.abi_major = HERALD_ABI_MAJOR,
                                                            .abi_minor = HERALD_ABI_MINOR,
                                                            .struct_size = sizeof(herald_module),
                                                            .id = "org.herald-acp.tasks",
                                                            .version = "1.0",
                                                            .license = "Apache-2.0",
                                                            .reporters = reporters};
