// What Swift cannot import or spell: zlib's initialisers, which are macros, and the processor's CRC-32C instruction.

#ifndef CLICKSTREAM_CZLIB_SHIM_H
#define CLICKSTREAM_CZLIB_SHIM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

static inline int clickstream_deflateInit2(z_stream *stream, int level, int windowBits, int memLevel) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, memLevel, Z_DEFAULT_STRATEGY);
}

static inline int clickstream_inflateInit2(z_stream *stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}

// CRC-32C (Castagnoli) by the processor. `crc` is the running register, not inverted. Call
// clickstream_crc32c_hardware only where clickstream_has_crc32c_hardware gave 1.

#if defined(__x86_64__)

#include <cpuid.h>

static inline int clickstream_has_crc32c_hardware(void) {
    unsigned int a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 20)) != 0;
}

__attribute__((target("sse4.2"))) static inline uint32_t clickstream_crc32c_hardware(
    uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *next = (const unsigned char *)bytes;
    uint64_t wide = crc;
    for (; count >= 8; next += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (uint32_t)wide;
    for (; count > 0; next++, count--) {
        crc = __builtin_ia32_crc32qi(crc, *next);
    }
    return crc;
}

#elif defined(__aarch64__)

#if defined(__linux__)
#include <sys/auxv.h>
#endif

static inline int clickstream_has_crc32c_hardware(void) {
#if defined(__APPLE__)
    return 1;
#elif defined(__linux__)
    return (getauxval(AT_HWCAP) & (1ul << 7)) != 0;
#else
    return 0;
#endif
}

__attribute__((target("crc"))) static inline uint32_t clickstream_crc32c_hardware(
    uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *next = (const unsigned char *)bytes;
    for (; count >= 8; next += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        crc = __builtin_arm_crc32cd(crc, word);
    }
    for (; count > 0; next++, count--) {
        crc = __builtin_arm_crc32cb(crc, *next);
    }
    return crc;
}

#else

static inline int clickstream_has_crc32c_hardware(void) {
    return 0;
}

static inline uint32_t clickstream_crc32c_hardware(uint32_t crc, const void *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return crc;
}

#endif

// What the thread sanitizer wants to be told of locks that it does not know. Null in a program built without it.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static inline void clickstream_lock_taken(void *address) {
    if (__tsan_acquire) __tsan_acquire(address);
}

static inline void clickstream_lock_left(void *address) {
    if (__tsan_release) __tsan_release(address);
}

#endif
