#include "history/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/path.h"

void writers_init(struct writers *w, const struct log *log, const char *state)
{
    *w = (struct writers){.log = log, .state = state, .file = -1};
}

void writers_free(struct writers *w)
{
    map_free(&w->sessions, NULL);
    if (w->file >= 0) {
        (void)close(w->file);
        w->file = -1;
    }
}

/* ---- Locks ---- */

static void open_file(struct writers *w)
{
    AUTO_ARENA(mem);
    str path = path_join(&mem, str_of(w->state), STR("open-conversations"));
    char *folder = str_dup(str_of(w->state));
    w->tried = true;
    if (path.p && folder) {
        path_make_folders(folder);
        w->file = open(path.p, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    }
    if (w->file < 0) {
        log_write(w->log, LOG_INFO, "conversations are not locked against other processes: %s",
                  strerror(errno));
    }
    free(folder);
}

/* Two ids on one byte would only make a session wait for one that it need not wait for. */
static struct flock place_of(str conversation, short type)
{
    return (struct flock){
        .l_type = type,
        .l_whence = SEEK_SET,
        .l_start = (off_t)(XXH3_64bits(conversation.p, conversation.n) >> 2),
        .l_len = 1,
    };
}

bool writers_lock(struct writers *w, str conversation, pid_t *holder)
{
    struct flock lock = place_of(conversation, F_WRLCK);
    *holder = 0;
    if (!w->state) {
        return true;
    }
    if (!w->tried) {
        open_file(w);
    }
    if (w->file < 0 || fcntl(w->file, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN)) {
        return true;
    }
    lock = place_of(conversation, F_WRLCK);
    if (fcntl(w->file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) {
        *holder = lock.l_pid;
    }
    return false;
}

void writers_unlock(struct writers *w, str conversation)
{
    struct flock lock = place_of(conversation, F_UNLCK);
    if (w->file >= 0 && !writers_of(w, conversation)) {
        (void)fcntl(w->file, F_SETLK, &lock);
    }
}

/* ---- Sessions ---- */

void *writers_of(const struct writers *w, str conversation)
{
    return map_get(&w->sessions, conversation);
}

void writers_enter(struct writers *w, str conversation, void *session)
{
    pid_t holder;
    if (!writers_of(w, conversation) && map_put(&w->sessions, conversation, session, NULL)) {
        (void)writers_lock(w, conversation, &holder);
    }
}

void writers_leave(struct writers *w, str conversation, const void *session)
{
    if (writers_of(w, conversation) == session) {
        map_remove(&w->sessions, conversation);
        writers_unlock(w, conversation);
    }
}
