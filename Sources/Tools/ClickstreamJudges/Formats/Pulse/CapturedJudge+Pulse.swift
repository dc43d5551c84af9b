import ClickstreamCore

/// Checks of a Pulse event: its fields, then values against each other. Values of a wrong type have a finding of their own,
/// and are ignored in the second part.
extension CapturedJudge {
    mutating func judgePulse(_ event: JSONValue) -> String {
        let type = event["event_type"]?.string ?? ""
        let table = PulseFields.event(type)
        check(event, .object(table ?? PulseFields.unknown))
        guard table != nil else {
            if !type.isEmpty {
                report(
                    .unknownEvent,
                    "event_type",
                    "is \"\(Characters.reported(type))\", which is no event of the format"
                )
            }
            return type
        }
        guard let data = event["data"] else { return type }
        enter("data")
        checkConsistency(of: data, at: event["timestamp"]?.integer)
        leave()
        return type
    }

    /// Checks the members of `data`.
    /// - Parameter time: the time of the event.
    private mutating func checkConsistency(of data: JSONValue, at time: Int64?) {
        if let items = data["params"]?.array {
            checkCount(of: items, data["items_count"]?.integer)
            if let time, TimeUnit(of: time) == nil { checkTimes(of: items, upTo: time) }
        }
        if let scroll = data["scroll_info"] {
            enter("scroll_info")
            check(scroll: scroll)
            leave()
        }
        if let gesture = data["gesture_params"], let type = gesture["type"]?.string,
            let table = PulseFields.gesture(type)
        {
            enter("gesture_params")
            object(gesture, table)
            checkChanges(of: gesture)
            leave()
        }
    }

    private mutating func checkCount(of items: [JSONValue], _ count: Int64?) {
        guard let count, count != Int64(items.count) else { return }
        report(.itemsCount, "items_count", "is \(count), and there are \(items.count) params")
    }

    private mutating func checkTimes(of items: [JSONValue], upTo time: Int64) {
        enter("params")
        for (index, item) in items.enumerated() {
            guard let start = item["timestamp"]?.integer, start > time, TimeUnit(of: start) == nil else { continue }
            enter(index)
            report(.itemTime, "timestamp", "is later than the event")
            leave()
        }
        leave()
    }

    private mutating func check(scroll: JSONValue) {
        guard let start = scroll["start_position"]?.integer, let end = scroll["end_position"]?.integer,
            let distance = scroll["distance"]?.integer, distance >= 0
        else { return }
        if !Self.isChange(distance, from: start, to: end, isAbsolute: true) {
            report(.scrollDistance, "distance", "is \(distance), between the positions \(start) and \(end)")
        }
        if let speed = scroll["speed"]?.integer, let duration = scroll["duration"]?.integer, duration > 0,
            !Self.isSpeed(speed, distance, duration)
        {
            report(.scrollSpeed, "speed", "is \(speed), for \(distance) pixels in \(duration) ms")
        }
        guard let direction = scroll["direction"]?.string, start != end else { return }
        let expected = end > start ? ["up", "left"] : ["down", "right"]
        if !expected.contains(direction), ["up", "down", "left", "right"].contains(direction) {
            let change = end > start ? "growing" : "shrinking"
            report(.scrollDirection, "direction", "is \(direction), for a \(change) offset")
        }
    }

    /// True if a truncated difference fits truncated ends.
    private static func isChange(_ change: Int64, from start: Int64, to end: Int64, isAbsolute: Bool) -> Bool {
        let difference = end.subtractingReportingOverflow(start)
        if difference.overflow { return true }
        let expected = isAbsolute ? Int64(clamping: difference.partialValue.magnitude) : difference.partialValue
        let error = change.subtractingReportingOverflow(expected)
        return !error.overflow && (-1...1).contains(error.partialValue)
    }

    /// True if a distance from `distance` to `distance + 1` in `duration` milliseconds has the truncated speed.
    private static func isSpeed(_ speed: Int64, _ distance: Int64, _ duration: Int64) -> Bool {
        let least = distance.multipliedReportingOverflow(by: 1_000)
        let (next, isPast) = least.partialValue.addingReportingOverflow(1_000)
        // Values beyond any screen.
        if least.overflow || isPast { return true }
        return (least.partialValue / duration...next / duration).contains(speed)
    }

    private mutating func checkChanges(of gesture: JSONValue) {
        for names in PulseFields.changes {
            guard let start = gesture[names.start]?.integer, let end = gesture[names.end]?.integer,
                let change = gesture[names.change]?.integer,
                !Self.isChange(change, from: start, to: end, isAbsolute: names.isAbsolute)
            else { continue }
            report(.gestureChange, names.change, "is \(change), from \(start) to \(end)")
        }
    }
}
