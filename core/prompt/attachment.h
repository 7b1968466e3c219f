/* What an embedded file or image of a prompt is to the model: a text, an image, a document, or nothing that
 * it can take.
 *
 * What clients say of a file's type is often missing, vague or wrong, so the data counts too: of images and
 * PDF by how they begin, of everything else by whether it is text. */
#ifndef HERALD_PROMPT_ATTACHMENT_H
#define HERALD_PROMPT_ATTACHMENT_H

#include "base/str.h"

enum {
    ATTACHMENT_MAX = 32 * 1024 * 1024, /* bytes of base64; the model's service takes no larger request */
};

enum attachment_kind {
    ATTACHMENT_REFUSED,
    ATTACHMENT_TEXT,
    ATTACHMENT_IMAGE,
    ATTACHMENT_DOCUMENT,
};

struct attachment {
    enum attachment_kind kind;
    const char *media_type; /* of an image or a document: what it really is */
    const char *why;        /* REFUSED: what is wrong with it, as the end of a sentence */
};

/* What a client hands over. Any text may be absent. */
struct attachment_source {
    str data; /* base64 */
    str mime_type;
    str uri;
    bool image; /* it is said to be an image */
};

struct attachment attachment_of(const struct attachment_source *source);

#endif
