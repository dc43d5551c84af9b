/// Starts the adapters that report the lifecycle of an app and its network on this platform; on Linux there are none.
enum AppleLifecycle {
    /// Callable from any thread; the adapters are started on the main one, soon.
    static func start() {
        #if canImport(Network)
        Task { @MainActor in NetworkAdapter.start() }
        #endif
        #if canImport(UIKit) && !os(watchOS)
        Task { @MainActor in UIKitAdapter.start() }
        #elseif canImport(AppKit) && !targetEnvironment(macCatalyst)
        Task { @MainActor in AppKitAdapter.start() }
        #endif
    }
}
