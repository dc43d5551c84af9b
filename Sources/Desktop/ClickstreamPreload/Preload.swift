#if GTK
import ClickstreamAnalytics
import ClickstreamCapture
import ClickstreamCore
import ClickstreamGTK

#if Library
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Starts the SDK and capture in a program that was not changed. The preloaded library calls it once, on the main thread,
/// when GTK is initialized. An invalid configuration is one line on standard error, and the program runs without capture.
@_cdecl("clickstream_gtk_start")
package func startPreloadedCapture() {
    MainActor.assumeIsolated { PreloadedCapture.start() }
}

/// Capture of the whole process, which lives until its end.
@MainActor
private enum PreloadedCapture {
    static var capture: Capture?

    static func start() {
        do {
            let settings = try PreloadConfiguration(environment: ProcessInfo.processInfo.environment)
            let configuration = ClickstreamConfiguration()
            if let file = settings.file { configuration.with(\.configurationFile, file) }
            // A desktop ends its programs with SIGTERM, at which most of them have no handler.
            if settings.leavesSignals { configuration.with(\.endsOnSignals, true) }
            try ClickstreamAnalytics.initSDK(configuration)
            guard let client = ClickstreamAnalytics.client else { return }
            for warning in settings.warnings { client.note(.warning(.init(.settingInvalid, warning))) }
            // Registered after the SDK, and thus called before it ends.
            atexit { GracefulShutdown.process.sendAtExit() }
            let capture = Capture(client: client, configuration: settings.capture)
            capture.observeGTK(settings.capture.autoEvents)
            self.capture = capture
        } catch {
            let reason = "\(error)".replacing("\n", with: "; ")
            let line = "clickstream: capture from GTK is not started: \(reason)\n"
            _ = Array(line.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }
}
#endif
