import ClickstreamCapture
import ClickstreamCore
import ClickstreamReplay
import Foundation
import Testing

@Suite("Example scripts in the Contentsquare format")
struct ContentsquareScriptTests {
    @Test("have touches with the identifiers of the clickstream format", arguments: ["storefront", "article"])
    func identifiers(name: String) async throws {
        let replay = try await ScriptReplay(of: "Docs/Examples/\(name).yaml")
        let clickstream = Set(
            try (replay.events[.clickstream] ?? []).compactMap {
                try JSONReader.parse(Array($0.utf8))["event_id"]?.string
            }
        )
        let touches = (replay.events[.contentsquare] ?? []).filter { $0.contains(#""tvp":"#) }
        #expect(touches.count > 1)
        #expect(
            try touches.allSatisfy {
                try clickstream.contains(#require(JSONReader.parse(Array($0.utf8))["euid"]?.string))
            }
        )
    }

    @Test("have the lifecycle and the screens if they have no user interface", arguments: ["shopping", "kiosk"])
    func plain(name: String) async throws {
        let url = ScriptReplay.package.appending(path: "Docs/Examples/\(name).yaml")
        let script = try ScriptReader.read(Array(Data(contentsOf: url)), file: url.lastPathComponent)
        let replay = try await ScriptReplay(script, capturesAlways: true)
        let actions = try (replay.events[.contentsquare] ?? []).map { line in
            try JSONReader.parse(Array(line.utf8))["ea"]?.integer
        }
        #expect(actions.prefix(3) == [0, 1, 4])
        #expect(Set(actions) == [0, 1, 2, 4])
    }
}
