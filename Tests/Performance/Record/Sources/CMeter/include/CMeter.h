// What Swift cannot do: count the allocations of a whole process, by standing in front of the C library's allocator.

#ifndef CMETER_H
#define CMETER_H

#include <stddef.h>
#include <stdint.h>

/// How many blocks this thread has asked for so far.
uint64_t meter_allocations(void);

/// How many bytes of anonymous memory the process has resident.
uint64_t meter_anonymous_bytes(void);

/// Nanoseconds of a monotonic clock.
uint64_t meter_now(void);

#endif
