package import ClickstreamCore

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

/// Properties of this machine, read at the start of a client and at each change to the foreground; the offset from GMT is
/// read as of each event.
///
/// On Linux every property comes from a file or a variable, documented at the function that reads it; properties hidden
/// by a container are `UNKNOWN`, empty or 0. Costs about a dozen small reads. No property identifies the device; the
/// store contains a random device id.
package struct HostDevice: DeviceSource {
    package init() {}

    package func device() -> ClickstreamClient.Device { Self.current() }

    /// Returns the properties of this machine, the user's language, and this program.
    package static func current() -> ClickstreamClient.Device {
        #if canImport(UIKit)
        return AppleDevice.current()
        #else
        return read(
            environment: ProcessInfo.processInfo.environment,
            executable: Host.program,
            zoneOffset: HostDevice().zoneOffset(at: SystemTime().now().wall)
        )
        #endif
    }

    /// Returns the offset from GMT in milliseconds, positive to the east, daylight saving time included: that of the C
    /// library's local time, in every build.
    ///
    /// `TZ` has the meaning that POSIX defines: `UTC-8` is east of GMT, and an unknown name such as `IST` is GMT. A `TZ` or
    /// `/etc/localtime` that has changed is read again. As with `localtime`, no other thread may change the environment
    /// meanwhile. Costs about a microsecond.
    package func zoneOffset(at time: Timestamp) -> Int {
        var seconds = time_t(clamping: time.milliseconds / 1_000)
        var parts = tm()
        // `localtime_r` alone reads the zone only once.
        tzset()
        // Fails for years beyond the range of `tm`.
        guard localtime_r(&seconds, &parts) != nil else { return 0 }
        return Int(parts.tm_gmtoff) * 1_000
    }
}

// MARK: - Linux

extension HostDevice {
    private static let unknown = "UNKNOWN"

    /// Returns the properties found in a file tree and an environment.
    /// - Parameters:
    ///   - root: the path prefix of `/etc`, `/proc` and `/sys`.
    ///   - executable: the program's path; its last component is the app's name.
    ///   - zoneOffset: the offset from GMT in milliseconds.
    package static func read(
        root: String = "",
        environment: [String: String],
        executable: String,
        zoneOffset: Int,
        from files: any FileSystem = LocalFileSystem()
    ) -> ClickstreamClient.Device {
        let tree = Tree(root: root, files: files)
        let language = Language(environment: environment)
        let vendor = tree.dmi("sys_vendor")
        let boardVendor = tree.dmi("board_vendor")
        let treeVendor = vendorOfDeviceTree(tree)
        let screen = screen(tree)
        let name = executable.split(separator: "/").last.map(String.init) ?? ""
        return ClickstreamClient.Device(
            platform: platform,
            osVersion: osVersion(tree),
            make: vendor ?? boardVendor ?? treeVendor ?? unknown,
            brand: boardVendor ?? vendor ?? treeVendor ?? unknown,
            model: model(tree),
            locale: language.locale,
            language: language.language,
            country: language.country,
            carrier: unknown,
            networkType: networkType(tree),
            screenWidth: screen.width,
            screenHeight: screen.height,
            zoneOffset: zoneOffset,
            app: ClickstreamClient.Device.App(package: name, title: name, version: "")
        )
    }

    private static var platform: String {
        #if os(macOS)
        "macOS"
        #else
        "Linux"
        #endif
    }

    /// Returns `VERSION_ID` of `/etc/os-release` (or `/usr/lib/os-release`); for a rolling distribution, which has
    /// none, the kernel release in `/proc/sys/kernel/osrelease`.
    private static func osVersion(_ tree: Tree) -> String {
        for path in ["/etc/os-release", "/usr/lib/os-release"] {
            for line in tree.lines(path) where line.hasPrefix("VERSION_ID=") {
                let version = line.dropFirst("VERSION_ID=".count).trimmed { " \"'".unicodeScalars.contains($0) }
                if !version.isEmpty { return version }
            }
        }
        return tree.lines("/proc/sys/kernel/osrelease").first ?? unknown
    }

    /// Returns `product_name` of the DMI tables; on boards without them, the device tree's `model`.
    private static func model(_ tree: Tree) -> String {
        tree.dmi("product_name") ?? tree.lines("/proc/device-tree/model").first ?? unknown
    }

    /// Returns the vendor of a board without DMI tables: `raspberrypi` of `raspberrypi,5-model-b` in the device tree's
    /// `compatible`.
    private static func vendorOfDeviceTree(_ tree: Tree) -> String? {
        let parts = tree.lines("/proc/device-tree/compatible").first?.split(separator: ",", maxSplits: 1) ?? []
        return parts.count == 2 ? String(parts[0]) : nil
    }

    /// Returns the first mode of a connected output, `/sys/class/drm/*/modes`; otherwise of an output with unknown
    /// status; otherwise the frame buffer's size, `/sys/class/graphics/fb0/virtual_size`. In pixels, 0 without a known
    /// screen.
    private static func screen(_ tree: Tree) -> (width: Int, height: Int) {
        var fallback: (width: Int, height: Int)?
        for output in tree.names("/sys/class/drm") {
            let folder = "/sys/class/drm/" + output
            guard let mode = tree.lines(folder + "/modes").first, let size = size(mode, separator: "x") else {
                continue
            }
            switch tree.lines(folder + "/status").first {
            case "connected": return size
            case "disconnected": continue
            default: fallback = fallback ?? size
            }
        }
        let frameBuffer = tree.lines("/sys/class/graphics/fb0/virtual_size").first
        return fallback ?? frameBuffer.flatMap { size($0, separator: ",") } ?? (0, 0)
    }

