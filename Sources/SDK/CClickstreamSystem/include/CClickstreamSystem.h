// State of the process, signal handlers, libcurl, and processor instructions: C code, because Swift cannot express it.

#ifndef CLICKSTREAM_SYSTEM_H
#define CLICKSTREAM_SYSTEM_H

#include "CClickstreamCurl.h"
#include "CClickstreamHardware.h"
#include "CClickstreamProcess.h"
#include "CClickstreamSignals.h"

#endif
