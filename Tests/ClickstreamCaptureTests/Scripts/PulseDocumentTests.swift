import ClickstreamCapture
import ClickstreamCore
import Testing

/// The examples of document 003 as scripts, in Tests/ClickstreamSimulationTests/Fixtures/Documents.
///
/// Differences between a script's last event of the type and the example, besides those of ``PulseExample/all``: identifiers, and
/// `sub_sids` of the gesture, which also has the profile, since a script replaces no page of the navigation path.
@Suite("Scripts of document 003")
struct PulseDocumentTests {
    private static let unreplaced = ["gesture": ["sub_sids.Profile": JSONValue(.string("UUID"))]]

    @Test("produce the examples, key by key", arguments: PulseExample.all)
    func example(example: PulseExample) async throws {
        let name = example.testDescription
        let replay = try await ScriptReplay(of: "Tests/ClickstreamSimulationTests/Fixtures/Documents/\(name).yaml")
        #expect(replay.warnings == [])
        let line = try #require(replay.events[.pulse]?.last { $0.hasPrefix("{\"event_type\":\"\(name)\"") })
        let event = JSONOutline(try JSONReader.parse(Array(line.utf8)))
        let expected = try Self.anonymous(example.expected()).merging(Self.unreplaced[name] ?? [:]) { $1 }
        #expect(Self.anonymous(event.scalars) == expected)
        #expect(JSONOutline(try example.json()).reordered(event) == example.reordered)
    }

    /// The scalars with the same text for each UUID.
    private static func anonymous(_ scalars: [String: JSONValue]) -> [String: JSONValue] {
        scalars.mapValues { value in
            guard let text = value.string, text.wholeMatch(of: /[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/) != nil
            else {
                return value
            }
            return JSONValue(.string("UUID"))
        }
    }
}
