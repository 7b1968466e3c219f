#include "base/base64.h"

#include <stdint.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_put(struct buf *b, str bytes)
{
    for (size_t i = 0; i < bytes.n; i += 3) {
        size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
        uint32_t group = 0;
        char out[4] = {'=', '=', '=', '='};
        for (size_t k = 0; k < 3; k++) {
            group = group << 8 | (k < n ? (unsigned char)bytes.p[i + k] : 0);
        }
        for (size_t k = 0; k <= n; k++) {
            out[k] = letters[group >> (18 - 6 * k) & 0x3f];
        }
        buf_put(b, out, sizeof(out));
    }
}
