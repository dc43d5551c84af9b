package import ClickstreamCore

/// Checks the events of one request body by the tables of their format.
///
/// Pure and deterministic; reads any JSON. Takes time and memory in proportion to the values of an event, within the
/// ``bounds`` of its JSON value. Findings come in the order of the fields, missing fields after those, consistency
/// last. The header of a batch is checked once; its findings are findings of each of its events.
package struct CapturedJudge: Sendable {
    /// Depth and size of the JSON value of an event. No field of the formats is deeper.
    package static let bounds = JSONReader.Bounds(
        objectDepth: 4,
        arrayDepth: 3,
        container: 65_536,
        values: 65_536
    )

    let form: CapturedFormat
    /// Time of arrival; `nil` for a check without a receiver.
    let receivedAt: Timestamp?
    /// The largest number of events of a batch.
    private let batchSize: Int
    /// The findings on the header.
    private var headerFindings: [WireFinding] = []
    private var unlistedHeaderFindings = 0
    private var isHeaderBad = false
    /// The number of events judged.
    private var count = 0
    /// The first session of the batch.
    private var session: Int64?

    // MARK: State of one event

    private var maxListed = Rules.maxFindings
    private var findings: [WireFinding] = []
    private var unlisted = 0
    private var isBad = false
    /// Queryable content of an audit event.
    var audit: AuditContent?
    /// Names of the objects, and indexes of the lists, that contain the current value.
    private var path: [Part] = []

    private enum Part: Sendable {
        case name(String)
        case index(Int)
    }

    /// Findings on an event, with what a store keeps of it.
    package struct Verdict: Sendable, Hashable {
        /// The name that the format's description determines; ``CapturedFormat/unknownName`` without a usable one.
        package var name: String
        /// The identifier, at most 256 bytes; `nil` if it is missing or longer.
        package var id: String?
        /// Offset of the identifier in the JSON of the event.
        package var idOffset: Int?
        /// Time by which duplicates are compared, in milliseconds: of the event, or of the identifier of an audit event.
        package var timestamp: Int64?
        /// Queryable content of an audit event; `nil` for other formats.
        package var audit: AuditContent?
        package var findings: [WireFinding]
        /// The number of findings that are not listed.
        package var unlisted: Int
        /// True if there is an error, listed or not.
        package var isBad: Bool
    }

    /// - Parameters:
    ///   - header: the JSON of a batch without its events; `nil` for an array, and for single events.
    ///   - batchSize: the largest number of events of a batch; `nil` for that of the format.
    package init(_ form: CapturedFormat, header: [UInt8]? = nil, receivedAt: Timestamp?, batchSize: Int? = nil) {
        self.form = form
        self.receivedAt = receivedAt
        self.batchSize = batchSize ?? form.batch?.maxEvents ?? .max
        guard let header, let batch = form.batch else { return }
        let (value, omitted) = Self.value(of: header)
        enter("header")
        check(value, .object(batch.header))
        if omitted > 0 { report(.tooLarge, "has more than \(Self.bounds.values) values") }
        leave()
        (headerFindings, unlistedHeaderFindings, isHeaderBad) = (findings, unlisted, isBad)
    }

    private static func value(of bytes: [UInt8]) -> (JSONValue, Int) {
        let parsed = bytes.withUnsafeBytes { bytes in
            // A header was found by a JSON parser. Otherwise it is reported as no object.
            try? JSONReader.parse(bytes, within: bounds)
        }
        return (parsed?.value ?? JSONValue(.null), parsed?.omitted ?? 0)
    }

    /// Returns the findings on the next event of the body.
    /// - Parameters:
    ///   - omitted: the number of values that were not built because of ``bounds``.
    ///   - maxListed: the maximum number of listed findings; the first is always listed. If it is less than the findings on
    ///     the header, one finding with their number takes their place.
    package mutating func judge(
        _ event: JSONValue,
        omitted: Int = 0,
        maxListed: Int = Rules.maxFindings
    ) -> Verdict {
        self.maxListed = min(max(1, maxListed), Rules.maxFindings)
        let listsHeader = headerFindings.count <= max(0, maxListed)
        findings = listsHeader ? headerFindings : [headerSummary]
        unlisted = unlistedHeaderFindings + (listsHeader ? 0 : headerFindings.count)
        isBad = isHeaderBad
        path = []
        let judge = form.judge
        let name = judge?(&self, event) ?? ""
        if omitted > 0 { report(.tooLarge, "has more than \(Self.bounds.values) values") }
        count += 1
        let id = event[form.id]
        let identity =
            form.identity?(id?.string)
            ?? CapturedFormat.Identity(id: id?.string, time: event[form.time.name]?.integer)
        return Verdict(
            name: Self.cut(name),
            id: identity.id.flatMap { $0.utf8.count <= 256 && !$0.isEmpty ? $0 : nil },
            idOffset: id?.offset,
            timestamp: identity.time,
            audit: audit,
            findings: findings,
            unlisted: unlisted,
            isBad: isBad
        )
    }

    /// One finding in place of all on the header, whose text does not depend on them.
    private var headerSummary: WireFinding {
        let first = headerFindings.first { $0.severity == .error } ?? headerFindings.first
        let count = headerFindings.count + unlistedHeaderFindings
        return WireFinding(
            code: first?.code ?? CapturedRule.tooLarge.code(form),
            severity: isHeaderBad ? .error : .warning,
            subject: .event,
            name: "header",
            message: "\"header\" has \(count == 1 ? "a finding" : "\(count) findings"), which the first events list"
        )
    }

    /// A name of at most 100 characters, without control characters.
    private static func cut(_ name: String) -> String {
        if name.isEmpty { return CapturedFormat.unknownName }
        if name.utf8.count <= 100, name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) { return name }
        return Characters.reported(name)
    }

    /// Checks the number of an event in its batch, and its session, which a batch has one of.
    mutating func checkBatch(_ event: JSONValue) {
        let (number, maxCount) = (count + 1, batchSize)
        if number > maxCount { report(.batchSize, "is number \(number) of a batch of at most \(maxCount)") }
        guard let name = form.session, let own = event[name]?.integer else { return }
        if let session, own != session {
            report(.sessions, name, "is \(own), and \(session) in an earlier event of the batch")
        }
        session = session ?? own
    }

    // MARK: Reporting

    mutating func enter(_ name: String) { path.append(.name(name)) }
    mutating func enter(_ index: Int) { path.append(.index(index)) }
    mutating func leave() { path.removeLast() }

    /// Number of names and indexes that lead to the current value.
    var depth: Int { path.count }
    /// Leaves all values below a depth, after an error within one of them.
    mutating func leave(to depth: Int) { path.removeLast(max(0, path.count - depth)) }

    /// Reports a finding on a member of the current value.
    mutating func report(_ rule: CapturedRule, _ name: String, _ message: @autoclosure () -> String) {
        if rule.severity == .error { isBad = true }
        guard findings.count < maxListed else {
            unlisted += 1
            return
        }
        path.append(.name(name))
        list(rule, message())
        path.removeLast()
    }

    /// Reports a finding on the current value.
    mutating func report(_ rule: CapturedRule, _ message: @autoclosure () -> String) {
        if rule.severity == .error { isBad = true }
        guard findings.count < maxListed else {
            unlisted += 1
            return
        }
        list(rule, message())
    }

    /// - Parameter message: the rest of a sentence about the current value.
    private mutating func list(_ rule: CapturedRule, _ message: String) {
        let location = location
        let message = (path.isEmpty ? "the event " : "\"\(location)\" ") + message
        findings.append(
            WireFinding(
                code: rule.code(form),
                severity: rule.severity,
                subject: .event,
                name: location,
                message: String(message.unicodeScalars.prefix(Rules.longestMessage))
            )
        )
    }

    /// The place of the current value, such as `data.sources_info[3].class`.
    private var location: String {
        var text = ""
        for part in path {
            switch part {
            case .name(let name): text += (text.isEmpty ? "" : ".") + Characters.reported(name)
            case .index(let index): text += "[\(index)]"
            }
        }
        return text.isEmpty ? "event" : text
    }
}
