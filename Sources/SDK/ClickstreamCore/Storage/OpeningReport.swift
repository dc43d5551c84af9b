/// Report on the content of a run folder when it was opened.
package struct OpeningReport: Sendable, Equatable {
    /// The number of pending events. Damaged records are included until they are read for sending.
    package var events = 0
    /// The size of the pending events on disk.
    package var bytes = 0
    /// The size of incomplete records, which are truncated.
    package var tornBytes = 0
    /// The number of damaged lines in the part that was scanned.
    package var damagedRecords = 0
    /// The number of events whose files were missing, or shorter than before.
    package var missingEvents = 0
    /// The time of the last foreground event, if any.
    package var lastActive: Timestamp?
    /// Problems to report, such as a damaged manifest.
    package var notes: [Notice.Warning] = []

    package init() {}
}
