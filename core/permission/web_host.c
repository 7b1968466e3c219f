#include "permission/web_host.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>

enum { HOST_MAX = 253, PORT_MAX = 65535 };

/* Not <ctype.h>, which asks the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char to_lower(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return (char)(c - 'A' + 'a');
    }
    return c;
}

static bool is_host_char(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
}

static const char *const schemes[] = {"http", "https", "ws", "wss", "ftp"};

/* What stands between "scheme://" and the path; absent when the scheme is not one of the web's. */
static str authority_of(str url)
{
    size_t colon = str_find(url, STR("://"), 0);
    if (colon == SIZE_MAX) {
        return STR_ABSENT;
    }
    bool known = false;
    for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
        known = known || str_eq_nocase(str_first(url, colon), str_of(schemes[i]));
    }
    str rest = str_from(url, colon + 3);
    size_t end = 0;
    while (end < rest.n && !strchr("/?#", rest.p[end])) {
        end++; /* a NUL ends it too: strchr finds the terminator */
    }
    return known && (end == rest.n || rest.p[end]) ? str_first(rest, end) : STR_ABSENT;
}

static bool valid_port(str port)
{
    unsigned long n = 0;
    for (size_t i = 0; i < port.n; i++) {
        if (!is_digit(port.p[i]) || n > PORT_MAX) {
            return false;
        }
        n = n * 10 + (unsigned long)(port.p[i] - '0');
    }
    return n <= PORT_MAX;
}

/* The host of an authority; absent when the port is wrong or something needs repair. */
static str bare_host(str authority)
{
    for (size_t i = 0; i < authority.n; i++) {
        unsigned char c = (unsigned char)authority.p[i];
        if (c <= ' ' || c >= 0x7F || c == '\\') {
            return STR_ABSENT;
        }
    }
    size_t at = str_rfind(authority, STR("@"));
    str host = at == SIZE_MAX ? authority : str_from(authority, at + 1);
    size_t end = 0;
    if (host.n && host.p[0] == '[') {
        end = str_find_byte(host, ']', 0);
        end = end == SIZE_MAX ? host.n : end + 1;
    } else {
        end = str_find_byte(host, ':', 0);
        end = end == SIZE_MAX ? host.n : end;
    }
    str port = str_from(host, end);
    if (port.n && (port.p[0] != ':' || !valid_port(str_from(port, 1)))) {
        return STR_ABSENT;
    }
    return str_first(host, end);
}

/* The shortest form: the first longest run of two or more zero groups becomes "::". */
static str ipv6(struct arena *a, str bracketed)
{
    char text[INET6_ADDRSTRLEN];
    unsigned char bytes[16];
    unsigned group[8];
    if (bracketed.n < 4 || bracketed.n - 2 >= sizeof(text) || bracketed.p[bracketed.n - 1] != ']') {
        return STR_ABSENT;
    }
    memcpy(text, bracketed.p + 1, bracketed.n - 2);
    text[bracketed.n - 2] = 0;
    if (inet_pton(AF_INET6, text, bytes) != 1) {
        return STR_ABSENT;
    }
    size_t run = 8, longest = 1;
    for (size_t i = 0; i < 8; i++) {
        group[i] = (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];
    }
    for (size_t i = 0; i < 8; i++) {
        size_t n = 0;
        while (i + n < 8 && !group[i + n]) {
            n++;
        }
        if (n > longest) {
            run = i;
            longest = n;
        }
    }
    AUTO_BUF(out);
    buf_put_byte(&out, '[');
    for (size_t i = 0; i < 8; i++) {
        if (i == run) {
            buf_put_c(&out, i ? ":" : "::");
            i += longest - 1;
            continue;
        }
        buf_printf(&out, "%x%s", group[i], i < 7 ? ":" : "");
    }
    buf_put_byte(&out, ']');
    return arena_buf(a, &out);
}

static bool all_digits(str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (!is_digit(s.p[i])) {
            return false;
        }
    }
    return s.n > 0;
}

/* Four decimal numbers that no one reads in another way. */
static bool plain_ipv4(str host)
{
    char text[INET_ADDRSTRLEN], back[INET_ADDRSTRLEN];
    struct in_addr addr;
    if (host.n >= sizeof(text)) {
        return false;
    }
    memcpy(text, host.p, host.n);
    text[host.n] = 0;
    return inet_pton(AF_INET, text, &addr) == 1 && inet_ntop(AF_INET, &addr, back, sizeof(back)) &&
           strcmp(text, back) == 0;
}

/* A name of labels of letters, digits, hyphens and underscores; a dot may end it. `host` is in lower case. */
static bool plain_name(str host)
{
    str label = STR_ABSENT;
    for (str rest = host; rest.n;) {
        size_t dot = str_find_byte(rest, '.', 0);
        label = str_first(rest, dot == SIZE_MAX ? rest.n : dot);
        rest = str_from(rest, dot == SIZE_MAX ? rest.n : dot + 1);
        if (str_empty(label) || str_starts(label, STR("xn--"))) {
            return false;
        }
        for (size_t i = 0; i < label.n; i++) {
            if (!is_host_char(label.p[i])) {
                return false;
            }
        }
    }
    /* A last label that is a number makes an IPv4 address of the whole. */
    return !str_empty(label) && !str_starts(label, STR("0x")) && !all_digits(label);
}

str web_host(struct arena *a, str url)
{
    while (url.n && (unsigned char)url.p[0] <= ' ') {
        url = str_from(url, 1);
    }
    str host = bare_host(authority_of(url));
    if (str_empty(host)) {
        return STR_ABSENT;
    }
    if (host.p[0] == '[') {
        return ipv6(a, host);
    }
    if (host.n > HOST_MAX) {
        return STR_ABSENT;
    }
    AUTO_BUF(lower);
    for (size_t i = 0; i < host.n; i++) {
        buf_put_byte(&lower, to_lower(host.p[i]));
    }
    str name = buf_str(&lower);
    return buf_ok(&lower) && (plain_ipv4(name) || plain_name(name)) ? arena_buf(a, &lower) : STR_ABSENT;
}
