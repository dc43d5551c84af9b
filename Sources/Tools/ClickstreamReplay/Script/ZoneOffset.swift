package import ClickstreamCore
import Foundation

/// A time zone by its IANA name: offset from GMT at any time, including daylight saving time.
///
/// The only use of Foundation in this module, whose tables exist on every system.
package struct ZoneOffset: Sendable, Hashable {
    package static let utc = ZoneOffset(name: "UTC", zone: .gmt)

    /// The name as written.
    package let name: String
    private let zone: TimeZone

    private init(name: String, zone: TimeZone) {
        self.name = name
        self.zone = zone
    }

    /// - Returns: `nil` for unknown names, abbreviations (`PST`) and offsets (`GMT+8`).
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

    /// Candidates for suggestions.
    static var knownNames: [String] { ["UTC"] + TimeZone.knownTimeZoneIdentifiers }

    /// True for names such as `GMT+8`, which is west of Greenwich in POSIX and east elsewhere.
    private static func isSum(_ name: String) -> Bool {
        !name.hasPrefix("Etc/") && name.contains { $0 == "+" } || name.hasPrefix("GMT-") || name.hasPrefix("UTC-")
    }

    /// True for ambiguous abbreviations: `CST` is used in America, China and Cuba.
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
