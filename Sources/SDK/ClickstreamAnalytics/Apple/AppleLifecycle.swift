/// Starts the platform's adapters for app lifecycle and network; on Linux there are none.
enum AppleLifecycle {
    /// Thread-safe; the adapters are started asynchronously on the main thread.
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
