// Files of the collector, embedded in the binary: the inspector page (Inspector) and the
// OpenAPI description (Sources/Tools/ClickstreamCollector/Server/openapi.json).

#ifndef CLICKSTREAM_RESOURCES_H
#define CLICKSTREAM_RESOURCES_H

#include <stddef.h>

typedef struct {
    const unsigned char *bytes;
    size_t length;
} clickstream_resource;

// Document with the placeholders @style, @facts and @loader.
clickstream_resource clickstream_inspector_document(void);
clickstream_resource clickstream_inspector_style(void);
// Script of the document, which loads the modules.
clickstream_resource clickstream_inspector_loader(void);

// Number of modules, and the file name and the content of each.
size_t clickstream_inspector_modules(void);
const char *clickstream_inspector_module_name(size_t index);
clickstream_resource clickstream_inspector_module(size_t index);

// JSON without the captured formats, which the collector adds.
clickstream_resource clickstream_openapi(void);

#endif
