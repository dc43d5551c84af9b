#if Library
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(UIKit)
import ClickstreamCore
import UIKit
#endif

/// Properties of an Apple device as defined by the manual.
enum AppleDevice {
    /// Returns `systemVersion` in UIKit's format: `16.4`, or `16.4.1` with a patch version.
    static func version(_ version: OperatingSystemVersion) -> String {
        let patch = version.patchVersion == 0 ? "" : ".\(version.patchVersion)"
        return "\(version.majorVersion).\(version.minorVersion)\(patch)"
    }

    /// Returns a screen dimension in pixels: its size in points times its scale.
    static func pixels(_ points: Double, scale: Double) -> Int {
        Int(exactly: (points * scale).rounded()) ?? 0
    }
}

#if canImport(UIKit)
extension AppleDevice {
    /// Properties available from UIKit on the main thread only.
    private struct MainThreadFacts: Sendable {
        var deviceID: String?
        var width = 0
        var height = 0
    }

    /// Returns the properties available from the platform's frameworks. Not compiled on Linux.
    ///
    /// The vendor id and the screen size are missing if the SDK is started on a thread other than the main thread; the
    /// vendor id is then replaced by a random id, kept in the store.
    static func current() -> ClickstreamClient.Device {
        let locale = Locale.current
        let bundle = Bundle.main
        func info(_ key: String) -> String { bundle.object(forInfoDictionaryKey: key) as? String ?? "" }
        let facts = mainThreadFacts()
        return ClickstreamClient.Device(
            platform: "iOS",
            osVersion: version(ProcessInfo.processInfo.operatingSystemVersion),
            make: "apple",
            brand: "apple",
            model: AppleModel.name(of: machine()),
            locale: locale.identifier,
            language: locale.language.languageCode?.identifier ?? "UNKNOWN",
            country: locale.region?.identifier ?? "UNKNOWN",
            screenWidth: facts.width,
            screenHeight: facts.height,
            zoneOffset: HostDevice().zoneOffset(at: SystemTime().now().wall),
            deviceID: facts.deviceID,
            app: ClickstreamClient.Device.App(
                package: bundle.bundleIdentifier ?? "",
                title: info("CFBundleName"),
                version: info("CFBundleShortVersionString")
            )
        )
    }

    /// Returns the hardware identifier; in a simulator, that of the simulated device.
    private static func machine() -> String {
        if let simulated = ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"] { return simulated }
        var system = utsname()
        uname(&system)
        return withUnsafeBytes(of: &system.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func mainThreadFacts() -> MainThreadFacts {
        #if os(watchOS)
        return MainThreadFacts()
        #else
        guard Thread.isMainThread else { return MainThreadFacts() }
        return MainActor.assumeIsolated {
            var facts = MainThreadFacts(deviceID: UIDevice.current.identifierForVendor?.uuidString)
            #if os(iOS) || os(tvOS)
            let screen = UIScreen.main
            facts.width = pixels(Double(screen.bounds.width), scale: Double(screen.scale))
            facts.height = pixels(Double(screen.bounds.height), scale: Double(screen.scale))
            #endif
            return facts
        }
        #endif
    }
}
#endif
