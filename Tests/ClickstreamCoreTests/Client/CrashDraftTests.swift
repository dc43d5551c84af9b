import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("CrashDraft")
struct CrashDraftTests {
    private func draft(_ line: String) -> CrashDraft {
        CrashDraft(
            report: CrashReport(
                id: SeededIDs(seed: 3).next(),
                timestamp: Timestamp(milliseconds: 5),
                movesLastActive: true,
                line: Array(line.utf8)
            ),
            steadyAtSessionStart: -250
        )
    }

    @Test("is decoded as encoded, and never with a changed byte or a missing end")
    func roundTrip() {
        let draft = draft("{\"event_type\":\"_app_exception\"}")
        let bytes = draft.bytes
        #expect(CrashDraft(bytes: bytes) == draft)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 4
            #expect(CrashDraft(bytes: changed) != draft, "byte \(index)")
            #expect(CrashDraft(bytes: Array(bytes[..<index])) == nil, "first \(index)")
        }
    }

    @Test("is completed with the crash's time, message and stack, and otherwise unchanged")
    func completed() throws {
        let draft = draft(
            #"{"timestamp":5,"attributes":{"_session_duration":0,"_exception_message":"","_exception_stack":"","#
                + #""price":1.50,"timestamp":"t"},"user":{}}"#
        )
        let moment = Moment(wall: Timestamp(milliseconds: 9_000), steady: 750)
        let report = try #require(draft.completed(message: "a \"b\"", stack: "0 main\n", at: moment))
        #expect(report.timestamp == moment.wall)
        #expect(report.id == draft.report.id)
        #expect(
            String(decoding: report.line, as: UTF8.self)
                == #"{"timestamp":9000,"attributes":{"_session_duration":1000,"_exception_message":"a \"b\"","#
                + #""_exception_stack":"0 main\n","price":1.50,"timestamp":"t"},"user":{}}"#
        )
        let long = try #require(
            draft.completed(message: String(repeating: "m", count: 2_000), stack: "", at: moment)
        )
        #expect(String(decoding: long.line, as: UTF8.self).contains("\"" + String(repeating: "m", count: 1_024) + "\""))
        // A clock that ran backwards makes no negative duration.
        let early = try #require(
            draft.completed(message: "", stack: "", at: Moment(wall: moment.wall, steady: -9_000))
        )
        #expect(String(decoding: early.line, as: UTF8.self).contains("\"_session_duration\":0,"))
    }

    @Test("without an event yields no report", arguments: ["", "[]", "{}", "{\"attributes\":[]}", "no JSON"])
    func noEvent(line: String) {
        let moment = Moment(wall: Timestamp(milliseconds: 0), steady: 0)
        #expect(draft(line).completed(message: "", stack: "", at: moment) == nil)
    }
}

/// Crash capture that stores its drafts and returns prepared reports.
final class RememberedCrashes: CrashCapture {
    struct State {
        var paths: [String] = []
        var drafts: [CrashDraft?] = []
        var breadcrumbs: [Breadcrumb] = []
        /// The failure of each breadcrumb that is to be kept.
        var breadcrumbFailure: FileError?
        var ends = 0
    }

    let state = Locked(State())
    let refusal: FileError?
    let found: CrashTraces

    init(refusal: FileError? = nil, found: CrashTraces = .none) {
        self.refusal = refusal
        self.found = found
    }

    func watch(_ path: String) throws(FileError) {
        if let refusal { throw refusal }
        state.withLock { $0.paths.append(path) }
    }

    func keep(_ draft: CrashDraft?) -> FileError? {
        state.withLock { $0.drafts.append(draft) }
        return nil
    }

    func keep(_ breadcrumb: Breadcrumb) -> FileError? {
        state.withLock { state in
            guard state.breadcrumbFailure == nil else { return state.breadcrumbFailure }
            state.breadcrumbs.append(breadcrumb)
            return nil
        }
    }

    func end() {
        state.withLock { $0.ends += 1 }
    }

    func traces(at path: String) throws(FileError) -> CrashTraces { found }

    /// Drafts since the last call.
    func taken() -> [CrashDraft?] {
        state.withLock { state in
            defer { state.drafts = [] }
            return state.drafts
        }
    }
}

