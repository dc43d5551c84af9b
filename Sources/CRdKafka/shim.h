#ifndef CLICKSTREAM_RDKAFKA_SHIM_H
#define CLICKSTREAM_RDKAFKA_SHIM_H

#include <librdkafka/rdkafka.h>
// The broker within librdkafka that the tests send to.
#include <librdkafka/rdkafka_mock.h>

#endif
