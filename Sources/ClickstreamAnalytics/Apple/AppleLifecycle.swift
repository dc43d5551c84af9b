/// Starts whatever reports the lifecycle of an app on this platform; where nothing does, as on Linux, nothing.
enum AppleLifecycle {
    /// Callable from any thread; the adapters are started on the main one, soon.
    static func start() {
        #if canImport(UIKit) && !os(watchOS)
        Task { @MainActor in UIKitAdapter.start() }
        #elseif canImport(AppKit) && !targetEnvironment(macCatalyst)
        Task { @MainActor in AppKitAdapter.start() }
        #endif
    }
}
