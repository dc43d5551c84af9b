// All functions are inline. A target needs a source file.
#include "CClickstreamHardware.h"
