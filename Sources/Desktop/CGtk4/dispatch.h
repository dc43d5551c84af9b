#ifndef CLICKSTREAM_GTK4_DISPATCH_H
#define CLICKSTREAM_GTK4_DISPATCH_H

#include <glib-unix.h>

// Functions of libdispatch for owners of a main loop, which its headers do not declare: CoreFoundation uses them.

/// Descriptor of the main queue, an eventfd that is readable while work is pending. The reader resets it.
extern int _dispatch_get_main_queue_handle_4CF(void);
/// Executes the pending work of the main queue on the calling thread, which must be the main thread.
extern void _dispatch_main_queue_callback_4CF(void *message);

#endif
