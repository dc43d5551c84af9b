import ClickstreamCapture

/// Format of captured events that a script configures.
struct ScriptedFormat: Sendable {
    /// Name of the format, and its key in a configuration.
    let name: String
    /// Keys of its mapping.
    let keys: [String]
    /// Enables the format.
    let enable: @Sendable (inout CaptureConfiguration, CaptureFacts.Format, _ endpoint: String, Script) -> Void

    /// All formats, in the order of the documents.
    static let all = [pulse, contentsquare]
}
