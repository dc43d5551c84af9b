// The files of the inspector's page, as they stand in Sources/ClickstreamCollector/Inspector/Page, within the program:
// one binary serves the page with no files beside it.

#ifndef CLICKSTREAM_INSPECTOR_H
#define CLICKSTREAM_INSPECTOR_H

#include <stddef.h>

typedef struct {
    const unsigned char *bytes;
    size_t length;
} clickstream_inspector_file;

// The document, with @style, @facts and @script where those are to stand.
clickstream_inspector_file clickstream_inspector_document(void);
clickstream_inspector_file clickstream_inspector_style(void);
// All scripts, joined to one module.
clickstream_inspector_file clickstream_inspector_script(void);

#endif
