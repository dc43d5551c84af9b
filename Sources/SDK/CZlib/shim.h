// zlib with functions for its initializers, which are macros that Swift does not import.

#ifndef CLICKSTREAM_CZLIB_SHIM_H
#define CLICKSTREAM_CZLIB_SHIM_H

#include <zlib.h>

static inline int clickstream_deflateInit2(z_stream *stream, int level, int windowBits, int memLevel) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, memLevel, Z_DEFAULT_STRATEGY);
}

static inline int clickstream_inflateInit2(z_stream *stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}

#endif
