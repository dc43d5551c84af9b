#ifndef SHOP_GTK_H
#define SHOP_GTK_H

#include <gtk/gtk.h>
#include <libintl.h>

/// Binds a text domain to a folder of translations in UTF-8: macros of libintl, which Swift does not import.
static inline void shop_bind_text_domain(const char *domain, const char *folder) {
    bindtextdomain(domain, folder);
    bind_textdomain_codeset(domain, "UTF-8");
}

#endif