@Suite("Crash preparation")
struct CrashReadinessTests {
    /// A client on a disk in memory whose crashes go to `crashes`.
    private func launch(
        _ crashes: RememberedCrashes,
        disk: MemoryFileSystem = MemoryFileSystem(),
        tracks: Bool = true,
        consent: ClickstreamClient.Configuration.ConsentPolicy = .notRequired,
        heard: NoticeLog = NoticeLog()
    ) throws -> ClickstreamClient {
        var configuration = ClickstreamClient.Configuration(appID: "shop")
        configuration.tracksExceptions = tracks
        configuration.consent = consent
        var dependencies = ClickstreamClient.Dependencies(
            time: VirtualTime(start: Timestamp(milliseconds: 1_700_000_000_000)),
            ids: SeededIDs(seed: 5),
            files: disk
        )
        dependencies.crashes = crashes
        return try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: "/data",
            dependencies: dependencies
        ) { heard.add($0) }
    }

    private func text(_ draft: CrashDraft??) -> String {
        draft.flatMap { $0 }.map { String(decoding: $0.report.line, as: UTF8.self) } ?? "nothing"
    }

    @Test("follows every change of the event, at no cost per event")
    func follows() throws {
        let crashes = RememberedCrashes()
        let client = try launch(crashes)
        #expect(crashes.state.withLock { $0.paths } == ["/data/shop/runs/1/crash"])
        #expect(text(crashes.taken().last).hasPrefix("{\"event_type\":\"_app_exception\""))
        client.foreground()
        for _ in 0..<100 { client.record("click") }
        #expect(crashes.taken().isEmpty)
        client.screen(name: "Basket")
        #expect(text(crashes.taken().last).contains("\"_screen_name\":\"Basket\""))
        client.addGlobalAttributes(["channel": "shelf"])
        #expect(text(crashes.taken().last).contains("\"channel\":\"shelf\""))
        client.deleteGlobalAttributes(["channel"])
        #expect(!text(crashes.taken().last).contains("shelf"))
        client.setUserID("carl")
        #expect(text(crashes.taken().last).contains("carl"))
        client.updateDevice { $0.locale = "nl_NL" }
        #expect(text(crashes.taken().last).contains("nl_NL"))
        client.background()
        #expect(crashes.taken().last??.report.movesLastActive == false)
        client.foreground()
        #expect(crashes.taken().last??.report.movesLastActive == true)
        client.disable()
        #expect(crashes.taken() == [nil])
        client.enable()
        #expect(text(crashes.taken().last).contains("_app_exception"))
        client.configure { $0.tracksExceptions = false }
        #expect(crashes.taken().last == .some(nil))
        client.terminate()
        #expect(crashes.state.withLock { $0.ends } == 1)
        client.addGlobalAttributes(["late": 1])
        #expect(crashes.taken().compactMap { $0 }.isEmpty)
    }

    @Test("begins on request, not before")
    func begins() throws {
        let crashes = RememberedCrashes()
        let client = try launch(crashes, tracks: false)
        client.screen(name: "Basket")
        #expect(crashes.state.withLock { $0.paths.isEmpty && $0.drafts.isEmpty })
        client.configure { $0.tracksExceptions = true }
        #expect(text(crashes.taken().last).contains("Basket"))
    }

    @Test(
        "begins when consent is given, without another change of the event",
        arguments: [
            (.hold, .undecided), (.drop, .undecided), (.notRequired, .denied), (.hold, .denied), (.drop, .denied),
        ] as [(ClickstreamClient.Configuration.ConsentPolicy, ConsentDecision)]
    )
    func consent(policy: ClickstreamClient.Configuration.ConsentPolicy, before: ConsentDecision) throws {
        let crashes = RememberedCrashes()
        let client = try launch(crashes, consent: policy)
        client.setConsent(before, for: .analytics)
        _ = crashes.taken()
        let watched = crashes.state.withLock { $0.paths.count }
        client.record("click")
        #expect(crashes.taken().isEmpty)
        client.setConsent(.granted, for: .analytics)
        #expect(text(crashes.taken().last).hasPrefix("{\"event_type\":\"_app_exception\""))
        #expect(crashes.state.withLock { $0.paths.count } == watched + 1)
    }

    @Test("that fails is reported once, without other effects")
    func refused() throws {
        let heard = NoticeLog()
        let crashes = RememberedCrashes(refusal: FileError(.open, "/data/shop/runs/1/crash", errno: 13))
        let client = try launch(crashes, heard: heard)
        client.screen(name: "Basket")
        client.record("click")
        #expect(heard.all.codes == [.crashReportingFailed])
        #expect(heard.events.map(\.name).suffix(2) == ["_screen_view", "click"])
    }

    @Test("reads the crash files in its run folder once, and reports unreadable ones")
    func traces() throws {
        let line = Array("{\"event_type\":\"_app_exception\",\"event_id\":\"x\"}".utf8)
        let report = CrashReport(
            id: SeededIDs(seed: 9).next(),
            timestamp: Timestamp(milliseconds: 1_699_999_990_000),
            movesLastActive: true,
            line: line
        )
        for (found, names, warnings) in [
            (.crash(report), ["_app_exception", "_app_start"], []), (.none, ["_app_start"], []),
            (.unreadable("torn"), ["_app_start"], [.crashFileFailed]),
        ] as [(CrashTraces, [String], [Notice.Warning.Code])] {
            let disk = MemoryFileSystem()
            try launch(RememberedCrashes(), disk: disk).kill()
            disk["/data/shop/runs/1/crash"] = [1]
            let heard = NoticeLog()
            try launch(RememberedCrashes(found: found), disk: disk, heard: heard).kill()
            #expect(heard.events.map(\.name) == names)
            #expect(heard.all.codes == warnings)
            #expect(disk["/data/shop/runs/1/crash"] == nil)
        }
    }
}
