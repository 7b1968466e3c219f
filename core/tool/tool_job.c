#include "tool/tool_job.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/path.h"
#include "tool/tool_host.h"

void tool_job_begin(struct tool_job *job, struct tool_calls *tc, const struct tool_call *call, json input)
{
    const struct tool_host *h = tc->host;
    *job = (struct tool_job){.host = h, .calls = tc, .plan_found = -1, .skill_found = -1};
    job->key = arena_str(&job->mem, str_of(call->key));
    job->call = (struct render_call){
        .id = arena_str(&job->mem, tool_call_told_id(call)),
        .name = arena_str(&job->mem, str_of(call->name)),
        .parent = arena_str(&job->mem, str_of(call->parent)),
        .input = input,
    };
    job->cx = (struct render_context){
        .client = h->client,
        .cwd = h->cwd,
        .replay = tc->replay,
    };
    job->rcall = (struct reporter_call){
        .tool = job->call.name,
        .id = job->call.id,
        .cwd = job->cx.cwd,
        .home = str_of(h->dirs->home),
        .process_cwd = str_of(h->dirs->cwd),
        .replay = tc->replay,
        .input_state = INPUT_COMPLETE,
        .input = input,
    };
}

void tool_job_end(struct tool_job *job)
{
    file_source_free(&job->source);
    for (size_t i = 0; i < ARRAY_LEN(job->docs); i++) {
        json_unref(job->docs[i]);
    }
    arena_free(&job->mem);
}

/* ---- What the disk is asked ---- */

/* A path that the system can be asked about: none with a NUL in it. */
static bool is_askable(str path)
{
    return path.n && str_find_byte(path, '\0', 0) == SIZE_MAX;
}

void tool_job_want_plan_file(struct tool_job *job, str path)
{
    if (!job->cx.client->air_plan_file || !path_is_absolute(path) || !is_askable(path)) {
        return;
    }
    for (size_t i = 0; i < TOOL_JOB_PLAN_FILES; i++) {
        if (!job->plan_files[i].p) {
            job->plan_files[i] = arena_str(&job->mem, path);
            return;
        }
    }
}

/* A part of a skill's name that is the name of one folder. */
static bool is_folder_name(str name)
{
    return is_askable(name) && !str_has(name, STR("/")) && !str_is(name, ".") && !str_is(name, "..");
}

static str skill_file(struct arena *a, str root, const char *folder, str name)
{
    return arena_printf(a, "%.*s%s%.*s/SKILL.md", STR_ARG(root), folder, STR_ARG(name));
}

/* Where the file of "name" or "scope:name" can be, the first place first. */
static void want_skill(struct tool_job *job, str skill)
{
    str name = skill, scope = STR_ABSENT, cwd = job->cx.cwd, home = job->rcall.home;
    size_t colon = str_find_byte(skill, ':', 0);
    if (colon != SIZE_MAX) {
        scope = str_first(skill, colon);
        name = str_from(skill, colon + 1);
    }
    if (!job->cx.client->air || !cwd.n || !is_folder_name(name)) {
        return;
    }
    struct arena *a = &job->mem;
    str *at = job->skill_places;
    if (is_folder_name(scope)) {
        str package = arena_printf(a, "%.*s/%.*s", STR_ARG(cwd), STR_ARG(scope));
        str plugin = arena_printf(a, "%.*s/.claude/plugins/%.*s", STR_ARG(cwd), STR_ARG(scope));
        *at++ = skill_file(a, package, "/.claude/skills/", name);
        *at++ = skill_file(a, package, "/.agents/skills/", name);
        *at++ = skill_file(a, plugin, "/skills/", name);
    }
    str roots[] = {cwd, home};
    for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
        if (roots[i].n) {
            *at++ = skill_file(a, roots[i], "/.claude/skills/", name);
            *at++ = skill_file(a, roots[i], "/.agents/skills/", name);
        }
    }
}

void tool_job_want_use_files(struct tool_job *job)
{
    if (job->use.plan_path_key.p) {
        tool_job_want_plan_file(job, json_str(json_get_str(job->call.input, job->use.plan_path_key)));
    }
    want_skill(job, job->use.skill);
}

