#ifndef CLICKSTREAM_GETTEXT_H
#define CLICKSTREAM_GETTEXT_H

#include <stdbool.h>
#include <stddef.h>

// Reverse lookup of texts that the functions of gettext returned in this process.
//
// A program that contains this target defines `gettext`, `dgettext`, `dcgettext`, `ngettext`, `dngettext` and
// `dcngettext`, which take precedence over those of the C library, for the program and for its shared libraries. They
// return what the C library returns, and add the pair of translation and message id to a table. The functions of GLib
// (`g_dgettext`, `g_dpgettext`, GtkBuilder's `translatable`) call them.
//
// Callable from any thread. A pair that was returned before costs a comparison of two addresses. The table is bounded;
// pairs beyond the bound are not added.

/// Copies the message id of a displayed text into `key`, terminated by zero, and truncated to `capacity` - 1 bytes.
/// Mnemonics are removed from the id if the text is that of a label with a mnemonic; a message context is removed.
/// Of several ids with the same translation, the latest counts.
/// @return the length of the id in bytes, which may exceed the capacity; 0 if no call returned the text as a translation.
size_t clickstream_gettext_key(const char *text, char *key, size_t capacity);

/// Starts or stops adding pairs to the table. Initially on.
void clickstream_gettext_record(bool enabled);

/// Adds a pair, as if gettext had returned `translation` for `id`. For programs with translations of their own.
void clickstream_gettext_add(const char *id, const char *translation);

/// The number of texts in the table.
size_t clickstream_gettext_count(void);

/// The number of texts that were not added, because the table was full.
size_t clickstream_gettext_dropped(void);

/// Bounds of the table: texts, and bytes of texts and ids. Longer texts are not added.
#define CLICKSTREAM_GETTEXT_TEXTS 16384
#define CLICKSTREAM_GETTEXT_BYTES (4u << 20)
#define CLICKSTREAM_GETTEXT_LONGEST 1024

#endif
