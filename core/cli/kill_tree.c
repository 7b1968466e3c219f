#include "cli/kill_tree.h"

#include <signal.h>
#include <stdbool.h>

#ifdef __linux__

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All of the processes are looked at once: who is whose parent cannot be asked of the kernel everywhere. */
struct entry {
    int pid, parent, session;
    bool marked;
};

struct table {
    struct entry *entries;
    size_t n, cap;
};

/* Reads /proc/PID/stat. False when the process is gone, or is dead and only waits to be reaped. */
static bool read_entry(const char *pid, struct entry *e)
{
    char path[64], text[512];
    snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t n = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (n <= 0) {
        return false;
    }
    text[n] = '\0';
    const char *behind = strrchr(text, ')'); /* the name of the program may hold anything, brackets too */
    if (!behind || strlen(behind) < 4) {
        return false;
    }
    /* ") STATE PARENT GROUP SESSION …" */
    char state = behind[2], *at;
    e->pid = (int)strtol(pid, NULL, 10);
    e->parent = (int)strtol(behind + 3, &at, 10);
    (void)strtol(at, &at, 10);
    e->session = (int)strtol(at, NULL, 10);
    e->marked = false;
    return state != 'Z' && state != 'X';
}

static void read_table(struct table *t)
{
    t->n = 0;
    DIR *dir = opendir("/proc");
    if (!dir) {
        return;
    }
    for (struct dirent *d; (d = readdir(dir));) {
        struct entry e;
        if (d->d_name[0] < '1' || d->d_name[0] > '9' || !read_entry(d->d_name, &e)) {
            continue;
        }
        if (t->n == t->cap) {
            size_t cap = t->cap ? t->cap * 2 : 256;
            struct entry *more = realloc(t->entries, cap * sizeof(*more));
            if (!more) {
                break; /* the group is killed all the same */
            }
            t->entries = more;
            t->cap = cap;
        }
        t->entries[t->n++] = e;
    }
    closedir(dir);
}

static bool belongs(const struct table *t, const struct entry *e, int leader)
{
    if (e->pid == leader || e->parent == leader || e->session == leader) {
        return true;
    }
    for (size_t i = 0; i < t->n; i++) {
        if (t->entries[i].marked && t->entries[i].pid == e->parent) {
            return true;
        }
    }
    return false;
}

/* Marks the leader's session and descendants; the number of them. */
static size_t mark(struct table *t, int leader)
{
    size_t marked = 0;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < t->n; i++) {
            struct entry *e = &t->entries[i];
            if (!e->marked && belongs(t, e, leader)) {
                e->marked = more = true;
                marked++;
            }
        }
    }
    return marked;
}

/* False when nobody was left to kill. */
static bool kill_round(struct table *t, int leader)
{
    read_table(t);
    size_t marked = mark(t, leader);
    kill(-leader, SIGKILL);
    for (size_t i = 0; marked && i < t->n; i++) {
        if (t->entries[i].marked && t->entries[i].pid != getpid()) {
            kill(t->entries[i].pid, SIGKILL);
        }
    }
    return marked > 0;
}

void kill_tree(int leader)
{
    enum { ROUNDS = 3 }; /* a later one finds what was forked while an earlier one killed */
    struct table t = {0};
    for (int round = 0; round < ROUNDS && kill_round(&t, leader); round++) {
    }
    free(t.entries);
}

#else

void kill_tree(int leader)
{
    kill(-leader, SIGKILL);
}

#endif
