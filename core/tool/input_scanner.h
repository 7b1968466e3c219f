/* A tool's input while it streams in.
 *
 * The text is kept and scanned once, byte by byte. Whenever a fragment brings a comma between two members
 * of the outermost object, the members before the last such comma are complete: with a closing brace they
 * are a JSON text. The value of the last key is thus never seen half-written, and nothing is parsed
 * between commas. The owner keeps one scanner for each open block and drops it at the block's end. */
#ifndef HERALD_TOOL_INPUT_SCANNER_H
#define HERALD_TOOL_INPUT_SCANNER_H

#include <stdint.h>

#include "base/str.h"

enum {
    INPUT_SCANNER_MAX = 64 << 20,     /* a longer input is no longer followed */
    INPUT_SCANNER_WORK_MAX = 4 << 26, /* bytes of partial texts handed out in all */
};

struct input_scanner {
    struct buf text;
    size_t comma;          /* the offset of the last comma at the top; 0: none */
    size_t reported;       /* the one that was last handed out */
    size_t work;           /* bytes handed out so far */
    int64_t depth, arrays; /* open braces, open brackets */
    bool in_string, escaped;
    bool done; /* complete or given up: the rest is ignored */
};
#define INPUT_SCANNER_INIT ((struct input_scanner){0})
void input_scanner_free(struct input_scanner *s);

enum input_scan {
    SCAN_NONE,     /* nothing new */
    SCAN_PARTIAL,  /* `json` holds the complete members so far as an object's text */
    SCAN_COMPLETE, /* the input has ended; nothing more will come from this scanner */
};
/* Takes the next fragment. `json` is emptied; its content need not be valid JSON when the input is not. */
enum input_scan input_scanner_feed(struct input_scanner *s, str fragment, struct buf *json);

#endif
