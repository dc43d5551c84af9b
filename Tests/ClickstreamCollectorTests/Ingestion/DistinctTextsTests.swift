import ClickstreamCore
import Testing

@testable import ClickstreamCollector

@Suite("Distinct texts")
struct DistinctTextsTests {
    /// Concatenated texts with the range of each.
    private func laidOut(_ texts: [String?]) -> (bytes: [UInt8], ranges: [TextRange]) {
        var bytes: [UInt8] = []
        let ranges = texts.map { text -> TextRange in
            guard let text else { return .none }
            bytes += text.utf8
            return TextRange(bytes.count - text.utf8.count..<bytes.count)
        }
        return (bytes, ranges)
    }

    @Test("maps each text to its first position", arguments: [1, 8, 9, 32, 33, 3_000])
    func indices(_ different: Int) {
        var random = SystemRandomNumberGenerator()
        let texts = (0..<4_000).map { _ in "t\(Int.random(in: 0..<different, using: &random))" }
        let (bytes, ranges) = laidOut(texts)
        var known: [String] = []
        var expected: [Int32] = []
        var indices: [String: Int] = [:]
        for text in texts {
            if indices[text] == nil {
                indices[text] = known.count
                known.append(text)
            }
            expected.append(Int32(indices[text] ?? -1))
        }
        var distinct = DistinctTexts<TextRange>()
        let found = bytes.withUnsafeBytes { bytes in ranges.map { distinct.index(of: $0, in: bytes) } }
        #expect(found == expected)
        #expect(distinct.keys.map { String(decoding: bytes[$0.range], as: UTF8.self) } == known)
    }

    @Test("distinguishes sessions of different apps, and of none")
    func sessions() {
        let (bytes, ranges) = laidOut(["s", "a", "s", "b", "", nil])
        let keys = [(0, 1), (2, 3), (0, 5), (2, 4), (2, 1)].map {
            UploadContent.Session(id: ranges[$0.0], appID: ranges[$0.1])
        }
        var distinct = DistinctTexts<UploadContent.Session>()
        let found = bytes.withUnsafeBytes { bytes in keys.map { distinct.index(of: $0, in: bytes) } }
        #expect(found == [0, 1, 2, 3, 0])
    }

    @Test("accepts a body in which every user is different", .timeLimit(.minutes(10)))
    func manyUsers() {
        let events = (0..<40_000).map { number in
            #"{"event_id":"\#(number)","app_id":"shop","event_type":"n\#(number)","timestamp":\#(FixedTime.start - 1),"#
                + #""unique_id":"u\#(number)","user":{"_user_id":{"value":"v\#(number)"}},"#
                + #""attributes":{"_session_id":"s\#(number)"}}"#
        }
        let content = UploadDecoder().decode(.post(Array("[\(events.joined(separator: ","))]".utf8))).content
        #expect([content.names, content.users, content.userIDs].map(\.keys.count) == [40_000, 40_000, 40_000])
        #expect(content.sessions.keys.count == 40_000)
        let indexes = content.events.last?.indexes
        #expect(
            indexes == EventFacts.Indexes(name: 39_999, session: 39_999, user: 39_999, userID: 39_999, app: 0)
        )
    }
}
