#include "base/state_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/path.h"

enum { KEEP_SECONDS = 365 * 24 * 3600 };

static str path_of(struct arena *a, str folder, str name)
{
    return folder.n && name.n ? path_join(a, folder, name) : STR_ABSENT;
}

bool state_file_read(struct buf *out, str folder, str name, size_t max)
{
    AUTO_ARENA(mem);
    str path = path_of(&mem, folder, name);
    int fd = path.p ? open(path.p, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    struct stat st;
    if (fd < 0) {
        return false;
    }
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0 && (size_t)st.st_size <= max &&
              buf_reserve(out, (size_t)st.st_size);
    for (size_t left = ok ? (size_t)st.st_size : 0; left;) {
        ssize_t n = read(fd, out->p + out->n, left);
        if (n <= 0) {
            break; /* it was cut meanwhile */
        }
        out->n += (size_t)n;
        left -= (size_t)n;
    }
    (void)close(fd);
    return ok;
}

static bool write_whole(const char *path, str text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return false;
    }
    bool whole = write(fd, text.p, text.n) == (ssize_t)text.n;
    return close(fd) == 0 && whole;
}

int state_file_write(str folder, str name, str text)
{
    AUTO_ARENA(mem);
    str path = path_of(&mem, folder, name);
    str draft = path.p ? arena_printf(&mem, "%s.%ld", path.p, (long)getpid()) : STR_ABSENT;
    char *folders = str_dup(folder);
    int error = draft.p && folders ? 0 : ENOMEM;
    if (!error) {
        path_make_folders(folders);
        errno = 0;
        if (!write_whole(draft.p, text) || rename(draft.p, path.p) != 0) {
            error = errno ? errno : EIO;
            (void)unlink(draft.p);
        }
    }
    free(folders);
    return error;
}

void state_file_remove(str folder, str name)
{
    AUTO_ARENA(mem);
    str path = path_of(&mem, folder, name);
    if (path.p) {
        (void)unlink(path.p);
    }
}

void state_file_touch(str folder, str name)
{
    AUTO_ARENA(mem);
    str path = path_of(&mem, folder, name);
    if (path.p) {
        (void)utimensat(AT_FDCWD, path.p, NULL, AT_SYMLINK_NOFOLLOW);
    }
}

void state_folder_sweep(str folder)
{
    AUTO_ARENA(mem);
    str path = arena_str(&mem, folder);
    DIR *dir = path.p ? opendir(path.p) : NULL;
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
        (void)closedir(dir);
    }
}
