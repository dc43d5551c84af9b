package import ClickstreamCore

/// Change of a zone's offset from GMT.
package struct ZoneChange: Sendable {
    /// Name in the time zone database.
    package let zone: String
    /// The first moment with the new offset.
    package let time: Timestamp
    /// Minutes east of GMT before the change, and after it.
    package let minutes: (before: Int64, after: Int64)

    package init(_ zone: String, at milliseconds: Int64, from before: Int64, to after: Int64) {
        self.zone = zone
        time = Timestamp(milliseconds: milliseconds)
        minutes = (before, after)
    }

    /// Changes of each kind.
    package static let all = [
        ZoneChange("America/New_York", at: 1_772_953_200_000, from: -300, to: -240),  // 2026-03-08 07:00 UTC
        ZoneChange("America/New_York", at: 1_793_512_800_000, from: -240, to: -300),  // 2026-11-01 06:00 UTC
        // Half an hour.
        ZoneChange("Australia/Lord_Howe", at: 1_775_314_800_000, from: 660, to: 630),  // 2026-04-04 15:00 UTC
        // Ramadan, without daylight saving time.
        ZoneChange("Africa/Casablanca", at: 1_710_036_000_000, from: 60, to: 0),  // 2024-03-10 02:00 UTC
        ZoneChange("Africa/Casablanca", at: 1_713_060_000_000, from: 0, to: 60),  // 2024-04-14 02:00 UTC
        // Across the date line.
        ZoneChange("Pacific/Apia", at: 1_325_239_200_000, from: -600, to: 840),  // 2011-12-30 10:00 UTC
    ]
}
