import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Breadcrumbs")
struct BreadcrumbsTests {
    private static let time = Timestamp(milliseconds: 1_704_067_200_123)

    @Test("keep the latest 50 messages with their times, in order")
    func bounded() {
        var breadcrumbs = Breadcrumbs()
        #expect(breadcrumbs.text == "")
        for number in 1...120 {
            #expect(breadcrumbs.add("m\(number)", at: Self.time).number == UInt64(number))
            #expect(breadcrumbs.kept.count == min(number, 50))
        }
        #expect(breadcrumbs.kept.map(\.number) == Array(71...120))
        let lines = breadcrumbs.text.split(separator: "\n")
        #expect(lines.first == "2024-01-01T00:00:00.123Z m71")
        #expect(lines.last == "2024-01-01T00:00:00.123Z m120")
    }

    @Test(
        "cut long messages between characters, without line breaks",
        arguments: ["x", "\u{E9}", "\u{4E2D}", "\u{1F600}", "a\n", "\r\n", "\0", "\u{2028}\u{1F468}\u{200D}"]
    )
    func line(unit: String) {
        for count in [0, 1, 100, 454, 455, 456, 5_000] {
            var breadcrumbs = Breadcrumbs()
            let text = breadcrumbs.add(String(repeating: unit, count: count), at: Self.time).text
            #expect(text.hasPrefix("2024-01-01T00:00:00.123Z "))
            #expect(text.utf8.count <= Breadcrumb.longest)
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 32 && $0 != "\u{2028}" })
            // At most one character of four bytes is missing.
            if unit.utf8.count * count > Breadcrumb.longest { #expect(text.utf8.count > Breadcrumb.longest - 4) }
        }
    }

    @Test("are part of the event of a crash that the app reports")
    func reported() throws {
        let recorder = ClickstreamTestRecorder()
        let client = try recorder.launch { $0.tracksExceptions = true }
        client.leaveBreadcrumb("opened the basket")
        client.disable()
        client.leaveBreadcrumb("not recorded")
        client.enable()
        recorder.time.setWall(to: Timestamp(milliseconds: 1_704_067_201_000))
        client.leaveBreadcrumb("paid")
        client.crash(message: "cold", stack: "main")
        _ = try recorder.launch()
        let event = try #require(recorder.events(named: "_app_exception").first)
        #expect(
            event["_exception_breadcrumbs"]
                == "2024-01-01T00:00:00.000Z opened the basket\n2024-01-01T00:00:01.000Z paid"
        )
        #expect(recorder.violations == [])
        let second = try recorder.launch { $0.tracksExceptions = true }
        second.crash(message: "again", stack: "main")
        _ = try recorder.launch()
        #expect(recorder.events(named: "_app_exception").last?["_exception_breadcrumbs"] == nil)
    }

    @Test("complete a draft after the stack, once, and only with a free attribute")
    func completed() throws {
        func report(_ attributes: String, breadcrumbs: String) throws -> String {
            let draft = CrashDraft(
                report: CrashReport(
                    id: SeededIDs(seed: 3).next(),
                    timestamp: Timestamp(milliseconds: 5),
                    movesLastActive: true,
                    line: Array("{\"attributes\":{\(attributes)}}".utf8)
                ),
                steadyAtSessionStart: 0
            )
            let moment = Moment(wall: Self.time, steady: 0)
            let report = draft.completed(message: "m", stack: "s", breadcrumbs: breadcrumbs, at: moment)
            return String(decoding: try #require(report).line, as: UTF8.self)
        }
        let stack = #""_exception_stack":"""#
        #expect(try report(stack + #","a":1"#, breadcrumbs: "") == #"{"attributes":{"_exception_stack":"s","a":1}}"#)
        #expect(
            try report(stack + #","_exception_breadcrumbs":"own","a":1"#, breadcrumbs: "b\nc")
                == #"{"attributes":{"_exception_stack":"s","_exception_breadcrumbs":"b\nc","a":1}}"#
        )
        let full = (1..<500).map { "\"a\($0)\":1" }.joined(separator: ",")
        #expect(try !report(stack + "," + full, breadcrumbs: "b").contains("breadcrumbs"))
    }

    @Test("are forgotten with a withdrawal of consent, and when everything is erased", arguments: [true, false])
    func forgotten(isErased: Bool) throws {
        let recorder = ClickstreamTestRecorder()
        let client = try recorder.launch {
            $0.tracksExceptions = true
            if !isErased { $0.consent = .hold }
        }
        if !isErased { client.setConsent(.granted, for: .analytics) }
        client.leaveBreadcrumb("before")
        if isErased {
            client.eraseAll()
        } else {
            client.setConsent(.denied, for: .analytics)
            client.leaveBreadcrumb("without consent")
            client.setConsent(.granted, for: .analytics)
        }
        client.leaveBreadcrumb("after")
        client.crash(message: "cold", stack: "main")
        _ = try recorder.launch()
        let event = try #require(recorder.events(named: "_app_exception").first)
        #expect(event["_exception_breadcrumbs"] == "2024-01-01T00:00:00.000Z after")
    }

    // MARK: The crash file

    private func launch(
        _ crashes: RememberedCrashes,
        tracks: Bool = true,
        _ heard: NoticeLog
    ) throws -> ClickstreamClient {
        var configuration = ClickstreamClient.Configuration(appID: "shop")
        configuration.tracksExceptions = tracks
        var dependencies = ClickstreamClient.Dependencies(
            time: VirtualTime(start: Self.time),
            ids: SeededIDs(seed: 5),
            files: MemoryFileSystem()
        )
        dependencies.crashes = crashes
        return try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: "/data",
            dependencies: dependencies
        ) { heard.add($0) }
    }

    @Test("are written as they come, and those from before the watch when it begins")
    func written() throws {
        let (crashes, heard) = (RememberedCrashes(), NoticeLog())
        let client = try launch(crashes, tracks: false, heard)
        for number in 1...60 { client.leaveBreadcrumb("\(number)") }
        #expect(crashes.state.withLock { $0.breadcrumbs.isEmpty })
        client.configure { $0.tracksExceptions = true }
        #expect(crashes.state.withLock { $0.breadcrumbs.map(\.number) } == Array(11...60))
        client.leaveBreadcrumb("61")
        #expect(crashes.state.withLock { $0.breadcrumbs.last }?.text == "2024-01-01T00:00:00.123Z 61")
        client.terminate()
        client.leaveBreadcrumb("late")
        #expect(crashes.state.withLock { $0.breadcrumbs.count } == 51)
    }

    @Test("report the first of several failures to write")
    func failures() throws {
        let (crashes, heard) = (RememberedCrashes(), NoticeLog())
        let client = try launch(crashes, heard)
        let full = FileError(.write, "/data/shop/runs/1/crash", errno: 28)
        for failure in [nil, full, full, nil, full] {
            crashes.state.withLock { $0.breadcrumbFailure = failure }
            client.leaveBreadcrumb("x")
        }
        #expect(heard.all.codes == [.crashReportingFailed, .crashReportingFailed])
        #expect(heard.all.warnings.allSatisfy { $0.hasPrefix("breadcrumbs of a crash are lost: ") })
    }
}
