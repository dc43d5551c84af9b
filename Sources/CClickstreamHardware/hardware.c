// Header-only library; a target requires a source file.
#include "CClickstreamHardware.h"
