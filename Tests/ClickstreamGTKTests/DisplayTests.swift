#if GTK
import Testing

/// Tests with windows, one after another: the toolkit belongs to the main thread, and its hooks to the process.
@Suite("Capture from GTK", .serialized)
@MainActor
struct DisplayTests {}
#endif
