/// Unmet expectation of a ``ClickstreamTestRecorder``: expected and recorded events, with the source location.
public struct UnmetExpectation: Error, Sendable, Hashable, CustomStringConvertible {
    /// The expected and the actual result in one sentence, then the recorded events, one per line.
    public let message: String
    /// The source location of the expectation, as in `#fileID`.
    public let fileID: String
    /// The source location of the expectation, as in `#filePath`.
    public let filePath: String
    /// The line of the expectation, from 1.
    public let line: Int
    /// The column of the expectation, from 1.
    public let column: Int

    /// The message and the source location.
    public var description: String { "\(message)\n(expected at \(fileID):\(line):\(column))" }
}
