// Processor instructions without Swift intrinsics: checksums, SHA-256, the pause of a spin loop.

#ifndef CLICKSTREAM_HARDWARE_H
#define CLICKSTREAM_HARDWARE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// CRC-32C (Castagnoli). `crc` is the raw register, not inverted. Requires clickstream_has_crc32c_hardware() == 1.

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

// Processes three thirds of `third` bytes in parallel, since the instruction has a latency of three cycles and a
// throughput of one per cycle; then 8 bytes with which the thirds are combined: the register of a third is multiplied
// by x^(8 * the bytes after it - 33).
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

// CRC-32 of gzip (IEEE 802.3): the checksum of the bytes with checksum `crc` followed by `bytes`, which must be 64 at
// least. Requires clickstream_has_crc32c_hardware() == 1. Folds blocks of 16 bytes, four in parallel (Gopal and others,
// "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009, with its constants).

typedef long long clickstream_block __attribute__((vector_size(16)));

__attribute__((target("sse4.2,pclmul"), always_inline)) static inline clickstream_block clickstream_crc32_carry(
    clickstream_block over, clickstream_block by, const unsigned char *bytes) {
    clickstream_block next;
    memcpy(&next, bytes, 16);
    return __builtin_ia32_pclmulqdq128(over, by, 0x00) ^ __builtin_ia32_pclmulqdq128(over, by, 0x11) ^ next;
}

// Reduces 96 bits to 64, and by Barrett's reduction to 32. Returns the register after 8 bytes, where the lowest 64 bits
// of `one` are these bytes combined with the previous register, and all other bits are 0.
__attribute__((target("sse4.2,pclmul"), always_inline)) static inline uint32_t clickstream_crc32_reduce(
    clickstream_block one) {
    const clickstream_block low = {0xffffffff, 0}, last = {0x0163cd6124, 0}, polynomial = {0x01db710641, 0x01f7011641};
    clickstream_block shifted = {
        (long long)((uint64_t)one[0] >> 32 | (uint64_t)one[1] << 32), (long long)((uint64_t)one[1] >> 32)};
    one = shifted ^ __builtin_ia32_pclmulqdq128(one & low, last, 0x00);
    clickstream_block quotient = __builtin_ia32_pclmulqdq128(one & low, polynomial, 0x10) & low;
    one ^= __builtin_ia32_pclmulqdq128(quotient, polynomial, 0x00);
    return (uint32_t)((uint64_t)one[0] >> 32);
}

__attribute__((target("sse4.2,pclmul"))) static inline uint32_t clickstream_crc32_hardware(
    uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *next = (const unsigned char *)bytes;
    const clickstream_block by64 = {0x0154442bd4, 0x01c6e41596}, by16 = {0x01751997d0, 0x00ccaa009e};
    clickstream_block one, two, three, four;
    memcpy(&one, next, 16);
    memcpy(&two, next + 16, 16);
    memcpy(&three, next + 32, 16);
    memcpy(&four, next + 48, 16);
    one ^= (clickstream_block){(long long)(uint32_t)~crc, 0};
    for (next += 64, count -= 64; count >= 64; next += 64, count -= 64) {
        one = clickstream_crc32_carry(one, by64, next);
        two = clickstream_crc32_carry(two, by64, next + 16);
        three = clickstream_crc32_carry(three, by64, next + 32);
        four = clickstream_crc32_carry(four, by64, next + 48);
    }
    one = clickstream_crc32_carry(one, by16, (const unsigned char *)&two);
    one = clickstream_crc32_carry(one, by16, (const unsigned char *)&three);
    one = clickstream_crc32_carry(one, by16, (const unsigned char *)&four);
    for (; count >= 16; next += 16, count -= 16) one = clickstream_crc32_carry(one, by16, next);
    // Reduces 128 bits to 96.
    one = __builtin_ia32_pclmulqdq128(one, by16, 0x10) ^ (clickstream_block){one[1], 0};
    crc = clickstream_crc32_reduce(one);
    if (count >= 8) {
        crc = clickstream_crc32_reduce((clickstream_block){(long long)(clickstream_word(next) ^ crc), 0});
        next += 8;
        count -= 8;
    }
    if (count > 0) {
        // Processes the rest as 8 bytes with leading zeros; with fewer than 4 bytes, the remaining bits of the register
        // are kept.
        int missing = 64 - 8 * (int)count;
        uint64_t word = clickstream_word(next + count - 8) >> missing ^ crc;
        crc = clickstream_crc32_reduce((clickstream_block){(long long)(word << missing), 0})
            ^ (uint32_t)((uint64_t)crc >> 8 * count);
    }
    return ~crc;
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

// CRC-32 of gzip, as above.
__attribute__((target("crc"))) static inline uint32_t clickstream_crc32_hardware(
    uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *next = (const unsigned char *)bytes;
    crc = ~crc;
    for (; count >= 8; next += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        crc = __builtin_arm_crc32d(crc, word);
    }
    for (; count > 0; next++, count--) {
        crc = __builtin_arm_crc32b(crc, *next);
    }
    return ~crc;
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

static inline uint32_t clickstream_crc32_hardware(uint32_t crc, const void *bytes, size_t count) {
    return clickstream_crc32c_hardware(crc, bytes, count);
}

#endif

// SHA-256 compression of `count` blocks of 64 bytes into the eight words of `state`. Requires
// clickstream_has_sha256_hardware() == 1.

#if defined(__x86_64__)

static inline int clickstream_has_sha256_hardware(void) {
    unsigned int a, b, c, d;
    // SSE 4.1, and the SHA extensions.
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & (1u << 19)) == 0) return 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 29)) != 0;
}

