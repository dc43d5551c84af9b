#define _GNU_SOURCE
#include "CClickstreamGettext.h"

#include <stddef.h>

#if defined(__linux__) && !defined(__ANDROID__)
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// MARK: - Table

/// Text of the table with its message id. Never freed or moved.
struct entry {
    uint32_t hash;
    char *text;
    char *id;
};

/// Open-addressing hash table, twice as large as the greatest number of texts. Allocated by the first translation, and
/// protected by `lock`, as are the counts.
static struct entry *table;
#define SLOTS (2u * CLICKSTREAM_GETTEXT_TEXTS)
static size_t count, bytes, dropped;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static atomic_bool recording = true;

/// Direct-mapped cache of pairs that are in the table, as mixed addresses of message id and translation. The C library
/// never unmaps a catalog, so the address of a translation always has the same text.
#define RECENT 4096u
static _Atomic uint64_t recent[RECENT];

static uint64_t mixed(const char *id, const char *translation) {
    uint64_t value = (uint64_t)(uintptr_t)id * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)translation;
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    return value ^ value >> 29;
}

static uint32_t hash_of(const char *text, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t index = 0; index < length; index++) hash = (hash ^ (unsigned char)text[index]) * 16777619u;
    return hash;
}

/// The slot of a text: its own, or the empty one at which it would be added.
static struct entry *slot(const char *text, uint32_t hash) {
    for (uint32_t index = hash % SLOTS;; index = (index + 1) % SLOTS) {
        struct entry *entry = &table[index];
        if (!entry->text || (entry->hash == hash && strcmp(entry->text, text) == 0)) return entry;
    }
}

static void acquire(void) { pthread_mutex_lock(&lock); }
static void release(void) { pthread_mutex_unlock(&lock); }

/// Holds the lock during `fork`: a child with one thread would otherwise inherit a lock that another thread of the parent
/// had acquired. Registered when the library is loaded: the handlers of a `fork` that is in progress do not contain those
/// that are registered meanwhile.
__attribute__((constructor)) static void hold_during_fork(void) { pthread_atfork(acquire, release, release); }

static bool allocate(void) {
    if (!table) table = calloc(SLOTS, sizeof *table);
    return table != NULL;
}

static void add_locked(const char *id, const char *text) {
    size_t length = strlen(text), id_length = strlen(id);
    if (length == 0 || id_length == 0 || strcmp(id, text) == 0) return;
    if (!allocate()) return;
    uint32_t hash = hash_of(text, length);
    struct entry *entry = slot(text, hash);
    if (entry->text && strcmp(entry->id, id) == 0) return;
    size_t needed = id_length + 1 + (entry->text ? 0 : length + 1);
    bool fits = length <= CLICKSTREAM_GETTEXT_LONGEST && id_length <= CLICKSTREAM_GETTEXT_LONGEST
        && needed <= CLICKSTREAM_GETTEXT_BYTES - bytes && (entry->text || count < CLICKSTREAM_GETTEXT_TEXTS);
    char *copy = fits ? strdup(id) : NULL;
    char *text_copy = copy && !entry->text ? strdup(text) : entry->text;
    if (!copy || !text_copy) {
        free(copy);
        dropped++;
        return;
    }
    if (entry->text) {
        bytes -= strlen(entry->id) + 1;
        free(entry->id);
    } else {
        count++;
    }
    bytes += needed;
    *entry = (struct entry){ .hash = hash, .text = text_copy, .id = copy };
}

/// Copies a label without its mnemonics: `_` before a character is removed, `__` is a literal underscore.
/// @return true if the label has a mnemonic.
static bool without_mnemonics(const char *label, char *result) {
    bool found = false;
    while (*label) {
        if (*label == '_' && label[1] != '\0') {
            found = found || label[1] != '_';
            label++;
        }
        *result++ = *label++;
    }
    *result = '\0';
    return found;
}

void clickstream_gettext_add(const char *id, const char *translation) {
    // A message context precedes the id, separated by EOT.
    const char *end_of_context = strchr(id, '\004');
    if (end_of_context) id = end_of_context + 1;
    char text[CLICKSTREAM_GETTEXT_LONGEST + 1], key[CLICKSTREAM_GETTEXT_LONGEST + 1];
    bool is_short = strlen(translation) < sizeof text && strlen(id) < sizeof key;
    bool has_mnemonic = is_short && strchr(translation, '_') && without_mnemonics(translation, text);
    if (has_mnemonic) without_mnemonics(id, key);
    acquire();
    add_locked(id, translation);
    if (has_mnemonic) add_locked(key, text);
    release();
}

