#include "clickstream.h"
