/// Limits at which a file of the archive is closed.
struct ArchiveRotation: Sendable, Hashable {
    /// Bytes of the file, as compressed: the published sink's batch.
    var bytes = 30_000_000
    /// Seconds since its first request.
    var seconds: Int64 = 300
}
