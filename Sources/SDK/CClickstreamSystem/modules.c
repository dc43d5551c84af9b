// Modules of the process, with their build ids.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CClickstreamSignals.h"

#if defined(__linux__)

#include <link.h>
#include <stddef.h>
#include <string.h>

typedef struct {
    void *context;
    clickstream_module_body body;
} visit;

static int visit_module(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    const visit *visit = context;
    uint64_t start = UINT64_MAX, end = 0;
    const uint8_t *build_id = NULL;
    uint64_t build_id_count = 0;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        uint64_t address = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD) {
            if (address < start) start = address;
            if (address + header->p_memsz > end) end = address + header->p_memsz;
        } else if (header->p_type == PT_NOTE) {
            // Note format: name size, description size, type; name; description; both padded to four bytes.
            uint64_t offset = 0;
            while (offset + 12 <= header->p_memsz) {
                const uint32_t *note = (const uint32_t *)(uintptr_t)(address + offset);
                uint64_t name = (note[0] + 3u) & ~3u, description = (note[1] + 3u) & ~3u;
                if (name > header->p_memsz || description > header->p_memsz) break;
                if (offset + 12 + name + description > header->p_memsz) break;
                if (note[2] == NT_GNU_BUILD_ID && note[0] == 4 && memcmp(&note[3], "GNU", 4) == 0) {
                    build_id = (const uint8_t *)&note[3] + name;
                    build_id_count = note[1];
                }
                offset += 12 + name + description;
            }
        }
    }
    if (start < end) {
        const char *path = info->dlpi_name ? info->dlpi_name : "";
        visit->body(visit->context, path, info->dlpi_addr, start, end, build_id, build_id_count);
    }
    return 0;
}

void clickstream_modules(void *context, clickstream_module_body body) {
    visit visit = {context, body};
    dl_iterate_phdr(visit_module, &visit);
}

#else

void clickstream_modules(void *context, clickstream_module_body body) {
    (void)context;
    (void)body;
}

#endif
