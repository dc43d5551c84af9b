// Handler of memory faults as a runtime or a crash reporter installs it, for CrashFixture.

#ifndef CLICKSTREAM_EARLIER_HANDLER_H
#define CLICKSTREAM_EARLIER_HANDLER_H

// Installs a handler for SIGSEGV and SIGBUS. `kind` is the effect on a fault of earlier_handler_read: `mend` makes the memory
// readable, `context` skips the instruction, `jump` leaves by siglongjmp. On any other fault the handler sets the default
// action and returns; of kind `raise` it raises the signal as well, of kind `abort` it calls abort. Two kinds are
// installed for SIGABRT too, as a crash reporter is: `reportJump` is like `jump`; `reportExit` is like `mend`, and on any
// other fault it resolves one of another thread and ends the process with status 3. Returns 0, or -1 for another kind.
int earlier_handler_install(const char *kind);

// Reads unreadable memory `count` times on each of `threads` new threads at once. Returns the number of faults that the
// handler resolved.
int earlier_handler_read(int threads, int count);

#endif
