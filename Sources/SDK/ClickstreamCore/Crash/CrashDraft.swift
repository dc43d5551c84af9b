/// Event of a possible crash, prepared in advance: everything except its time, its message and its stack.
///
/// A signal handler cannot encode an event, so the recorder keeps the draft on disk before any crash.
package struct CrashDraft: Sendable, Equatable {
    /// The event with an empty message and an empty stack; its timestamp and session duration are placeholders.
    package var report: CrashReport
    /// The value of the monotonic clock at the start of the session.
    package var steadyAtSessionStart: Int64

    package init(report: CrashReport, steadyAtSessionStart: Int64) {
        self.report = report
        self.steadyAtSessionStart = steadyAtSessionStart
    }

    private static let title = "clickstream-crash-draft 1"

    /// The encoded draft: a header line, then the report.
    package var bytes: [UInt8] {
        Array("\(Self.title) \(steadyAtSessionStart)\n".utf8) + report.bytes
    }

    /// Decodes a draft; returns `nil` if it is not valid.
    package init?(bytes: [UInt8]) {
        guard let lineEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let words = bytes[..<lineEnd].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, "\(words[0]) \(words[1])" == Self.title, let steady = Int64(words[2]),
            let report = CrashReport(bytes: Array(bytes[(lineEnd + 1)...]))
        else { return nil }
        self.init(report: report, steadyAtSessionStart: steady)
    }

    /// Returns the report of an actual crash; `nil` if the draft contains no event.
    /// - Parameters:
    ///   - breadcrumbs: the messages before the crash, one a line; without any, the event has no such attribute.
    ///   - moment: the time of the crash, by the clocks of the crashed process.
    package func completed(
        message: String,
        stack: String,
        breadcrumbs: String = "",
        at moment: Moment
    ) -> CrashReport? {
        // The line was verified by its checksum; one that is not an event is ignored.
        guard let event = try? JSONReader.parse(report.line), var members = event.members,
            let index = members.firstIndex(where: { $0.name == FieldName.attributes }),
            var attributes = members[index].value.members
        else { return nil }
        func replace(_ name: String, _ kind: JSONValue.Kind, in members: inout [JSONMember]) {
            guard let index = members.firstIndex(where: { $0.name == name }) else { return }
            members[index].value = JSONValue(kind)
        }
        let duration = max(0, moment.steady - steadyAtSessionStart)
        replace(AttributeName.sessionDuration, .number(JSONNumber(integer: duration)), in: &attributes)
        replace(AttributeName.exceptionMessage, .string(CrashReport.cut(message: message)), in: &attributes)
        replace(AttributeName.exceptionStack, .string(CrashReport.cut(stack: stack)), in: &attributes)
        if !breadcrumbs.isEmpty, attributes.count < Rules.attributes.maxCount {
            let name = AttributeName.exceptionBreadcrumbs
            attributes.removeAll { $0.name == name }
            let stack = attributes.firstIndex { $0.name == AttributeName.exceptionStack }
            let next = stack.map { $0 + 1 } ?? attributes.endIndex
            attributes.insert(JSONMember(name, JSONValue(.string(CrashReport.cut(stack: breadcrumbs)))), at: next)
        }
        members[index].value = JSONValue(.object(attributes))
        replace(FieldName.timestamp, .number(JSONNumber(integer: moment.wall.milliseconds)), in: &members)
        var completed = report
        completed.timestamp = moment.wall
        completed.line = []
        JSONValue(.object(members)).write(into: &completed.line)
        return completed
    }
}
