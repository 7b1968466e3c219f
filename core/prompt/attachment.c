#include "prompt/attachment.h"

#include "base/base64.h"
#include "base/utf8.h"

enum {
    HEAD_DIGITS = 32, /* of base64, from which a file's beginning is known */
    TYPE_MAX = 128,
};

static const struct attachment text = {.kind = ATTACHMENT_TEXT};
static const struct attachment png = {.kind = ATTACHMENT_IMAGE, .media_type = "image/png"};
static const struct attachment jpeg = {.kind = ATTACHMENT_IMAGE, .media_type = "image/jpeg"};
static const struct attachment gif = {.kind = ATTACHMENT_IMAGE, .media_type = "image/gif"};
static const struct attachment webp = {.kind = ATTACHMENT_IMAGE, .media_type = "image/webp"};
static const struct attachment pdf = {.kind = ATTACHMENT_DOCUMENT, .media_type = "application/pdf"};

static struct attachment refused(const char *why)
{
    return (struct attachment){.kind = ATTACHMENT_REFUSED, .why = why};
}

/* ---- Types ---------------------------------------------------------------------------------------- */

/* What a type says; CLAIM_NOTHING: the data must tell. */
enum claim { CLAIM_NOTHING, CLAIM_TEXT, CLAIM_KNOWN, CLAIM_BINARY };

/* The type without its parameters. */
static str bare_type(str mime_type)
{
    return str_trim(str_first(mime_type, str_find_byte(mime_type, ';', 0)));
}

static bool starts_nocase(str s, str prefix)
{
    return s.n >= prefix.n && str_eq_nocase(str_first(s, prefix.n), prefix);
}

static bool ends_nocase(str s, str end)
{
    return s.n >= end.n && str_eq_nocase(str_from(s, s.n - end.n), end);
}

struct known_type {
    str name;
    const struct attachment *what;
};

static const struct known_type known_types[] = {
    {STR_INIT("image/png"), &png},         {STR_INIT("image/x-png"), &png},
    {STR_INIT("image/jpeg"), &jpeg},       {STR_INIT("image/jpg"), &jpeg},
    {STR_INIT("image/pjpeg"), &jpeg},      {STR_INIT("image/gif"), &gif},
    {STR_INIT("image/webp"), &webp},       {STR_INIT("application/pdf"), &pdf},
    {STR_INIT("application/x-pdf"), &pdf}, {STR_INIT("application/acrobat"), &pdf},
    {STR_INIT("text/pdf"), &pdf},
};

static const struct known_type known_names[] = {
    {STR_INIT(".png"), &png}, {STR_INIT(".jpg"), &jpeg},  {STR_INIT(".jpeg"), &jpeg},
    {STR_INIT(".gif"), &gif}, {STR_INIT(".webp"), &webp}, {STR_INIT(".pdf"), &pdf},
};

/* Binary formats whose data could pass for text when there is little of it. */
static const str binary_types[] = {
    STR_INIT("audio/"),
    STR_INIT("video/"),
    STR_INIT("font/"),
    STR_INIT("image/"),
    STR_INIT("application/zip"),
    STR_INIT("application/x-zip"),
    STR_INIT("application/gzip"),
    STR_INIT("application/x-gzip"),
    STR_INIT("application/x-tar"),
    STR_INIT("application/x-gtar"),
    STR_INIT("application/x-bzip"),
    STR_INIT("application/x-xz"),
    STR_INIT("application/zstd"),
    STR_INIT("application/x-7z"),
    STR_INIT("application/x-rar"),
    STR_INIT("application/vnd.rar"),
    STR_INIT("application/x-compress"),
    STR_INIT("application/x-lzma"),
    STR_INIT("application/java-archive"),
    STR_INIT("application/x-java-archive"),
    STR_INIT("application/ogg"),
    STR_INIT("application/msword"),
    STR_INIT("application/vnd.ms-excel"),
    STR_INIT("application/vnd.ms-powerpoint"),
    STR_INIT("application/vnd.openxmlformats"),
    STR_INIT("application/vnd.oasis.opendocument"),
    STR_INIT("application/vnd.android.package-archive"),
    STR_INIT("application/vnd.debian.binary-package"),
    STR_INIT("application/x-iso9660-image"),
    STR_INIT("application/x-apple-diskimage"),
    STR_INIT("application/x-msdownload"),
    STR_INIT("application/x-sqlite3"),
    STR_INIT("application/wasm"),
};

static const str binary_names[] = {
    STR_INIT(".zip"),  STR_INIT(".gz"),   STR_INIT(".tgz"),  STR_INIT(".tar"), STR_INIT(".bz2"),
    STR_INIT(".xz"),   STR_INIT(".zst"),  STR_INIT(".7z"),   STR_INIT(".rar"), STR_INIT(".jar"),
    STR_INIT(".mp3"),  STR_INIT(".wav"),  STR_INIT(".ogg"),  STR_INIT(".m4a"), STR_INIT(".flac"),
    STR_INIT(".mp4"),  STR_INIT(".mov"),  STR_INIT(".webm"), STR_INIT(".avi"), STR_INIT(".doc"),
    STR_INIT(".docx"), STR_INIT(".xlsx"), STR_INIT(".pptx"), STR_INIT(".exe"), STR_INIT(".bmp"),
    STR_INIT(".tiff"), STR_INIT(".heic"), STR_INIT(".avif"), STR_INIT(".ico"),
};

