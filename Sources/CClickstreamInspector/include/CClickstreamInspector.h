// Files of the inspector page (Sources/ClickstreamCollector/Inspector/Page), embedded in the binary.

#ifndef CLICKSTREAM_INSPECTOR_H
#define CLICKSTREAM_INSPECTOR_H

#include <stddef.h>

typedef struct {
    const unsigned char *bytes;
    size_t length;
} clickstream_inspector_file;

// Document with the placeholders @style, @facts and @script.
clickstream_inspector_file clickstream_inspector_document(void);
clickstream_inspector_file clickstream_inspector_style(void);
// All scripts, concatenated to one module.
clickstream_inspector_file clickstream_inspector_script(void);

#endif
