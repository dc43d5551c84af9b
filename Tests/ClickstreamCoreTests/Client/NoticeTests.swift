import ClickstreamCore
import Foundation
import Testing

@Suite("Notice")
struct NoticeTests {
    private static let id = UniqueID(high: 0, low: 1)
    private static let violation = Violation(
        code: .attributeNameInvalid,
        severity: .error,
        subject: .attribute,
        name: "unit price",
        message: "event attribute name \"unit price\" is not valid"
    )
    private static let suggestion = Violation(
        code: .eventNameTooLong,
        severity: .warning,
        subject: .event,
        name: "e",
        message: "long"
    )

    private static let full = FileError(.append, "/data/shop/runs/1/00000001.events", errno: 28)

    @Test(
        "describes in one line what happened, and if it needs attention",
        arguments: [
            (.recorded(name: "buy", id: id, line: [], violations: []), "recorded buy (\(id))", false),
            (
                .recorded(name: "buy", id: id, line: [], violations: [suggestion]),
                "recorded buy (\(id)), but 1002: long", false
            ),
            (
                .recorded(name: "buy", id: id, line: [], violations: [violation, suggestion]),
                "recorded buy (\(id)), but 2002: \(violation.message); 1002: long", true
            ),
            (
                .unstored(name: "buy", id: id, reason: full), "lost buy (\(id)), which could not be stored: \(full)",
                true
            ),
            (
                .captured(format: FormatName(rawValue: "pulse"), line: []), "recorded an event in the format pulse",
                false
            ),
            (.rejected([violation]), "rejected: 2002: \(violation.message)", true),
            (.sessionDecided(number: 2, isNew: true, reason: "gap"), "session 2 starts: gap", false),
            (.sessionDecided(number: 2, isNew: false, reason: "gap"), "session 2 continues: gap", false),
            (
                .uploaded(events: 1, rawBytes: 900, sentBytes: 300),
                "uploaded 1 event: 900 bytes of JSON, 300 as sent", false
            ),
            (.retained(events: 2, reason: .offline), "kept 2 events for later: the device is offline", true),
            (
                .deliveryRefused(.unauthorized(status: 403)),
                "Events are kept: the server denies access (403): check app id, endpoint path and auth cookie", true
            ),
            (
                .deliveryRefused(.webPage(status: 204)),
                """
                Events are kept: the response is a web page (204, text/html), as of a captive portal or a proxy: log in to \
                the network, or correct the endpoint
                """, true
            ),
            (
                .setAside(events: 2, reason: .status(400)),
                "moved 2 events to the dead letters: the server responded with 400", true
            ),
            (.evicted(events: 2, reason: .bytes), "removed 2 events unsent: cap on bytes", true),
            (.evicted(events: 2, reason: .count), "removed 2 events unsent: cap on count", true),
            (.evicted(events: 2, reason: .age), "removed 2 events unsent: cap on age", true),
            (.evicted(events: 2, reason: .consent), "removed 2 events unsent: no consent", true),
            (.evicted(events: 2, reason: .purge), "removed 2 events unsent: no consent", true),
            (.warning(.init(.suggestion, "look out")), "look out", true),
        ] as [(Notice, String, Bool)]
    )
    func description(notice: Notice, text: String, isTrouble: Bool) {
        #expect("\(notice)" == text)
        #expect(notice.isTrouble == isTrouble)
    }

    @Test("has one row of Docs/debugging.md for each code of a warning")
    func table() throws {
        // Tests/ClickstreamCoreTests/Client/NoticeTests.swift is four levels below the root.
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appendingPathComponent("Docs/debugging.md"), encoding: .utf8)
        let section = page.components(separatedBy: "\n## ").first { $0.hasPrefix("Codes of warnings\n") }
        let rows = try #require(section).split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.map { $0.split(separator: "`")[1] } == Notice.Warning.Code.allCases.map { $0.rawValue[...] })
    }

    @Test("costs its observer the same the thousandth time as the first")
    func observerDepth() {
        let addresses = Locked<[UInt]>([])
        let observer = NoticeObserver { _ in
            var here = 0
            let address = withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
            addresses.withLock { $0.append(address) }
        }
        for _ in 0..<1_000 { observer.notify(.warning(.init(.suggestion, "again"))) }
        // How deep the stack is when the observer is called.
        #expect(Set(addresses.withLock { $0 }).count == 1)
    }
}
