/// A crash's event as far as it is known before the crash: everything but its time, its message and its stack.
///
/// A handler of signals can encode nothing, so that the recorder keeps this on disk ahead of every crash.
package struct CrashDraft: Sendable, Equatable {
    /// The event with an empty message and an empty stack; its timestamp and its session's duration mean nothing yet.
    package var report: CrashReport
    /// What the steady clock would have shown when the session began.
    package var steadyAtSessionStart: Int64

    package init(report: CrashReport, steadyAtSessionStart: Int64) {
        self.report = report
        self.steadyAtSessionStart = steadyAtSessionStart
    }

    private static let title = "clickstream-crash-draft 1"

    /// The draft's text: a line about it, then the report's.
    package var bytes: [UInt8] {
        Array("\(Self.title) \(steadyAtSessionStart)\n".utf8) + report.bytes
    }

    /// Reads the text back; `nil` when it is not such a text.
    package init?(bytes: [UInt8]) {
        guard let lineEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let words = bytes[..<lineEnd].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, "\(words[0]) \(words[1])" == Self.title, let steady = Int64(words[2]),
            let report = CrashReport(bytes: Array(bytes[(lineEnd + 1)...]))
        else { return nil }
        self.init(report: report, steadyAtSessionStart: steady)
    }

    /// The report of the crash that came; `nil` when the draft holds no event.
    /// - Parameter moment: the crash's, by the clocks of the process that crashed.
    package func completed(message: String, stack: String, at moment: Moment) -> CrashReport? {
        // The line was checked by its checksum; one that is no event all the same is as good as none.
        guard let event = try? JSONReader.parse(report.line), var members = event.members,
            let place = members.firstIndex(where: { $0.name == "attributes" }),
            var attributes = members[place].value.members
        else { return nil }
        func replace(_ name: String, _ kind: JSONValue.Kind, in members: inout [JSONMember]) {
            guard let place = members.firstIndex(where: { $0.name == name }) else { return }
            members[place].value = JSONValue(kind)
        }
        let duration = max(0, moment.steady - steadyAtSessionStart)
        replace(AttributeName.sessionDuration, .number(JSONNumber(integer: duration)), in: &attributes)
        replace(AttributeName.exceptionMessage, .string(CrashReport.cut(message: message)), in: &attributes)
        replace(AttributeName.exceptionStack, .string(CrashReport.cut(stack: stack)), in: &attributes)
        members[place].value = JSONValue(.object(attributes))
        replace("timestamp", .number(JSONNumber(integer: moment.wall.milliseconds)), in: &members)
        var completed = report
        completed.timestamp = moment.wall
        completed.line = []
        JSONValue(.object(members)).write(into: &completed.line)
        return completed
    }
}
