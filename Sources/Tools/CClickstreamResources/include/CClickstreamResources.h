// Files of the collector, embedded in the binary: the inspector page (Inspector) and the
// OpenAPI description (Sources/Tools/ClickstreamCollector/Server/openapi.json).

#ifndef CLICKSTREAM_RESOURCES_H
#define CLICKSTREAM_RESOURCES_H

#include <stddef.h>

typedef struct {
    const unsigned char *bytes;
    size_t length;
} clickstream_resource;

// Document with the placeholders @style, @facts and @script.
clickstream_resource clickstream_inspector_document(void);
clickstream_resource clickstream_inspector_style(void);
// All scripts, concatenated to one module.
clickstream_resource clickstream_inspector_script(void);

// JSON, valid as it is.
clickstream_resource clickstream_openapi(void);

#endif
