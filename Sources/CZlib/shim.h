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
    // SSE 4.2, and PCLMULQDQ.
    return __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 20)) != 0 && (c & (1u << 1)) != 0;
}

static inline uint64_t clickstream_word(const unsigned char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

// Three thirds of `third` bytes at the same time, since the instruction takes three cycles and can begin one each cycle,
// then 8 bytes with which the thirds become one: a third's register times x^(8 * the bytes behind it - 33).
__attribute__((target("sse4.2,pclmul"), always_inline)) static inline uint32_t clickstream_crc32c_thirds(
    uint32_t crc, const unsigned char *next, size_t third, uint32_t twice, uint32_t once) {
    typedef long long pair __attribute__((vector_size(16)));
    uint64_t first = crc, second = 0, last = 0;
    for (size_t index = 0; index < third; index += 8) {
        first = __builtin_ia32_crc32di(first, clickstream_word(next + index));
        second = __builtin_ia32_crc32di(second, clickstream_word(next + third + index));
        last = __builtin_ia32_crc32di(last, clickstream_word(next + 2 * third + index));
    }
    pair shifted = __builtin_ia32_pclmulqdq128((pair){(long long)first, 0}, (pair){twice, 0}, 0)
        ^ __builtin_ia32_pclmulqdq128((pair){(long long)second, 0}, (pair){once, 0}, 0);
    return (uint32_t)__builtin_ia32_crc32di(last, clickstream_word(next + 3 * third) ^ (uint64_t)shifted[0]);
}

__attribute__((target("sse4.2,pclmul"))) static inline uint32_t clickstream_crc32c_hardware(
    uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *next = (const unsigned char *)bytes;
    for (; count >= 512; next += 512, count -= 512) {
        crc = clickstream_crc32c_thirds(crc, next, 168, 0x8f158014, 0xdaece73e);
    }
    for (; count >= 128; next += 128, count -= 128) {
        crc = clickstream_crc32c_thirds(crc, next, 40, 0x083a6eec, 0xddc0152b);
    }
    uint64_t wide = crc;
    for (; count >= 8; next += 8, count -= 8) {
        wide = __builtin_ia32_crc32di(wide, clickstream_word(next));
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
