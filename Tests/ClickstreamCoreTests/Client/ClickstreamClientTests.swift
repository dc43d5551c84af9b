import ClickstreamSimulation
import Foundation
import Testing

@testable import ClickstreamCore

@Suite("ClickstreamClient")
struct ClickstreamClientTests {
    private let launchEvents = ["_first_open", "_app_start", "_session_start"]

    // MARK: Notices

    @Test("reports its decisions, rejections and records in order")
    func order() throws {
        let phone = Phone()
        let client = try phone.launch()
        #expect(
            phone.log.take().outline
                == ["session 1 new", "recorded _first_open", "recorded _app_start", "recorded _session_start"]
        )
        client.record("bad name")
        client.record("tap", attributes: ["unit-price": 1])
        client.addUserAttributes(["bad name": 1, "2nd": 2, "plan": "gold"])
        client.setUserID("")
        client.addGlobalAttributes(["bad name": 1])
        client.record("_screen_view")
        #expect(
            phone.log.take().outline == [
                "rejected 1001", "recorded _clickstream_error", "recorded tap",
                "rejected 3003", "recorded _clickstream_error", "rejected 3003", "recorded _clickstream_error",
                "recorded _profile_set",
                "rejected 3003", "recorded _clickstream_error",
                "rejected 2002", "recorded _clickstream_error",
                "rejected 5001", "recorded _clickstream_error",
            ]
        )
        client.background()
        client.foreground()
        #expect(phone.log.take().outline == ["recorded _app_end", "session 1 goes on", "recorded _app_start"])
    }

    @Test("reports all violations of an event with it, in order")
    func violations() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.record("tap", attributes: ["unit-price": 1, "ratio": Double.infinity], items: [["name": "no id"]])
        guard case .recorded("tap", _, _, let violations) = phone.log.all.last else {
            Issue.record("no event: \(phone.log.all)")
            return
        }
        #expect(violations.map(\.code.rawValue) == [2_002, 2_005, 4_006])
        #expect(phone.log.events.last?["_error_code"] == .number(JSONNumber(integer: 2_002)))
    }

    @Test("reports why a session continues or starts")
    func decisions() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.sessionTimeout = .seconds(1) }
        client.background()
        await phone.time.advance(milliseconds: 999)
        client.foreground()
        client.background()
        await phone.time.advance(milliseconds: 1_000)
        client.foreground()
        let reasons = phone.log.all.compactMap { notice -> String? in
            if case .sessionDecided(let number, _, let reason) = notice { "\(number): \(reason)" } else { nil }
        }
        #expect(
            reasons == [
                "1: the first session of this store", "1: gap 999ms < timeout 1s", "2: gap 1s \u{2265} timeout 1s",
            ]
        )
    }

    @Test("lets an observer call it, and reports the consequences in order")
    func observerCallsBack() throws {
        let phone = Phone()
        let box = ClientBox()
        let log = phone.log
        let client = try ClickstreamClient(
            configuration: ClickstreamClient.Configuration(appID: "shop"),
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: "/data",
            dependencies: ClickstreamClient.Dependencies(time: phone.time, ids: phone.ids, files: phone.disk),
            observe: { notice in
                log.add(notice)
                guard case .recorded("tap", _, _, _) = notice else { return }
                box.client?.record("echo")
                box.client?.setUserID("carl")
                box.client?.configure { $0.sessionTimeout = .milliseconds(5) }
                _ = box.client?.isEnabled
            }
        )
        box.client = client
        client.record("tap")
        client.record("tap")
        #expect(
            phone.log.events.map(\.name)
                == launchEvents + ["tap", "echo", "_profile_set", "tap", "echo", "_profile_set"]
        )
        #expect(client.configuration.sessionTimeout == .milliseconds(5))
        box.client = nil
    }

    @Test("records without an observer")
    func unobserved() throws {
        let phone = Phone()
        let client = try phone.launch(observes: false)
        client.record("tap", attributes: ["bad name": 1])
        client.note(.warning(.init(.suggestion, "nobody listens")))
        #expect(phone.records().map(\.event.name) == launchEvents + ["tap"])
    }

    // MARK: The end

    @Test("ignores calls after the end", arguments: ["terminate", "kill", "crash"])
    func afterTheEnd(end: String) async throws {
        let phone = Phone()
        let client = try phone.launch { $0.tracksExceptions = true }
        client.foreground()
        switch end {
        case "terminate": client.terminate()
        case "kill": client.kill()
        default: client.crash(message: "boom", stack: "")
        }
        let disk = phone.disk.paths.map { phone.disk[$0] }
        _ = phone.log.take()

        client.record("tap")
        client.record("bad name")
        client.record("_screen_view", attributes: ["_screen_name": "A"])
        client.screen(name: "A")
        client.addUserAttributes(["plan": "gold", "bad name": 1])
        client.setUserID("carl")
        client.addGlobalAttributes(["bad name": 1])
        client.background()
        client.foreground()
        client.disable()
        client.enable()
        client.configure { $0.sessionTimeout = .milliseconds(1) }
        client.crash(message: "again", stack: "")
        client.terminate()
        client.flushEvents()
        await phone.time.advance(milliseconds: 100_000)
        _ = await client.flush()

        #expect(phone.log.take() == [])
        #expect(phone.disk.paths.map { phone.disk[$0] } == disk)
        #expect(phone.server.attempts == [])
        // Another process can take the store: its locks are free.
        let next = try phone.launch()
        next.record("tap")
        #expect(phone.log.events.last?.name == "tap")
        #expect(phone.disk.paths.filter { $0.contains("/runs/2/") } == [])
    }

    // MARK: Two processes

    @Test("shares the store with another process, and adopts the queue of an ended one")
    func twoProcesses() async throws {
        let phone = Phone()
        let first = try phone.launch()
        let second = try phone.launch()
        first.record("one")
        second.record("two")
        second.kill()
        let report = await first.flush()
        #expect(report.sent == 4)
        first.kill()
        // The store of the second is the third's to deliver.
        let third = try phone.launch()
        #expect(await third.flush().isComplete)
        #expect(Set(phone.server.events.map(\.name)).isSuperset(of: ["one", "two"]))
        #expect(Set(phone.server.events.map(\.id)).count == phone.server.events.count)
    }

    // MARK: Damage and trouble

    @Test(
        "reports a damaged crash file, removes it, and starts without it",
        arguments: ["torn", "flipped", "empty", "foreign", "later"]
    )
    func damagedCrash(damage: String) throws {
        let phone = Phone()
        try phone.launch { $0.tracksExceptions = true }.crash(message: "boom", stack: "main")
        let path = Phone.path("crash")
        var bytes = try #require(phone.disk[path])
        switch damage {
        case "torn": bytes.removeLast(bytes.count / 2)
        case "flipped": bytes[bytes.count - 5] ^= 1
        case "empty": bytes = []
        case "foreign": bytes = Array("core dumped\n".utf8)
        default: bytes = Array(String(decoding: bytes, as: UTF8.self).replacing("crash 1", with: "crash 2").utf8)
        }
        phone.disk[path] = bytes
        _ = phone.log.take()

        try phone.launch().kill()
        let notices = phone.log.take()
        #expect(notices.events.map(\.name) == ["_app_start"])
        #expect(notices.codes == [.crashFileFailed])
        #expect(notices.warnings.first?.contains(path) == true)
        #expect(phone.disk[path] == nil)
        try phone.launch().kill()
        #expect(phone.log.take().warnings == [])
    }

    @Test("records a crash once, even if its file cannot be removed")
    func crashStays() throws {
        let phone = Phone()
        try phone.launch { $0.tracksExceptions = true }.crash(message: "boom", stack: "main")
        _ = phone.log.take()
        phone.disk.refuse([.remove], errno: EACCES)
        try phone.launch().kill()
        #expect(phone.log.all.warnings == [])
        #expect(phone.disk[Phone.path("crash")] == CrashReport.recorded)
        phone.disk.refuse([.remove], errno: nil)
        try phone.launch().kill()
        try phone.launch().kill()
        let crashes = phone.log.events.filter { $0.name == "_app_exception" }
        #expect(crashes.count == 1)
        #expect(phone.disk[Phone.path("crash")] == nil)
    }

    @Test("warns if a crash file is not writable, or not readable")
    func crashUnwritten() throws {
        let phone = Phone()
        let client = try phone.launch { $0.tracksExceptions = true }
        phone.disk.refuse([.write], errno: ENOSPC)
        _ = phone.log.take()
        client.crash(message: "boom", stack: "")
        let reported = phone.log.take()
        #expect(reported.outline == ["warning"])
        #expect(reported.codes == [.crashFileFailed])
        phone.disk.refuse([.write], errno: nil)
        try phone.launch().kill()
        #expect(phone.log.take().events.map(\.name) == ["_app_start"])

        try phone.launch { $0.tracksExceptions = true }.crash(message: "boom", stack: "")
        _ = phone.log.take()
        #expect(phone.disk[Phone.path("crash")] != nil)
    }

    @Test("starts afresh with a warning if the stored state is unrecoverable")
    func damagedState() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.setUserID("carl")
        client.terminate()
        for name in ["state", "state.old"] {
            var bytes = try #require(phone.disk[Phone.path(name)])
            bytes[bytes.count / 2] ^= 1
            phone.disk[Phone.path(name)] = bytes
        }
        _ = phone.log.take()
        try phone.launch().kill()
        let notices = phone.log.take()
        #expect(notices.codes == [.stateLost])
        #expect(notices.warnings.first?.contains("as if it had just been installed") == true)
        #expect(notices.events.map(\.name) == launchEvents)
        #expect(notices.outline.first == "warning")
        // What was queued before is not lost with it.
        #expect(phone.records().map(\.event.name) == launchEvents + ["_profile_set", "_app_end"] + launchEvents)
    }

    @Test("continues with the previous state, and a warning, if only the last one is damaged")
    func recoveredState() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.setUserID("carl")
        client.terminate()
        phone.disk[Phone.path("state")] = Array("clickstream-state 1 00000000\n{}".utf8)
        _ = phone.log.take()
        try phone.launch().kill()
        let notices = phone.log.take()
        #expect(notices.codes == [.storeDamaged])
        #expect(notices.events.map(\.name) == ["_app_start"])
    }

    @Test("starts afresh with a warning if the state is intact but invalid")
    func senselessState() throws {
        let phone = Phone()
        try phone.launch().kill()
        phone.disk[Phone.path("state")] = StateFile.encode(Array("{}".utf8), kind: "clickstream-state", version: 1)
        _ = phone.log.take()
        try phone.launch().kill()
        let notices = phone.log.take()
        #expect(notices.codes == [.stateLost])
        #expect(notices.events.map(\.name) == launchEvents)
    }

    @Test("rejects a store of a later version without changing it")
    func laterState() throws {
        let phone = Phone()
        try phone.launch().kill()
        let later = StateFile.encode([], kind: "clickstream-state", version: 3)
        phone.disk[Phone.path("state")] = later
        #expect(throws: StoreError.laterVersion(path: Phone.path("state"), version: 3)) { try phone.launch() }
        #expect(phone.disk[Phone.path("state")] == later)
    }

    @Test("does not start on a broken disk")
    func noStore() {
        let phone = Phone()
        // An error that may pass is tried twice more.
        for operation in 1...3 { phone.disk.inject(.fail(errno: EIO), at: .operation(operation)) }
        #expect(throws: StoreError.self) { try phone.launch() }
        #expect(phone.log.all == [])
    }

    @Test("reports the events lost to a full disk, and records again when there is space")
    func fullDisk() async throws {
        let phone = Phone()
        let client = try phone.launch()
        client.foreground()
        client.record("before")
        _ = phone.log.take()
        phone.disk.capacity = phone.disk.usedBytes
        client.record("lost1")
        client.screen(name: "A")
        client.setUserID("carl")
        client.background()
        let lost = phone.log.take()
        #expect(lost.unstored == ["lost1", "_screen_view", "_profile_set", "_app_end"])
        #expect(lost.events == [])
        guard case .unstored(_, _, let reason) = lost.first else {
            Issue.record("not told first: \(lost)")
            return
        }
        #expect(reason.errno == ENOSPC)

        phone.disk.capacity = nil
        client.foreground()
        client.record("after")
        #expect(phone.log.take().events.map(\.name) == ["_app_start", "after"])
        #expect(phone.records().map(\.sequence) == [1, 2, 3, 4, 5, 6])
        // What could not be stored as state meanwhile is stored with the next change.
        client.terminate()
        let next = try phone.launch()
        #expect(next.isEnabled)
        #expect(phone.log.events.last.map { $0.text.contains("carl") } == true)
        let stored = phone.records().map(\.event)
        #expect(await next.flush().isComplete)
        #expect(phone.server.events == stored)
    }

    @Test("continues recording if the state cannot be saved, and warns each time")
    func unsavedState() throws {
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        phone.disk.refuse([.write], errno: EIO)
        client.setUserID("carl")
        let notices = phone.log.take()
        #expect(notices.outline == ["warning", "recorded _profile_set"])
        #expect(notices.codes == [.stateNotSaved])
        phone.disk.refuse([.write], errno: nil)
        client.setUserID("carl")
        #expect(phone.log.take().outline == ["recorded _profile_set"])
        client.kill()
        try phone.launch().kill()
        #expect(phone.log.events.last.map { $0.text.contains("carl") } == true)
    }

    @Test("reports evictions")
    func evictions() throws {
        let phone = Phone()
        let client = try phone.launch { $0.maxStoreEvents = 16 }
        for _ in 0..<20 { client.record("tap") }
        let evicted = phone.log.all.reduce(into: 0) { sum, notice in
            if case .evicted(let events, let reason) = notice {
                sum += events
                #expect(reason == .count)
            }
        }
        #expect(evicted == 7)
        #expect(phone.records().count == 16)
    }

    // MARK: Configuration and device

    @Test("applies globals that are configured later, and only changes of them")
    func configuredGlobals() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.configure { $0.globalAttributes = ["channel": "web", "bad name": 1] }
        client.record("tap")
        #expect(phone.log.events.suffix(2).map(\.name) == ["_clickstream_error", "tap"])
        #expect(phone.log.events.last?["channel"] == .string("web"))
        client.deleteGlobalAttributes(["channel"])
        client.configure { $0.logsEvents = false }
        client.configure { $0.compressesEvents = false }
        client.record("tap")
        #expect(phone.log.events.last?["channel"] == nil)
    }

    @Test("uses the device properties at the time of recording")
    func device() throws {
        let phone = Phone()
        let client = try phone.launch()
        let made = try #require(phone.log.events.last)
        client.updateDevice { $0.networkType = "WIFI" }
        client.updateDevice { $0.networkType = "WIFI" }
        client.record("tap")
        client.updateDevice { $0.deviceID = "D-1" }
        client.record("tap")
        func value(_ name: String, _ event: RecordedEvent) throws -> String? {
            try JSONReader.parse(event.json)[name]?.string
        }
        let taps = phone.log.events.suffix(2)
        #expect(try taps.map { try value("network_type", $0) } == ["WIFI", "WIFI"])
        #expect(try taps.map { try value("device_id", $0) } == [value("device_id", made), "D-1"])
        client.kill()
        // The one that was made is the store's, and comes back.
        try phone.launch().kill()
        #expect(try value("device_id", try #require(phone.log.events.last)) == value("device_id", made))
    }

    @Test("executes an adapter's calls at their given time")
    func perform() throws {
        let phone = Phone()
        let client = try phone.launch()
        let moment = Moment(wall: phone.time.now().wall + -5, steady: phone.time.now().steady)
        client.perform(at: moment) { $0.record("early", [:], [], at: $1) }
        client.perform { $0.record("now", [:], [], at: $1) }
        let times = try phone.log.events.suffix(2).map { try JSONReader.parse($0.json)["timestamp"]?.integer }
        #expect(times == [moment.wall.milliseconds, phone.time.now().wall.milliseconds])
    }
}

/// Holds a client for an observer that is made before it.
private final class ClientBox: Sendable {
    private let held = Locked<ClickstreamClient?>(nil)

    var client: ClickstreamClient? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}
