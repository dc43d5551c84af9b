import ClickstreamCapture
import ClickstreamCore
import Testing

/// The examples of document 002 as scripts, in Tests/ClickstreamSimulationTests/Fixtures/Documents.
///
/// Differences besides those of ``ContentsquareEncoderTests`` and ``ContentsquareFormatTests``:
///
/// | document | here | reason |
/// |---|---|---|
/// | all events at `upt:1522` | at the time of their step | events happen one after the other |
/// | `scn:4`, `title`, `mainPath/secondaryPath` in all events | those before the screenview: `scn:0`, or another screen | the app starts before its first screen |
/// | `sl:34543` | 1422, the time since the last gesture of the script | as the script has it |
/// | `tvv:100` of a drag | 99 | a flick from 100 on |
@Suite("Scripts of document 002")
struct ContentsquareDocumentTests {
    private static let folder = "Tests/ClickstreamSimulationTests/Fixtures/Documents"

    /// The common part of the document's events; `upt`, `euid` and `t` are compared apart.
    private static let common = """
        {"upt":1522,"euid":"","url":"app-ios://identifier/mainPath/secondaryPath?title=title","scn":4,"c":4,\
        "ci":"verizon","o":1,"vo":{"sv":"0.2.0","sb":1,"av":"appVersion","af":"release","ab":1},"sn":1,"t":12894726459435
        """

    private static let target = #""tvp":"[root]>UIView[ri:Page.id]>UIView:eq(0)","tvid":"btn_ok""#

    /// The part of each event that is specific to it, with the time since the first event.
    private static let parts: [(time: Int64, part: String)] = [
        (
            1_522,
            #""ea":4,"st":"title","sl":1422,"cv":{"2":{"name_1":"value_1"},"5":{"name_2":"value_2"}}"#
        ),
        (1_622, #""ea":6,"# + target + #","ur":true"#),
        (2_123, #""ea":8,"# + target),
        (3_124, #""ea":9,"# + target + #","fd":3,"tvd":100,"tvv":99"#),
        (4_124, #""ea":10,"# + target + #","fd":3,"tvd":100,"tvv":100"#),
        (4_124, #""ea":16,"tr":{"vl":20.0,"cu":978,"id":"32akjkljklJ575775"}"#),
        (4_124, #""ea":18,"k":"key","v":"value""#),
        (4_124, #""ea":19,"k":"key","v":2344"#),
    ]

    @Test("produce its events from the screenview on, key by key")
    func events() async throws {
        let replay = try await ScriptReplay(of: "\(Self.folder)/contentsquare.yaml")
        #expect(replay.warnings == [])
        let lines = try #require(replay.events[.contentsquare]).suffix(Self.parts.count)
        for (line, expected) in zip(lines, Self.parts) {
            let event = try JSONReader.parse(Array(line.utf8))
            let time = 12_894_726_459_435 - 1_522 + expected.time
            let id = try #require(event["euid"]?.string)
            let common = Self.common.replacing(#""upt":1522"#, with: "\"upt\":\(expected.time)")
                .replacing(#""euid":"""#, with: "\"euid\":\"\(id)\"")
                .replacing("\"t\":12894726459435", with: "\"t\":\(time)")
            #expect(line == common + "," + expected.part + "}")
            #expect(id.utf8.count == 36)
        }
    }

    @Test("start with the start, show and hide of the app")
    func lifecycle() async throws {
        let replay = try await ScriptReplay(of: "\(Self.folder)/contentsquare.yaml")
        let lines = try #require(replay.events[.contentsquare])
        for (line, action) in zip(lines, [0, 1, 2, 1]) {
            let event = try JSONReader.parse(Array(line.utf8))
            let common = Self.common
                .replacing(#""upt":1522"#, with: #""upt":0"#)
                .replacing(#""euid":"""#, with: "\"euid\":\"\(try #require(event["euid"]?.string))\"")
                .replacing("mainPath/secondaryPath?title=title\",\"scn\":4", with: "?title=\",\"scn\":0")
                .replacing("\"t\":12894726459435", with: "\"t\":12894726457913")
            #expect(line == common + ",\"ea\":\(action)}")
        }
    }

    @Test("produce its batch, key by key")
    func batch() async throws {
        let replay = try await ScriptReplay(of: "\(Self.folder)/contentsquare-batch.yaml", delivers: true)
        #expect(replay.warnings == [])
        let body = try #require(replay.batches[.contentsquare]?.first)
        let events = try #require(replay.events[.contentsquare]).prefix(2)
        let json = try JSONReader.parse(Array(body.utf8))
        let user = try #require(json["uid"]?.string)
        #expect(
            body == """
                {"pid":8,"uid":"\(user)","dt":5,"dma":"Apple","dmo":"iPhone X",\
                "os":"13.1","l":"en_US","tz":"Europe/Paris","now":1522159618000,\
                "to":{"an":"appname","st":"sdk-ios","sf":"release"},"r":{"w":1080,"h":1920,"d":1.5},\
                "pl":[\(events.joined(separator: ","))]}
                """
        )
    }
}
