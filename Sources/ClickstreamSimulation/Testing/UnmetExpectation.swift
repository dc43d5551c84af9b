/// Unmet expectation of a ``ClickstreamTestRecorder``: expected and recorded events, with the source location.
public struct UnmetExpectation: Error, Sendable, Hashable, CustomStringConvertible {
    /// The expected and the actual result in one sentence, then the recorded events, one per line.
    public let message: String
    public let fileID: String
    public let filePath: String
    public let line: Int
    public let column: Int

    /// The message and the source location.
    public var description: String { "\(message)\n(expected at \(fileID):\(line):\(column))" }
}