static const struct attachment *known_type(str type)
{
    for (size_t i = 0; i < ARRAY_LEN(known_types); i++) {
        if (str_eq_nocase(type, known_types[i].name)) {
            return known_types[i].what;
        }
    }
    return NULL;
}

static enum claim claim_of(str type)
{
    if (!type.n || type.n > TYPE_MAX || str_eq_nocase(type, STR("application/octet-stream")) ||
        str_eq_nocase(type, STR("binary/octet-stream")) || str_eq_nocase(type, STR("image/*"))) {
        return CLAIM_NOTHING;
    }
    if (known_type(type)) {
        return CLAIM_KNOWN;
    }
    if (starts_nocase(type, STR("text/")) || str_eq_nocase(type, STR("image/svg+xml")) ||
        str_eq_nocase(type, STR("image/svg")) || ends_nocase(type, STR("+json")) ||
        ends_nocase(type, STR("+xml")) || ends_nocase(type, STR("+yaml"))) {
        return CLAIM_TEXT;
    }
    for (size_t i = 0; i < ARRAY_LEN(binary_types); i++) {
        if (starts_nocase(type, binary_types[i])) {
            return CLAIM_BINARY;
        }
    }
    if (ends_nocase(type, STR("+zip")) || ends_nocase(type, STR("+gzip"))) {
        return CLAIM_BINARY;
    }
    return CLAIM_NOTHING;
}

/* What the name at the end of an address says, without its query. */
static enum claim claim_of_name(str uri, const struct attachment **what)
{
    uri = str_first(uri, str_find_byte(uri, '#', 0));
    uri = str_first(uri, str_find_byte(uri, '?', 0));
    for (size_t i = 0; i < ARRAY_LEN(known_names); i++) {
        if (ends_nocase(uri, known_names[i].name)) {
            *what = known_names[i].what;
            return CLAIM_KNOWN;
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(binary_names); i++) {
        if (ends_nocase(uri, binary_names[i])) {
            return CLAIM_BINARY;
        }
    }
    return CLAIM_NOTHING;
}

/* ---- Data ----------------------------------------------------------------------------------------- */

/* What begins so; NULL: nothing that is known. */
static const struct attachment *begins_as(str data)
{
    AUTO_BUF(head);
    bool whole = base64_decode(&head, str_first(data, HEAD_DIGITS)); /* it may be cut within a group */
    (void)whole;
    str bytes = buf_str(&head);
    if (str_starts(bytes, STR("%PDF-"))) {
        return &pdf;
    }
    if (str_starts(bytes, STR("\x89PNG\r\n\x1a\n"))) {
        return &png;
    }
    if (str_starts(bytes, STR("\xff\xd8\xff"))) {
        return &jpeg;
    }
    if (str_starts(bytes, STR("GIF87a")) || str_starts(bytes, STR("GIF89a"))) {
        return &gif;
    }
    bool riff = str_starts(bytes, STR("RIFF")) && str_starts(str_from(bytes, 8), STR("WEBP"));
    return riff ? &webp : NULL;
}

/* It is UTF-8; `plain`: and has no control characters that a text does not have. */
static bool is_text(str data, bool plain)
{
    AUTO_BUF(bytes);
    if (!base64_decode(&bytes, data) || !buf_ok(&bytes) || utf8_valid_until(buf_str(&bytes)) != bytes.n) {
        return false;
    }
    for (size_t i = 0; plain && i < bytes.n; i++) {
        unsigned char c = (unsigned char)bytes.p[i];
        if ((c < ' ' && !(c >= '\b' && c <= '\r') && c != 0x1b) || c == 0x7f) {
            return false;
        }
    }
    return true;
}

static bool is_blank(str data)
{
    return str_trim(data).n == 0;
}

/* ---- All together --------------------------------------------------------------------------------- */

static struct attachment nothing_in_it(const struct attachment_source *s, enum claim claim)
{
    const struct attachment *what = NULL;
    if (claim == CLAIM_NOTHING && !s->image) {
        claim = claim_of_name(s->uri, &what);
    }
    bool file = claim == CLAIM_TEXT || (claim == CLAIM_NOTHING && !s->image);
    return file ? text : refused("has no data");
}

struct attachment attachment_of(const struct attachment_source *s)
{
    static const char unfit[] = "cannot be given to Claude, which takes texts, PDF, and PNG, JPEG, GIF and "
                                "WebP images";
    str type = bare_type(s->mime_type);
    enum claim claim = claim_of(type);
    const struct attachment *what = known_type(type);
    if (is_blank(s->data)) {
        return nothing_in_it(s, claim);
    }
    if (s->data.n > ATTACHMENT_MAX) {
        return refused("is too large");
    }
    if (!base64_valid(s->data, NULL)) {
        return refused("has data that is not base64");
    }
    if (claim == CLAIM_TEXT && is_text(s->data, false)) {
        return text;
    }
    const struct attachment *seen = begins_as(s->data);
    if (seen) {
        return *seen;
    }
    if (claim == CLAIM_NOTHING) {
        claim = claim_of_name(s->uri, &what);
    }
    if (claim == CLAIM_KNOWN) {
        return *what;
    }
    if (claim == CLAIM_TEXT) {
        return refused("is said to be text and is not UTF-8");
    }
    bool may_be_text = claim == CLAIM_NOTHING && !s->image;
    return may_be_text && is_text(s->data, true) ? text : refused(unfit);
}
