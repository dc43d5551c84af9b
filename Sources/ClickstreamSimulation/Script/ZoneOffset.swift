package import ClickstreamCore
import Foundation

/// A time zone by its IANA name: how far its clocks are from GMT at any moment, daylight saving time included.
///
/// The only use of Foundation in this module; its tables also serve systems without any.
package struct ZoneOffset: Sendable, Hashable {
    package static let utc = ZoneOffset(name: "UTC", zone: .gmt)

    /// The name as it was given.
    package let name: String
    private let zone: TimeZone

    private init(name: String, zone: TimeZone) {
        self.name = name
        self.zone = zone
    }

    /// - Returns: `nil` when no zone has that name; abbreviations (`PST`) and sums (`GMT+8`) are not names.
    package init?(_ name: String) {
        guard !ZoneOffset.isSum(name), !ZoneOffset.isAmbiguous(name), let zone = TimeZone(identifier: name) else {
            return nil
        }
        self.init(name: name, zone: zone)
    }

    /// Milliseconds east of GMT at `moment`. Costs about a microsecond.
    package func milliseconds(at moment: Timestamp) -> Int {
        let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1_000)
        return zone.secondsFromGMT(for: date) * 1_000
    }

    /// The names that a misspelt one is compared with.
    static var knownNames: [String] { ["UTC"] + TimeZone.knownTimeZoneIdentifiers }

    /// `GMT+8`: to POSIX that is west, to most people east.
    private static func isSum(_ name: String) -> Bool {
        !name.hasPrefix("Etc/") && name.contains { $0 == "+" } || name.hasPrefix("GMT-") || name.hasPrefix("UTC-")
    }

    /// `CST` is used in America, China and Cuba; only a few of such abbreviations are names too.
    private static func isAmbiguous(_ name: String) -> Bool {
        TimeZone.abbreviationDictionary[name] != nil
            && !["UTC", "GMT", "EST", "MST", "HST", "CET", "EET", "MET", "WET"].contains(name)
    }

    package static func == (left: ZoneOffset, right: ZoneOffset) -> Bool {
        left.name == right.name
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}
