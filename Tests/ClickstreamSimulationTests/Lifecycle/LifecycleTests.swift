import ClickstreamCore
import Foundation
import Testing

/// Every row of the lifecycle's table, played through the real library.
///
/// Each script in Tests/Fixtures/Lifecycle lists the expected events in comments; the lines next to it are the
/// whole events. `CLICKSTREAM_UPDATE_FIXTURES=1` rewrites the lines, but only if the expectations are met.
@Suite("Lifecycle")
struct LifecycleTests {
    static let folder = "Tests/Fixtures/Lifecycle"
    static let scripts = Replay.scripts(in: folder)

    /// The rows of the table, P1 apart, which no script reaches.
    private static let rows =
        [
            "L1", "L2", "L3", "L4", "L5", "L5b", "L6", "L6b", "L7", "L7b", "L7c", "L8", "L9", "L10", "L11", "L11b",
            "L11c",
        ]
        + ["L12", "L13", "L14", "L15", "M0", "M1", "M2", "M3", "M4", "M5", "E1", "E2", "U1", "U2", "U3", "U4", "U5"]
        + ["U6", "U7", "V1", "V2", "X1", "X2", "X3", "X4", "X5", "K1", "S1", "S2"]

    @Test("has a script for every row", arguments: rows)
    func row(name: String) {
        #expect(Self.scripts.contains("\(name).yaml"))
    }

    @Test("produces the events in the script, and the expected lines", arguments: scripts)
    func script(name: String) async throws {
        let path = Replay.package.appending(path: "\(Self.folder)/\(name)")
        let replay = try await Replay(of: path)
        #expect(replay.warnings.filter { !$0.hasPrefix("suggestion ") } == [])
        let expected = try ExpectedEvent.list(in: String(contentsOf: path, encoding: .utf8))
        let differences = try LifecycleCheck.differences(replay.lines, expected, start: Replay.start)
        #expect(differences == [])

        let golden = path.deletingPathExtension().appendingPathExtension("ndjson")
        let text = replay.lines.map { $0 + "\n" }.joined()
        if ProcessInfo.processInfo.environment["CLICKSTREAM_UPDATE_FIXTURES"] == "1" {
            if differences.isEmpty { try Data(text.utf8).write(to: golden) }
            return
        }
        let stored = try String(contentsOf: golden, encoding: .utf8)
        #expect(text.split(separator: "\n") == stored.split(separator: "\n"))
    }

    @Test("produces the same lines again")
    func repeatable() async throws {
        let path = Replay.package.appending(path: "Docs/Examples/shopping.yaml")
        let (first, second) = (try await Replay(of: path), try await Replay(of: path))
        #expect(first.lines == second.lines)
        #expect(first.lines.count > 50)
    }
}

/// The comparison itself must be able to fail.
@Suite("Lifecycle expectations")
struct LifecycleCheckTests {
    private static let script = "Tests/Fixtures/Lifecycle/U6.yaml"

    @Test(
        "fail after a change of any part",
        arguments: [
            ("1@1000 _profile_set {_user_id=ann@1000}", "1@1000 _profile_sat {_user_id=ann@1000}"),
            ("1@1000 _profile_set {_user_id=ann@1000}", "1@1001 _profile_set {_user_id=ann@1000}"),
            ("1@1000 _profile_set {_user_id=ann@1000}", "2@1000 _profile_set {_user_id=ann@1000}"),
            ("1@1000 _profile_set {_user_id=ann@1000}", "1@1000 _profile_set duration=7 {_user_id=ann@1000}"),
            ("1@1000 _profile_set {_user_id=ann@1000}", "1@1000 _profile_set {_user_id=anne@1000}"),
            ("1@1000 _profile_set {_user_id=ann@1000}", "1@1000 _profile_set {_user_id=ann@0}"),
            ("1@1000 _profile_set {_user_id=ann@1000}", "1@1000 _profile_set"),
            ("1@1000 _profile_set {_user_id=ann@1000}", "1@1000 _profile_set {_user_id=ann@1000,plan=gold@0}"),
            ("1@1000 _profile_set {_user_id=ann@1000}", "1@1000 _profile_set +A {_user_id=ann@1000}"),
            ("1@1000 _profile_set {_user_id=ann@1000}", "1@1000 _profile_set items=i1 {_user_id=ann@1000}"),
            (" U2 touch@2000", " touch@2000"),
            (" U2 touch@2000", " U1 touch@2000"),
            (" U2 touch@2000", " U2"),
            ("_is_first_time=true", ""),
            ("_is_first_time=true", "_is_first_time=false"),
            ("_is_first_time=true", "_is_first_time=1"),
            ("#   1@0 _session_start\n", ""),
        ]
    )
    func broken(part: String, change: String) async throws {
        let path = Replay.package.appending(path: Self.script)
        let text = try String(contentsOf: path, encoding: .utf8)
        let replay = try await Replay(of: path)
        #expect(text.contains(part))
        let changed = try ExpectedEvent.list(in: text.replacingOccurrences(of: part, with: change))
        #expect(try LifecycleCheck.differences(replay.lines, changed, start: Replay.start) != [])
    }

    @Test(
        "that cannot be parsed are errors",
        arguments: ["", "# expect:\n", "# expect:\n#   _app_start", "# expect:\n#   1@0 a b"]
    )
    func unreadable(text: String) {
        #expect(throws: ExpectedEvent.ParseError.self) { try ExpectedEvent.list(in: text) }
    }
}
