#ifndef CLICKSTREAM_RDKAFKA_SHIM_H
#define CLICKSTREAM_RDKAFKA_SHIM_H

#include <librdkafka/rdkafka.h>
// Mock broker of librdkafka for tests.
#include <librdkafka/rdkafka_mock.h>

#endif
