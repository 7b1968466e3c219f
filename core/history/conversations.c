#include "history/conversations.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/path.h"
#include "base/uuid.h"

enum { KEEP_SECONDS = 365 * 24 * 3600 };

static str folder_of(struct arena *a, str state)
{
    return state.n ? path_join(a, state, STR("conversations")) : STR_ABSENT;
}

static str file_of(struct arena *a, str state, str session)
{
    str folder = folder_of(a, state);
    return folder.p && uuid_valid(session) ? path_join(a, folder, session) : STR_ABSENT;
}

str conversations_find(struct arena *a, str state, str session)
{
    str path = file_of(a, state, session);
    int fd = path.p ? open(path.p, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    char text[UUID_LENGTH];
    if (fd < 0) {
        return STR_ABSENT;
    }
    ssize_t n = read(fd, text, sizeof(text));
    close(fd);
    str id = {text, n > 0 ? (size_t)n : 0};
    return uuid_valid(id) ? arena_str(a, id) : STR_ABSENT;
}

void conversations_forget(str state, str session)
{
    AUTO_ARENA(mem);
    str path = file_of(&mem, state, session);
    if (path.p) {
        (void)unlink(path.p);
    }
}

/* ---- Noting ---- */

struct note {
    uv_work_t work;
    const struct log *log;
    struct arena mem;
    str state, session, conversation;
    int error;
};

static void remove_old(str folder)
{
    DIR *dir = opendir(folder.p);
    time_t now = time(NULL);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        struct stat st;
        if (entry->d_name[0] != '.' && fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode) && now - st.st_mtime > KEEP_SECONDS) {
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static bool write_file(const char *path, str conversation)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return false;
    }
    bool whole =
        write(fd, conversation.p, conversation.n) == (ssize_t)conversation.n && write(fd, "\n", 1) == 1;
    return close(fd) == 0 && whole;
}

/* A reader sees the old line or the new one, never a part. */
static void write_note(uv_work_t *work)
{
    struct note *n = CONTAINER_OF(work, struct note, work);
    str path = file_of(&n->mem, n->state, n->session), folder = folder_of(&n->mem, n->state);
    str draft = path.p ? arena_printf(&n->mem, "%s.%ld", path.p, (long)getpid()) : STR_ABSENT;
    char *folders = folder.p ? str_dup(folder) : NULL;
    if (!draft.p || !folders) {
        n->error = ENOMEM;
    } else {
        path_make_folders(folders);
        remove_old(folder);
        if (!write_file(draft.p, n->conversation) || rename(draft.p, path.p) != 0) {
            n->error = errno;
            (void)unlink(draft.p);
        }
    }
    free(folders);
}

static void noted(uv_work_t *work, int status)
{
    struct note *n = CONTAINER_OF(work, struct note, work);
    if (status == 0 && n->error) {
        log_write(n->log, LOG_WARN,
                  "the conversation %.*s of session %.*s could not be noted in %.*s: %s; a later load of the "
                  "session "
                  "opens the one before",
                  STR_ARG(n->conversation), STR_ARG(n->session), STR_ARG(n->state), strerror(n->error));
    }
    arena_free(&n->mem);
    free(n);
}

void conversations_note(uv_loop_t *loop, const struct log *log, str state, str session, str conversation)
{
    struct note *n =
        state.n && uuid_valid(session) && uuid_valid(conversation) ? calloc(1, sizeof(*n)) : NULL;
    if (!n) {
        return;
    }
    n->log = log;
    n->state = arena_str(&n->mem, state);
    n->session = arena_str(&n->mem, session);
    n->conversation = arena_str(&n->mem, conversation);
    if (!arena_ok(&n->mem) || uv_queue_work(loop, &n->work, write_note, noted) != 0) {
        arena_free(&n->mem);
        free(n);
    }
}
