import ClickstreamCapture
import ClickstreamCore

extension CapturedFormat {
    /// The format of document 003.
    package static let pulse = CapturedFormat(
        name: .pulse,
        title: "Pulse",
        list: .captured,
        body: .array,
        id: "event_id",
        time: .milliseconds("timestamp"),
        marks: ["event_id", "data"],
        summary: .columns([
            Column("type", "data", "element", "type"), Column("class", "data", "element", "class"),
            Column("id", "data", "element", "id"), Column("value", "data", "element", "value"),
            Column("sequence", "data", "element", "sequence"), Column("page", "data", "parent_info", "class"),
            Column("gesture", "data", "gesture_params", "type"), Column("target", "data", "target_info", "class"),
            Column("direction", "data", "scroll_info", "direction"),
            Column("distance", "data", "scroll_info", "distance"),
            Column("depth", "data", "scroll_info", "scroll_depth"), Column("items", "data", "items_count"),
        ]),
        phrase: { PulsePhrase.phrase(of: $0) },
        queue: { PulseFormat() },
        rules: CapturedRule.ofCapture + CapturedRule.ofPulse,
        judge: { $0.judgePulse($1) }
    )
}
