/* Changes inputs by the line and by the JSON value, so that most of what is tried still is JSON: half of the
 * time; the other half is libFuzzer's own. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

static const char *const values[] = {
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1e308",
    "9007199254740993",
    "\"\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "[]",
    "{}",
    "[{}]",
    "[[]]",
    "\"Bash\"",
    "\"Edit\"",
    "\"Write\"",
    "\"TodoWrite\"",
    "\"TaskUpdate\"",
    "\"mcp__s__t\"",
    "\"/\"",
    "\"..\"",
    "\"t1\"",
    "{\"type\":\"text\",\"text\":\"a\"}",
    "\"```\"",
};

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

struct span {
    size_t at, n;
};

/* Replaces a span by other bytes; the new size, or the old one when it does not fit. */
static size_t splice(uint8_t *data, size_t size, size_t max, struct span old, const void *with, size_t n)
{
    if (size - old.n + n > max) {
        return size;
    }
    memmove(data + old.at + n, data + old.at + old.n, size - old.at - old.n);
    memcpy(data + old.at, with, n);
    return size - old.n + n;
}

/* A line with its line break. */
static struct span pick_line(const uint8_t *data, size_t size, uint32_t *state)
{
    size_t at = size ? next(state) % size : 0, end;
    while (at > 0 && data[at - 1] != '\n') {
        at--;
    }
    for (end = at; end < size && data[end] != '\n'; end++) {
    }
    return (struct span){at, (end < size ? end + 1 : end) - at};
}

/* The JSON value that begins behind a byte of this place; an empty span when none is found. */
static struct span pick_value(const uint8_t *data, size_t size, uint32_t *state)
{
    size_t at = size ? next(state) % size : 0;
    while (at < size && data[at] != ':' && data[at] != '[' && data[at] != '\n') {
        at++;
    }
    if (at >= size || data[at] == '\n') {
        return (struct span){0, 0};
    }
    size_t from = ++at, depth = 0;
    int in_string = 0;
    for (; at < size && data[at] != '\n'; at++) {
        uint8_t c = data[at];
        if (in_string) {
            at += c == '\\';
            in_string = c != '"';
        } else if (c == '"') {
            in_string = 1;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']' || c == ',') {
            if (!depth) {
                break;
            }
            depth -= c != ',';
        }
    }
    at = at < size ? at : size;
    return (struct span){from, at - from};
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    enum { PIECE_MAX = 64 * 1024 };
    static uint8_t piece[PIECE_MAX];
    uint32_t state = seed;
    unsigned what = next(&state) % 8;
    if (what < 4 || size < 2) {
        return LLVMFuzzerMutate(data, size, max);
    }
    if (what == 4) { /* a line is gone */
        struct span line = pick_line(data, size, &state);
        return line.n < size ? splice(data, size, max, line, "", 0) : size;
    }
    if (what == 5) { /* a line comes again elsewhere */
        struct span line = pick_line(data, size, &state), to = pick_line(data, size, &state);
        if (line.n > PIECE_MAX) {
            return size;
        }
        memcpy(piece, data + line.at, line.n);
        return splice(data, size, max, (struct span){to.at, 0}, piece, line.n);
    }
    struct span value = pick_value(data, size, &state);
    if (!value.n) {
        return LLVMFuzzerMutate(data, size, max);
    }
    if (what == 6) { /* a value from elsewhere */
        struct span other = pick_value(data, size, &state);
        if (!other.n || other.n > PIECE_MAX) {
            return size;
        }
        memcpy(piece, data + other.at, other.n);
        return splice(data, size, max, value, piece, other.n);
    }
    const char *with = values[next(&state) % (sizeof(values) / sizeof(values[0]))];
    return splice(data, size, max, value, with, strlen(with));
}
