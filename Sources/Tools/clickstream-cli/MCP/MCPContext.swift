import ClickstreamCore

/// Surroundings of a call: the events, the clock, the limit of results, and the client that receives progress.
struct MCPContext: Sendable {
    /// Reads the body of an endpoint of the query API, as ``read(_:_:silence:)`` does.
    typealias Read =
        @Sendable (
            _ path: String, _ parameters: [(name: String, value: String)], _ silence: Int64?
        ) async throws -> [UInt8]

    /// Maximum bytes of a result by default: 64 KiB.
    static let defaultBytes = 65_536

    private let body: Read
    let time: any TimeSource
    /// Maximum bytes of the JSON object of a result.
    let maxBytes: Int
    /// Reports the progress of the call.
    var report: @Sendable (MCPProgress) -> Void = { _ in }

    init(
        maxBytes: Int = Self.defaultBytes,
        time: any TimeSource = SystemDependencies.time,
        read: @escaping Read
    ) {
        body = read
        self.time = time
        self.maxBytes = maxBytes
    }

    /// The context of a call whose progress `report` receives.
    func reporting(_ report: @escaping @Sendable (MCPProgress) -> Void) -> MCPContext {
        var context = self
        context.report = report
        return context
    }

    /// Reads the body of an endpoint of the query API.
    /// - Parameter silence: maximum milliseconds to wait for a collector that sends nothing; `nil` for the usual time.
    /// - Throws: ``CommandFailure``; `CancellationError`.
    func read(
        _ path: String,
        _ parameters: [(name: String, value: String)],
        silence: Int64? = nil
    ) async throws -> [UInt8] {
        try await body(path, parameters, silence)
    }

    /// The object of an endpoint.
    func object(
        _ path: String,
        _ parameters: [(name: String, value: String)] = [],
        advice: String
    ) async throws -> [UInt8] {
        try MCPResult.object(await read(path, parameters), maxBytes: maxBytes, advice: advice)
    }
}