size_t clickstream_gettext_key(const char *text, char *key, size_t capacity) {
    size_t length = strlen(text), result = 0;
    if (length == 0 || length > CLICKSTREAM_GETTEXT_LONGEST) return 0;
    acquire();
    struct entry *entry = table ? slot(text, hash_of(text, length)) : NULL;
    if (entry && entry->text) {
        result = strlen(entry->id);
        if (capacity > 0) {
            size_t copied = result < capacity ? result : capacity - 1;
            memcpy(key, entry->id, copied);
            key[copied] = '\0';
        }
    }
    release();
    return result;
}

void clickstream_gettext_record(bool enabled) {
    atomic_store_explicit(&recording, enabled, memory_order_relaxed);
}

size_t clickstream_gettext_count(void) {
    acquire();
    size_t result = count;
    release();
    return result;
}

size_t clickstream_gettext_dropped(void) {
    acquire();
    size_t result = dropped;
    release();
    return result;
}

/// Adds a result of the C library, unless it is the id itself or was added before. The errno of the caller is kept.
static char *returned(const char *id, char *translation) {
    if (translation == id || !translation || !id) return translation;
    if (!atomic_load_explicit(&recording, memory_order_relaxed)) return translation;
    uint64_t pair = mixed(id, translation);
    _Atomic uint64_t *seen = &recent[pair % RECENT];
    if (atomic_load_explicit(seen, memory_order_relaxed) == pair) return translation;
    int error = errno;
    clickstream_gettext_add(id, translation);
    errno = error;
    atomic_store_explicit(seen, pair, memory_order_relaxed);
    return translation;
}

// MARK: - Functions of gettext

typedef char *(*singular_function)(const char *, const char *, int);
typedef char *(*plural_function)(const char *, const char *, const char *, unsigned long, int);

/// The functions of the C library, to which the others are equivalent. Resolved by the first call; concurrent calls
/// store the same address.
static _Atomic(singular_function) next_singular;
static _Atomic(plural_function) next_plural;

static char *singular(const char *domain, const char *id, int category) {
    singular_function next = atomic_load_explicit(&next_singular, memory_order_relaxed);
    if (!next) {
        next = (singular_function)dlsym(RTLD_NEXT, "dcgettext");
        if (!next) return (char *)id;
        atomic_store_explicit(&next_singular, next, memory_order_relaxed);
    }
    return returned(id, next(domain, id, category));
}

static char *plural(const char *domain, const char *id, const char *ids, unsigned long n, int category) {
    plural_function next = atomic_load_explicit(&next_plural, memory_order_relaxed);
    if (!next) {
        next = (plural_function)dlsym(RTLD_NEXT, "dcngettext");
        if (!next) return (char *)(n == 1 ? id : ids);
        atomic_store_explicit(&next_plural, next, memory_order_relaxed);
    }
    char *translation = next(domain, id, ids, n, category);
    return translation == ids ? translation : returned(id, translation);
}

// The header of the C library is not included: it defines some of these as macros.
char *gettext(const char *id);
char *dgettext(const char *domain, const char *id);
char *dcgettext(const char *domain, const char *id, int category);
char *ngettext(const char *id, const char *ids, unsigned long n);
char *dngettext(const char *domain, const char *id, const char *ids, unsigned long n);
char *dcngettext(const char *domain, const char *id, const char *ids, unsigned long n, int category);

char *gettext(const char *id) { return singular(NULL, id, LC_MESSAGES); }
char *dgettext(const char *domain, const char *id) { return singular(domain, id, LC_MESSAGES); }
char *dcgettext(const char *domain, const char *id, int category) { return singular(domain, id, category); }
char *ngettext(const char *id, const char *ids, unsigned long n) { return plural(NULL, id, ids, n, LC_MESSAGES); }

char *dngettext(const char *domain, const char *id, const char *ids, unsigned long n) {
    return plural(domain, id, ids, n, LC_MESSAGES);
}

char *dcngettext(const char *domain, const char *id, const char *ids, unsigned long n, int category) {
    return plural(domain, id, ids, n, category);
}

#else

// Other systems: no functions are replaced, and the table is empty.
size_t clickstream_gettext_key(const char *text, char *key, size_t capacity) {
    (void)text, (void)key, (void)capacity;
    return 0;
}
void clickstream_gettext_record(bool enabled) { (void)enabled; }
void clickstream_gettext_add(const char *id, const char *translation) { (void)id, (void)translation; }
size_t clickstream_gettext_count(void) { return 0; }
size_t clickstream_gettext_dropped(void) { return 0; }

#endif
