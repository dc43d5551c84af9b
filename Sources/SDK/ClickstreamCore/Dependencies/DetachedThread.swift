#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// System thread whose creation can fail, unlike a task, which is queued until a thread is available.
package enum DetachedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Runs `body` on a new thread with a stack of 512 KiB.
    /// - Returns: 0, or the system's error: `EAGAIN` if the process, its user or its container has reached its thread
    ///   limit.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 524_288)
        let context = Unmanaged.passRetained(Body(body))
        #if canImport(Darwin)
        var thread: pthread_t?
        let reason = pthread_create(&thread, &attributes, { DetachedThread.run($0) }, context.toOpaque())
        #else
        var thread = pthread_t()
        let reason = pthread_create(&thread, &attributes, { DetachedThread.run($0) }, context.toOpaque())
        #endif
        if reason != 0 { context.release() }
        return reason
    }

    fileprivate static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
}
