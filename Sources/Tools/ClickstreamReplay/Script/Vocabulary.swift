import ClickstreamCapture
import ClickstreamCore

/// Keys of the script format outside of steps, as described in Docs/replay.schema.json.
enum Vocabulary {
    static let scriptKeys = ["clickstream", "seed", "start", "time_zone", "config", "app", "device", "ui", "steps"]
    static let appKeys = AppFacts.texts.map(\.key)
    static let deviceKeys = DeviceFacts.texts.map(\.key) + DeviceFacts.pixels.map(\.key)

    // MARK: Automatic capture

    /// Configuration keys of capture formats.
    static let captureFormats = CaptureConfiguration.formats.map { $0.formatName.rawValue }
    static let captureKeys = ["autoEvents"] + captureFormats
    /// Type of document 003 without auto events of its own.
    static let revenueType = "revenueTracking"
    static let autoEventTypes = AutoEventType.all.map(\.name) + [revenueType]
    static let pageKeys = [
        "name", "title", "accessibility_id", "group", "section", "container", "mask", "opt", "properties", "ids",
        "views",
    ]
    static let viewKeys = [
        "class", "kind", "name", "text", "input", "localized_key", "frame", "responds", "accessibility_id",
        "restoration_id", "tag", "group", "section", "secure", "mask", "opt", "properties", "ids", "content", "items",
        "views",
    ]
    static let viewItemsKeys = ["height", "width", "data", "event_data"]
    static let kinds = Capture.ElementType.allCases.map(\.rawValue)
}
