#include "base/uuid.h"

#include <sys/random.h>

bool uuid_v4(char out[UUID_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char r[16];
    out[0] = '\0';
    if (getentropy(r, sizeof(r)) != 0) {
        return false;
    }
    r[6] = (unsigned char)((r[6] & 0x0F) | 0x40); /* version 4 */
    r[8] = (unsigned char)((r[8] & 0x3F) | 0x80); /* the RFC's variant */
    char *p = out;
    for (size_t i = 0; i < sizeof(r); i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *p++ = '-';
        }
        *p++ = digits[r[i] >> 4];
        *p++ = digits[r[i] & 0x0F];
    }
    *p = '\0';
    return true;
}

bool uuid_valid(str s)
{
    if (!s.p || s.n != UUID_LENGTH) {
        return false;
    }
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (dash ? c != '-' : !hex) {
            return false;
        }
    }
    return true;
}