str tool_job_resolve(struct tool_job *job, str path)
{
    return path_is_absolute(path) ? arena_str(&job->mem, path) : path_resolve(&job->mem, job->cx.cwd, path);
}

void tool_job_read_use(struct tool_job *job, const struct reporter *reporter)
{
    facts_begin(&job->use, &job->mem, PHASE_USE);
    reporter_use(*job->host->reporters, reporter, &job->rcall, &job->use);
}

void tool_job_note_use(struct tool_job *job, struct tool_call *call)
{
    call->command = job->use.command;
    job->shown.undescribed = call->described && !job->use.command_title.n;
    call->described = job->use.command_title.n > 0;
}

/* ---- The disk ---- */

static int first_file(const str *paths, int n)
{
    struct stat st;
    for (int i = 0; i < n; i++) {
        if (paths[i].p && stat(paths[i].p, &st) == 0 && S_ISREG(st.st_mode)) {
            return i;
        }
    }
    return -1;
}

static bool asks_disk(const struct tool_job *job)
{
    bool asks = job->plan_files[0].p || job->source_path.p;
    for (size_t i = 0; i < TOOL_JOB_SKILL_PLACES; i++) {
        asks = asks || job->skill_places[i].p;
    }
    return asks;
}

/* On a worker thread, but for a replay. */
static void ask_disk(struct tool_job *job)
{
    job->plan_found = first_file(job->plan_files, TOOL_JOB_PLAN_FILES);
    job->skill_found = first_file(job->skill_places, TOOL_JOB_SKILL_PLACES);
    if (job->source_path.p) {
        if (is_askable(job->source_path)) {
            read_file_source(job->source_path.p, &job->source);
        } else {
            job->source.state = SOURCE_UNUSABLE;
        }
        job->source_read = true;
    }
}

static void work(uv_work_t *request)
{
    ask_disk(CONTAINER_OF(request, struct tool_job, work));
}

static void finish(struct tool_job *job)
{
    job->cx.arena = job->use.arena = job->facts.arena = &job->mem; /* the job may have moved */
    if (job->plan_found >= 0) {
        job->cx.plan_file = job->plan_files[job->plan_found];
    }
    if (job->skill_found >= 0) {
        job->cx.skill_path = job->skill_places[job->skill_found];
    }
    job->finish(job);
    if (!arena_ok(&job->mem)) {
        log_write(job->host->log, LOG_ERROR, "out of memory: a report of a tool call was dropped");
    }
}

static void worked(uv_work_t *request, int status)
{
    struct tool_job *job = CONTAINER_OF(request, struct tool_job, work);
    const struct tool_host *h = job->host;
    (void)status;
    if (h->calls->alive(h->user)) {
        finish(job);
    } else if (job->ready) {
        job->ready(job->user, NULL);
    } else if (job->shown_cb) {
        job->shown_cb(job->user);
    }
    tool_job_end(job);
    free(job);
    h->calls->release(h->user);
}

static struct json_doc *keep(json v)
{
    return v.doc ? json_ref(json_doc_of(v)) : NULL;
}

void tool_job_run(struct tool_job *job)
{
    struct tool_job *kept = NULL;
    if (job->calls->replay) {
        ask_disk(job);
    } else if (asks_disk(job)) {
        kept = malloc(sizeof(*kept));
    }
    if (!kept) {
        finish(job);
        tool_job_end(job);
        return;
    }
    *kept = *job;
    kept->docs[0] = keep(kept->call.input);
    kept->docs[1] = keep(kept->message);
    kept->host->calls->hold(kept->host->user);
    if (uv_queue_work(kept->host->loop, &kept->work, work, worked) != 0) {
        worked(&kept->work, UV_ENOMEM);
    }
}

/* ---- Sending ---- */

void tool_calls_send(struct tool_calls *tc, struct tool_report *r)
{
    if (tc->replay || r->untracked || field_tracker_pass(tc->tracker, r)) {
        tc->host->calls->send(tc->host->user, r);
    }
}

void tool_job_send(struct tool_job *job, struct tool_report *r)
{
    if (arena_ok(&job->mem)) {
        r->key = job->key;
        tool_calls_send(job->calls, r);
    }
}
