/// Limits that protect the collector from single clients. Not configurable; tests use smaller ones.
struct Limits: Sendable, Hashable {
    /// Bytes of one header line, including the request line, and of all header lines together.
    var headerBytes = 32_768
    /// Header lines of a request.
    var headerCount = 200
    /// Bytes of a rejected body that are read before the connection is closed, so that the client receives the status.
    var refusedBodyBytes = 2 * 1_048_576
    /// Maximum bytes of an inflated body. A real request of 10 000 events has 13 MB.
    var inflatedBytes = 64 * 1_048_576
    /// Bytes of all bodies not stored yet, as sent; further ones are rejected with 503.
    var waitingBodyBytes = 128 * 1_048_576
    /// Bytes of memory for small bodies being decoded or waiting to be stored; further ones wait.
    var smallReadBytes = 32 * 1_048_576
    /// The same for the bodies between small and large.
    var mediumReadBytes = 96 * 1_048_576
    /// Bytes of JSON text up to which a body is small. Small bodies are decoded on the threads of the requests.
    var smallBytes = 262_144
    /// Bytes of JSON text above which a body is large. Large bodies are decoded and stored one at a time.
    var largeBytes = 8 * 1_048_576
    /// Seconds that a body waits for memory before it is rejected with 503.
    var readingSeconds: Int64 = 10
    /// Maximum bytes of the events or requests in one page of a query.
    var pageBytes = 32 * 1_048_576
    /// Number of queries of the tracking plan that run concurrently; further ones are rejected with 503.
    var planQueries = 8
    /// Seconds after which such a query is rejected with 503.
    var planSeconds: Int64 = 10
    /// Number of reports that are computed or wait for others; further ones are rejected with 503.
    var reports = 8
    /// Seconds after which a report is rejected with 503.
    var reportSeconds: Int64 = 30
    /// Seconds after which a silent connection is closed, within a request or between two.
    var idleSeconds: Int64 = 60
    /// Seconds after which a client that reads nothing of a reply held in memory is disconnected.
    var heldSeconds: Int64 = 5
    /// Seconds from a request's head to its body's last byte.
    var bodySeconds: Int64 = 60
    /// Seconds during which the rest of a rejected body is read and dropped after the reply.
    var lingerSeconds: Int64 = 2
    /// Limits at which a file of the archive is closed.
    var rotation = ArchiveRotation()
    /// Seconds between two checks for expired requests and for archive files that are due.
    var tidySeconds: Int64 = 10
    /// Seconds of silence after which a stream sends a comment as heartbeat.
    var heartbeatSeconds: Int64 = 15
    /// Maximum number of connections; further ones wait to be accepted. Lower if the system allows fewer open files.
    var connections = 16_384
    /// Seconds from the beginning of a stop to the end of all work in it.
    var stopSeconds: Int64 = 10
    /// Seconds of these that requests in progress may take.
    var stopRequestSeconds: Int64 = 7

    /// Number of connections within a limit on open files, with some files reserved for other purposes.
    /// - Parameter openFiles: limit of the process; negative for none.
    func connections(openFiles: Int) -> Int {
        openFiles < 0 ? connections : min(connections, max(16, openFiles - 128))
    }
}