    /// Parses the two numbers of `1920x1080`, or of `1920x1080i`.
    private static func size(_ text: String, separator: Character) -> (width: Int, height: Int)? {
        let parts = text.split(separator: separator, maxSplits: 1)
        guard
            parts.count == 2, let width = Int(parts[0]),
            let height = Int(parts[1].prefix { $0.isASCII && $0.isNumber }),
            width > 0, height > 0
        else { return nil }
        return (width, height)
    }

    /// Returns `WIFI` or `Mobile` by the type of the default route's interface, otherwise `UNKNOWN`, including wired
    /// and offline.
    private static func networkType(_ tree: Tree) -> String {
        guard let interface = defaultInterface(tree) else { return unknown }
        let folder = "/sys/class/net/" + interface
        let kind = tree.lines(folder + "/uevent").first { $0.hasPrefix("DEVTYPE=") }
        if kind == "DEVTYPE=wlan" || tree.names(folder).contains(where: { $0 == "wireless" || $0 == "phy80211" }) {
            return "WIFI"
        }
        return kind == "DEVTYPE=wwan" || interface.hasPrefix("wwan") ? "Mobile" : unknown
    }

    /// Returns the interface of the default route with the lowest metric in `/proc/net/route`, otherwise in
    /// `/proc/net/ipv6_route`.
    private static func defaultInterface(_ tree: Tree) -> String? {
        var best: (interface: String, metric: Int)?
        // Fields: interface, destination, gateway, flags, …, metric (seventh), mask (eighth).
        for line in tree.lines("/proc/net/route").dropFirst() {
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard
                fields.count >= 8, fields[1] == "00000000", fields[7] == "00000000",
                let flags = Int(fields[3], radix: 16), flags & 1 == 1, let metric = Int(fields[6])
            else { continue }
            if metric < best?.metric ?? .max { best = (String(fields[0]), metric) }
        }
        if let best { return best.interface }
        // Fields: destination, prefix length, …, metric (sixth), …, interface (last).
        for line in tree.lines("/proc/net/ipv6_route") {
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard
                fields.count >= 10, fields[0].allSatisfy({ $0 == "0" }), fields[1] == "00", fields[9] != "lo",
                let metric = Int(fields[5], radix: 16), metric != 0xFFFF_FFFF
            else { continue }
            if metric < best?.metric ?? .max { best = (String(fields[9]), metric) }
        }
        return best?.interface
    }

    /// Language settings: the first non-empty variable of `LC_ALL`, `LC_MESSAGES` and `LANG`.
    ///
    /// `de_AT.UTF-8@euro` is the locale `de_AT`, `zh-Hans-CN` the locale `zh_Hans_CN` with the country `CN`. The
    /// locales `C` and `POSIX`, and a missing variable, mean English without a country.
    private struct Language {
        var locale = "en"
        var language = "en"
        var country = HostDevice.unknown

        init(environment: [String: String]) {
            let text = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment.setting($0) }.first ?? ""
            let identifier = text.prefix { $0 != "." && $0 != "@" }
            guard !identifier.isEmpty, identifier != "C", identifier != "POSIX" else { return }
            let parts = identifier.split { $0 == "_" || $0 == "-" }
            guard let first = parts.first else { return }
            locale = parts.joined(separator: "_")
            language = String(first)
            // A country has two letters or three digits; a script has four letters.
            country = parts.dropFirst().first(where: Self.isCountry).map { $0.uppercased() } ?? country
        }

        private static func isCountry(_ part: Substring) -> Bool {
            part.count == 2 && part.allSatisfy { $0.isASCII && $0.isLetter }
                || part.count == 3 && part.allSatisfy { $0.isASCII && $0.isNumber }
        }
    }

    /// Files of a machine. Unreadable files are treated as missing.
    private struct Tree {
        var root: String
        var files: any FileSystem

        /// Returns the non-empty lines of a small file, without white space and zero bytes at their ends.
        func lines(_ path: String) -> [String] {
            // Files of the kernel have size 0, so a fixed range is read. An unreadable file is treated as missing.
            guard let bytes = try? files.read(root + path, range: 0..<65_536) else { return [] }
            return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map {
                $0.trimmed { $0.isBlank || $0.isControl }
            }.filter { !$0.isEmpty }
        }

        func names(_ path: String) -> [String] {
            // An unreadable folder is treated as missing.
            (try? files.names(in: root + path)) ?? []
        }

        /// Returns a field of the DMI tables; `nil` for a manufacturer's placeholder.
        func dmi(_ field: String) -> String? {
            guard let text = lines("/sys/class/dmi/id/" + field).first else { return nil }
            return Self.placeholders.contains(text.lowercased()) ? nil : text
        }

        private static let placeholders: Set<String> = [
            "to be filled by o.e.m.", "to be filled by oem", "o.e.m.", "oem", "default string", "system manufacturer",
            "system product name", "system name", "board manufacturer", "base board manufacturer", "not specified",
            "not applicable", "not available", "n/a", "none", "unknown", "undefined", "invalid", "empty", "null",
            "product name", "manufacturer", "type1productconfigid", "x.x", "xxxxx", "0123456789", "123456789", "0", "1",
            "-",
            ".",
        ]
    }
}
