/// Numbers of what an import stored.
package struct ImportCounts: Sendable, Hashable, Encodable {
    /// New events, of all formats.
    package var events = 0
    /// New requests.
    package var requests = 0
    /// Events that were stored before, in other requests.
    package var duplicates = 0
    /// Requests that were stored before, by their ids; their events are not counted.
    package var requestsPresent = 0
    /// Lines that are not empty.
    package var lines = 0
    /// Lines that were not imported, or not completely.
    package var badLines = 0

    /// Files whose gzip data is damaged or ends too early.
    package var damagedFiles = 0

    package init() {}

    /// True if a part of the input was not imported.
    package var isIncomplete: Bool { badLines > 0 || damagedFiles > 0 }

    private enum CodingKeys: String, CodingKey {
        case events, requests, duplicates, lines
        case requestsPresent = "requests_already_stored"
        case badLines = "bad_lines"
        case damagedFiles = "damaged_files"
    }

    package static func += (sum: inout ImportCounts, other: ImportCounts) {
        sum.events += other.events
        sum.requests += other.requests
        sum.duplicates += other.duplicates
        sum.requestsPresent += other.requestsPresent
        sum.lines += other.lines
        sum.badLines += other.badLines
        sum.damagedFiles += other.damagedFiles
    }
}
