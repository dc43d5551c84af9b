/// An expectation of a ``ClickstreamTestRecorder`` that is not met: what was expected, what there was, and where it was
/// asked.
public struct UnmetExpectation: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was expected and what was found, in one sentence, then what was recorded, one event a line.
    public let message: String
    public let fileID: String
    public let filePath: String
    public let line: Int
    public let column: Int

    /// The message, and the place in the test.
    public var description: String { "\(message)\n(expected at \(fileID):\(line):\(column))" }
}