typedef int clickstream_quad __attribute__((vector_size(16)));
typedef char clickstream_bytes __attribute__((vector_size(16)));

__attribute__((target("sse4.1,sha"))) static inline void clickstream_sha256_hardware(
    uint32_t *state, const void *blocks, size_t count, const uint32_t *constants) {
    const unsigned char *next = (const unsigned char *)blocks;
    clickstream_quad abcd, efgh;
    memcpy(&abcd, state, 16);
    memcpy(&efgh, state + 4, 16);
    // The instructions expect the words as FEBA and HGDC, the lowest first.
    clickstream_quad feba = __builtin_shufflevector(efgh, abcd, 1, 0, 5, 4);
    clickstream_quad hgdc = __builtin_shufflevector(efgh, abcd, 3, 2, 7, 6);
    for (; count > 0; count--, next += 64) {
        clickstream_quad schedule[4], before = feba, beforeThat = hgdc;
#pragma unroll
        for (int index = 0; index < 4; index++) {
            clickstream_bytes bytes;
            memcpy(&bytes, next + 16 * index, 16);
            schedule[index] = (clickstream_quad)__builtin_shufflevector(
                bytes, bytes, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
        }
#pragma unroll
        for (int step = 0; step < 16; step++) {
            clickstream_quad now = schedule[step & 3], constant;
            memcpy(&constant, constants + 4 * step, 16);
            clickstream_quad sum = now + constant;
            hgdc = __builtin_ia32_sha256rnds2(hgdc, feba, sum);
            if (step < 12) {
                clickstream_quad last = schedule[(step + 3) & 3];
                clickstream_quad early = __builtin_ia32_sha256msg1(now, schedule[(step + 1) & 3]);
                early += __builtin_shufflevector(schedule[(step + 2) & 3], last, 1, 2, 3, 4);
                schedule[step & 3] = __builtin_ia32_sha256msg2(early, last);
            }
            feba = __builtin_ia32_sha256rnds2(feba, hgdc, __builtin_shufflevector(sum, sum, 2, 3, 0, 0));
        }
        feba += before;
        hgdc += beforeThat;
    }
    abcd = __builtin_shufflevector(feba, hgdc, 3, 2, 7, 6);
    efgh = __builtin_shufflevector(feba, hgdc, 1, 0, 5, 4);
    memcpy(state, &abcd, 16);
    memcpy(state + 4, &efgh, 16);
}

#else

static inline int clickstream_has_sha256_hardware(void) {
    return 0;
}

static inline void clickstream_sha256_hardware(
    uint32_t *state, const void *blocks, size_t count, const uint32_t *constants) {
    (void)state;
    (void)blocks;
    (void)count;
    (void)constants;
}

#endif

#endif
