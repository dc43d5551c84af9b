// zlib, and its initialisers, which are macros that Swift cannot see.

#ifndef CLICKSTREAM_BARE_ZLIB_H
#define CLICKSTREAM_BARE_ZLIB_H

#include <zlib.h>

static inline int bare_deflate_start(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int bare_inflate_start(z_stream *stream) {
    return inflateInit2(stream, MAX_WBITS + 16);
}

#endif
