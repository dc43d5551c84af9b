import ClickstreamCapture
import ClickstreamCore

/// Checks of a Contentsquare event. Values of a wrong type have a finding of their own, and are not compared with others.
extension CapturedJudge {
    mutating func judgeContentsquare(_ event: JSONValue) -> String {
        let code = event["ea"]?.integer
        let action = code.flatMap { ContentsquareFields.action($0) }
        check(event, .object(action?.fields ?? ContentsquareFields.unknown))
        checkBatch(event)
        guard let code else { return "" }
        if code == 9 || code == 10 { checkSwipe(event, isFlick: code == 10) }
        return action?.name ?? "ea_\(code)"
    }

    /// Checks distance and velocity of a drag or flick.
    private mutating func checkSwipe(_ event: JSONValue, isFlick: Bool) {
        let name = isFlick ? "flick" : "drag"
        if let distance = event["tvd"]?.integer {
            let least = ContentsquareFields.swipeDistance
            if distance < least {
                report(.gestureClass, "tvd", "is \(distance); a \(name) is longer than \(least) dp")
            } else if distance == least {
                report(.gestureThreshold, "tvd", "is \(distance); a \(name) is longer than that")
            }
        }
        if let velocity = event["tvv"]?.integer {
            let least = ContentsquareFields.flickVelocity
            if isFlick != (velocity >= least) {
                report(
                    .gestureClass,
                    "tvv",
                    "is \(velocity); a \(name) has \(isFlick ? "at least" : "less than") \(least) dp/s"
                )
            }
        }
    }

    // MARK: Values

    fileprivate mutating func checkCurrency(_ value: JSONValue) {
        if let code = integer(value), Int(exactly: code).flatMap({ Capture.Currency(code: $0) })?.letters == nil {
            report(.currency, "is \(code), which is no currency of ISO 4217")
        }
    }

    fileprivate mutating func checkURL(_ value: JSONValue) {
        if let url = text(value), !Self.isURL(url) {
            report(.url, "does not have the form app-<platform>://<app id>/<path>?title=<screen name>")
        }
    }

    private static func isURL(_ text: String) -> Bool {
        var rest = text.utf8[...]
        guard rest.starts(with: "app-".utf8), !rest.contains(where: { $0 <= 0x20 }),
            let colon = rest.firstIndex(of: UInt8(ascii: ":"))
        else { return false }
        rest = rest[colon...]
        guard rest.starts(with: "://".utf8) else { return false }
        rest = rest.dropFirst(3)
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")),
            let query = rest[slash...].firstIndex(of: UInt8(ascii: "?"))
        else { return false }
        return rest[query...].starts(with: "?title=".utf8)
    }

    /// Custom variables: `{ index: { name: text } }`.
    fileprivate mutating func checkVariables(_ value: JSONValue) {
        guard let members = value.members else {
            return report(.notAnObject, "is \(value.kindDescription), not an object")
        }
        let maxCount = ContentsquareFields.maxVariables
        if members.count > maxCount {
            report(.tooMany, "has \(members.count) variables, at most \(maxCount) are allowed")
        }
        var indexes: Set<Int64> = []
        for member in members {
            if let index = Int64(member.name) {
                if !indexes.insert(index).inserted {
                    report(.variableIndex, member.name, "has an index that occurs more than once")
                }
            } else {
                report(.variableIndex, member.name, "has an index that is not an integer")
            }
            guard let entry = member.value.members, entry.count == 1, entry[0].value.string != nil else {
                report(.variable, member.name, "is not an object with one name and one text")
                continue
            }
        }
    }
}

extension CapturedField.Check {
    /// As ``integer(_:)``, a number of ISO 4217.
    static let currency = CapturedField.Check.custom { $0.checkCurrency($1) }
    static let url = CapturedField.Check.custom { $0.checkURL($1) }
    /// Custom variables of a screen.
    static let variables = CapturedField.Check.custom { $0.checkVariables($1) }
}
