import ClickstreamCapture
import ClickstreamCore

extension ScriptExpectation {
    /// The touches in the lines of a replay.
    static func touches(of replay: ScriptReplay) throws -> [String] {
        try (replay.events[.contentsquare] ?? []).compactMap { line in
            let event = try JSONReader.parse(Array(line.utf8))
            guard let path = event["tvp"]?.string else { return nil }
            let numbers = ["fd", "tvd", "tvv"].map { event[$0]?.integer.map { "\($0)" } ?? "-" }
            let responds: Bool? = if case .boolean(let truth)? = event["ur"]?.kind { truth } else { nil }
            return
                ([event["t"]?.integer, event["ea"]?.integer].map { "\($0 ?? -1)" }
                + [path, event["tvid"]?.string ?? "", responds.map { "\($0)" } ?? "-"] + numbers)
                .joined(separator: " ")
        }
    }

    /// A touch of the model.
    static func touch(_ gesture: TouchGesture, _ target: Target, at time: Moment) -> String {
        let isSwipe = gesture.kind == .drag || gesture.kind == .flick
        let parts = [
            "\(time.wall.milliseconds)", "\(gesture.kind.rawValue)", target.path, target.id,
            gesture.kind == .tap ? "\(target.isResponsive)" : "-", isSwipe ? "\(gesture.direction.rawValue)" : "-",
            isSwipe ? "\(Int(gesture.distance))" : "-", isSwipe ? "\(Int(gesture.velocity))" : "-",
        ]
        return parts.joined(separator: " ")
    }
}
