// Counts the blocks that a program allocates, and prints the number at its end: a library for LD_PRELOAD.
//
// One line, `allocations <count>`, goes to the file that CLICKSTREAM_ALLOCATIONS names.

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong count;

static void counted(void) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
    counted();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    counted();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    counted();
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    counted();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    counted();
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : 12;
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("CLICKSTREAM_ALLOCATIONS");
    unsigned long total = atomic_load(&count);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "allocations %lu\n", total);
    fclose(file);
}
