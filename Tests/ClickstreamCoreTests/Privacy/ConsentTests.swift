import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Consent")
struct ConsentTests {
    private func names(_ phone: Phone) -> [String] { phone.log.events.map(\.name) }

    /// The accounting of all run folders of the clickstream format on the disk.
    private func stored(_ phone: Phone) throws -> (ledger: Ledger, pendingEvents: Int) {
        try StoreFolder(phone.disk, root: "/data", appID: "shop").ledger()
    }

    @Test(
        "has an effect by decision and policy",
        arguments: [
            (.notRequired, .undecided, .open), (.notRequired, .granted, .open), (.notRequired, .denied, .closed),
            (.hold, .undecided, .holding), (.hold, .granted, .open), (.hold, .denied, .closed),
            (.drop, .undecided, .closed), (.drop, .granted, .open), (.drop, .denied, .closed),
        ] as [(ClickstreamClient.Configuration.ConsentPolicy, ConsentDecision, ConsentGate.Treatment)]
    )
    func gate(
        policy: ClickstreamClient.Configuration.ConsentPolicy,
        decision: ConsentDecision,
        treatment: ConsentGate.Treatment
    ) {
        var consent = Consent()
        consent.decide(decision, for: [.analytics])
        let gate = ConsentGate(policy, consent)
        #expect(gate.analytics == treatment)
        let allowed = ConsentPurpose.allCases.filter {
            $0 == .analytics ? treatment == .open : policy == .notRequired
        }
        #expect(gate.allowed == allowed)
    }

    @Test("withdrawn for one purpose removes the events that carry its data", arguments: ConsentPurpose.allCases)
    func withdrawal(of purpose: ConsentPurpose) {
        var consent = Consent()
        consent.decide(.granted, for: ConsentPurpose.allCases)
        for policy in ClickstreamClient.Configuration.ConsentPolicy.allCases {
            let granted = ConsentGate(policy, consent)
            var without = consent
            without.decide(.denied, for: [purpose])
            #expect(granted.withdraws(to: granted.with(without)))
            #expect(!granted.with(without).withdraws(to: granted))
        }
    }

    @Test("is not required by default: nothing of it is stored")
    func absent() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.record("tap")
        client.terminate()
        let state = String(decoding: try #require(phone.disk[Phone.path("state")]), as: UTF8.self)
        #expect(!state.contains("consent"))
        #expect(!state.contains("withdrawn"))
        #expect(client.consent(for: .analytics) == .undecided)
    }

    @Test("that is awaited keeps events off the disk and the network")
    func held() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.consent = .hold }
        client.record("tap")
        client.screen(name: "A")
        let report = await client.flush()
        #expect(report.sent == 0)
        #expect(phone.records().isEmpty)
        #expect(phone.server.requests.isEmpty)
        #expect(names(phone) == [])
    }

    @Test("records waiting events in order, with the times, the session and the screen of their time")
    func granted() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.consent = .hold }
        client.screen(name: "A")
        await phone.time.advance(milliseconds: 5_000)
        client.record("tap")
        await phone.time.advance(milliseconds: 5_000)
        client.setConsent(.granted, for: .analytics)
        client.record("later")
        #expect(names(phone) == ["_first_open", "_app_start", "_session_start", "_screen_view", "tap", "later"])
        let tap = try #require(phone.log.events.first { $0.name == "tap" })
        let later = try #require(phone.log.events.last)
        #expect(tap["_session_duration"] == .number(JSONNumber(integer: 5_000)))
        #expect(tap["_screen_name"] == .string("A"))
        #expect(later["_session_duration"] == .number(JSONNumber(integer: 10_000)))
        #expect(phone.records().map(\.event) == phone.log.events)
        #expect(await client.flush().sent == 6)
        // Stored: the next process needs no decision.
        client.terminate()
        let next = try phone.launch { $0.consent = .hold }
        #expect(next.consent(for: .analytics) == .granted)
        #expect(phone.log.events.last?.name == "_app_start")
    }

    @Test("that is refused drops waiting events, and counts them")
    func refused() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.consent = .hold }
        client.record("tap")
        client.setConsent(.denied, for: .analytics)
        client.record("tap")
        client.screen(name: "A")
        client.background()
        let (ledger, pending) = client.ledger
        #expect(ledger[.consentDropped] == 5)
        #expect(ledger.recorded == ledger.settled + pending)
        #expect(phone.records().isEmpty)
        client.terminate()
        let next = try phone.launch { $0.consent = .hold }
        next.record("tap")
        // The session continues: only `_app_start`, and the tap.
        #expect(next.ledger.ledger[.consentDropped] == 5 + 2)
        #expect(await next.flush().sent == 0)
        #expect(names(phone) == [])
    }

    @Test("that is withdrawn removes all queued events from the disk, and counts them")
    func withdrawn() async throws {
        let phone = Phone(replies: [.status(503)])
        let client = try phone.launch()
        for _ in 0..<100 { client.record("tap") }
        // One batch is in flight: it was sent, and not accepted.
        #expect(await client.flush().sent == 0)
        client.setConsent(.denied, for: .analytics)
        #expect(phone.records().isEmpty)
        let (ledger, pending) = client.ledger
        #expect(pending == 0)
        #expect(ledger[.consentDropped] == 103)
        #expect(ledger.recorded == ledger.settled)
        phone.server.defaultReply = .status(200)
        await phone.time.advance(milliseconds: 600_000)
        #expect(await client.flush().sent == 0)
        #expect(phone.server.requests.count == 1)
        client.setConsent(.granted, for: .analytics)
        client.record("again")
        #expect(phone.records().map(\.event.name) == ["again"])
    }

    @Test("that is withdrawn removes the events of ended processes, dead letters and crashes")
    func leftovers() async throws {
        let phone = Phone()
        let first = try phone.launch()
        first.record("tap")
        let second = try phone.launch()
        second.record("tap")
        first.kill()
        let folder = try StoreFolder(phone.disk, root: "/data", appID: "shop")
        let letter = DeadLetter(
            json: [UInt8]("{}".utf8),
            status: 400,
            reason: "bad",
            attempts: 1,
            setAside: phone.time.now().wall
        )
        try folder.deadLetters.add([letter])
        try phone.disk.replace(Phone.path("crash"), with: [1], durably: false)
        try phone.disk.replace(Phone.path("runs/1/crash"), with: [1], durably: false)
        second.setConsent(.denied, for: .analytics)
        #expect(phone.records().isEmpty)
        #expect(try folder.deadLetters.all().isEmpty)
        #expect(!phone.disk.paths.contains { $0.hasSuffix("/crash") || $0.hasSuffix("/dead") })
        let (ledger, pending) = try stored(phone)
        #expect(pending == 0)
        #expect(ledger.recorded == ledger.settled)
    }

    @Test("that is withdrawn is completed by the next launch, after an end before any file operation")
    func interrupted() async throws {
        func play(_ phone: Phone) throws {
            let client = try phone.launch { $0.maxStoreBytes = 16_000 }
            for _ in 0..<20 { client.record("tap") }
            client.setConsent(.denied, for: .analytics)
        }
        let model = Phone()
        let client = try model.launch { $0.maxStoreBytes = 16_000 }
        for _ in 0..<20 { client.record("tap") }
        let before = model.disk.operations
        client.setConsent(.denied, for: .analytics)
        let after = model.disk.operations
        #expect(after - before > 8)
        for last in before...after {
            let phone = Phone()
            phone.disk.inject(.cutPower, at: .operation(last))
            try? play(phone)  // it ends in the middle
            let later = Phone(disk: MemoryFileSystem(phone.disk.snapshot()))
            let next = try later.launch { $0.maxStoreBytes = 16_000 }
            let isDecided = next.consent(for: .analytics) == .denied
            #expect(isDecided || last <= before + 8)
            if isDecided {
                #expect(later.records().isEmpty, "after \(last - before) operations")
                #expect(await next.flush().sent == 0)
                #expect(later.server.requests.isEmpty)
            }
            next.terminate()
            let (ledger, pending) = try stored(later)
            #expect(ledger.recorded == ledger.settled + pending)
        }
    }

    @Test("that another process withdrew removes the events of this one at its next flush")
    func otherProcess() async throws {
        let phone = Phone()
        let one = try phone.launch { $0.consent = .hold }
        one.setConsent(.granted, for: .analytics)
        let other = try phone.launch { $0.consent = .hold }
        one.record("tap")
        other.record("tap")
        one.setConsent(.denied, for: .analytics)
        #expect(phone.records().contains { $0.event.name == "tap" })
        #expect(await other.flush().sent == 0)
        #expect(phone.records().isEmpty)
        #expect(other.consent(for: .analytics) == .denied)
        other.terminate()
        one.terminate()
        let (ledger, pending) = try stored(phone)
        #expect(ledger.recorded == ledger.settled + pending)
    }

    @Test("that was withdrawn while another process ran removes what that process left, even if it is given again")
    func grantedAgain() async throws {
        let phone = Phone()
        let one = try phone.launch { $0.consent = .hold }
        one.setConsent(.granted, for: .analytics)
        let other = try phone.launch { $0.consent = .hold }
        other.record("before")
        one.setConsent(.denied, for: .analytics)
        one.setConsent(.granted, for: .analytics)
        one.record("after")
        other.kill()
        one.terminate()
        let next = try phone.launch { $0.consent = .hold }
        #expect(await next.flush().isComplete)
        #expect(!phone.server.events.contains { $0.name == "before" })
        #expect(phone.server.events.contains { $0.name == "after" })
    }

    /// Changes of one process that another one, in which events wait, learns of at once.
    private static let withdrawals: [(String, @Sendable (ClickstreamClient) -> Void)] = [
        ("erasure", { $0.eraseAll() }),
        (
            "refusal and grant",
            {
                $0.setConsent(.denied, for: .analytics)
                $0.setConsent(.granted, for: .analytics)
            }
        ),
        (
            "refusal and reset",
            {
                $0.setConsent(.denied, for: .analytics)
                $0.setConsent(.undecided, for: .analytics)
            }
        ),
    ]

    @Test("that another process withdrew, or erased, drops the events that wait in this one", arguments: withdrawals)
    func heldInOtherProcess(name: String, withdraw: @Sendable (ClickstreamClient) -> Void) async throws {
        let phone = Phone()
        let one = try phone.launch { $0.consent = .hold }
        let other = try phone.launch { $0.consent = .hold }
        one.setUserID("alice")
        other.record("before")
        withdraw(one)
        // After its first line, a checksum.
        let stateLine = try #require(phone.disk[Phone.path("state")]?.split(separator: UInt8(ascii: "\n")).last)
        let state = try #require(StoredState(json: Array(stateLine)))
        // It learns of the withdrawal only now.
        other.setConsent(.granted, for: .analytics)
        other.record("after")
        let names = phone.records().map(\.event.name)
        #expect(!names.contains("before") && names.last == "after")
        for record in phone.records() {
            let event = try JSONReader.parse(record.event.json)
            #expect(event["device_id"]?.string == state.deviceID)
            #expect(event["unique_id"]?.string == state.users.current.uniqueID)
        }
        // Its next events wait again, and are recorded with the next grant.
        other.setConsent(.undecided, for: .analytics)
        other.record("waiting")
        other.setConsent(.granted, for: .analytics)
        #expect(phone.records().map(\.event.name) == ["waiting"])
        other.terminate()
        one.terminate()
        let (ledger, pending) = try stored(phone)
        #expect(ledger.recorded == ledger.settled + pending)
    }

    @Test("for personalization decides if events carry the user's id and attributes")
    func personalization() throws {
        let phone = Phone()
        let client = try phone.launch { $0.consent = .hold }
        client.setConsent(.granted, for: .analytics)
        client.setUserID("ann")
        client.addUserAttributes(["plan": "paid"])
        client.record("tap")
        func user(_ event: RecordedEvent?) throws -> [String] {
            try JSONReader.parse(#require(event).json)["user"]?.members?.map(\.name) ?? []
        }
        let first = "_user_first_touch_timestamp"
        for event in phone.log.events { #expect(try user(event) == [first]) }
        client.setConsent(.granted, for: .personalization)
        #expect(phone.log.events.last?.name == "_profile_set")
        #expect(try user(phone.log.events.last) == [first, "_user_id", "plan"])
        // They carry the user.
        client.setConsent(.denied, for: .personalization)
        #expect(phone.records().isEmpty)
        client.record("tap")
        #expect(try user(phone.log.events.last) == [first])
        let (ledger, pending) = client.ledger
        #expect(ledger.recorded == ledger.settled + pending)
    }

    @Test("limits the events that wait, keeps the oldest, and counts the others")
    func limit() throws {
        let phone = Phone()
        let client = try phone.launch {
            $0.consent = .hold
            $0.maxHeldEvents = 5
        }
        for number in 0..<10 { client.record("tap\(number)") }
        client.setConsent(.granted, for: .analytics)
        #expect(names(phone) == ["_first_open", "_app_start", "_session_start", "tap0", "tap1"])
        let (ledger, pending) = client.ledger
        #expect(ledger[.consentDropped] == 8)
        #expect(ledger.recorded == ledger.settled + pending)
    }

    @Test("that was awaited when the process ended is awaited again: first open and session start are recorded then")
    func again() throws {
        let phone = Phone()
        let first = try phone.launch { $0.consent = .hold }
        first.record("tap")
        first.kill()
        let second = try phone.launch { $0.consent = .hold }
        second.terminate()
        #expect(second.ledger.ledger[.consentDropped] == 4)
        let third = try phone.launch { $0.consent = .hold }
        third.setConsent(.granted, for: .analytics)
        #expect(names(phone) == ["_first_open", "_app_start", "_session_start"])
        #expect(Set(phone.log.events.map(\.session)) == [1])
    }

    @Test("is dropped with the policy drop, and counted")
    func dropped() throws {
        let phone = Phone()
        let client = try phone.launch { $0.consent = .drop }
        client.record("tap")
        client.setConsent(.granted, for: .analytics)
        client.record("tap")
        #expect(names(phone) == ["tap"])
        #expect(client.ledger.ledger[.consentDropped] == 4)
    }

    @Test("is written to the state and read back")
    func json() throws {
        var consent = Consent()
        consent.decide(.granted, for: [.analytics])
        consent.decide(.denied, for: [.personalization])
        consent.countWithdrawal()
        var state = StoredState(
            deviceID: "d",
            users: KnownUsers(current: User(uniqueID: "u", firstTouch: Timestamp(milliseconds: 1)))
        )
        state.consent = consent
        state.withdrawn = ["runs/1", "runs-pulse/2"]
        #expect(StoredState(json: state.json) == state)
    }

    // MARK: Erasure

    @Test("and everything else is forgotten by eraseAll: a new installation begins")
    func erased() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.globalAttributes = ["channel": "store"] }
        client.setUserID("alice")
        client.addUserAttributes(["plan": "paid"])
        client.addGlobalAttributes(["own": 1])
        client.record("tap")
        let before = try JSONReader.parse(#require(phone.log.events.last).json)
        _ = phone.log.take()
        client.eraseAll()
        #expect(names(phone) == ["_first_open", "_app_start", "_session_start"])
        client.record("tap")
        let after = try JSONReader.parse(#require(phone.log.events.last).json)
        for field in ["device_id", "unique_id"] { #expect(after[field] != before[field]) }
        #expect(after["user"]?.members?.map(\.name) == ["_user_first_touch_timestamp"])
        #expect(after["attributes"]?["_session_number"]?.integer == 1)
        #expect(after["attributes"]?["channel"] != nil)
        #expect(after["attributes"]?["own"] == nil)
        let identity = try #require(before["unique_id"]?.string)
        for path in phone.disk.paths {
            let text = String(decoding: phone.disk[path] ?? [], as: UTF8.self)
            #expect(!text.contains(identity) && !text.contains("alice") && !text.contains("paid"), "\(path)")
        }
        #expect(await client.flush().sent == 4)
        #expect(phone.server.events.allSatisfy { !$0.text.contains(identity) })
        client.terminate()
        let (ledger, pending) = try stored(phone)
        #expect(ledger.recorded == ledger.settled + pending)
        #expect(ledger[.purged] == 6)
    }

    @Test("and a new installation has the configured ids again")
    func erasedWithConfiguredIDs() throws {
        let phone = Phone()
        let client = try phone.launch {
            $0.device.deviceID = "device-1"
            $0.uniqueID = "person-1"
        }
        client.setUserID("alice")
        client.setUserID("bob")
        client.eraseAll()
        _ = phone.log.take()
        client.record("tap")
        let event = try JSONReader.parse(#require(phone.log.events.last).json)
        #expect(event["device_id"]?.string == "device-1")
        #expect(event["unique_id"]?.string == "person-1")
        #expect(event["user"]?.members?.map(\.name) == ["_user_first_touch_timestamp"])
    }

    @Test("that was refused stays refused after eraseAll")
    func erasedDenial() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.setConsent(.denied, for: .analytics)
        client.eraseAll()
        client.record("tap")
        #expect(client.consent(for: .analytics) == .denied)
        #expect(phone.records().isEmpty)
    }

    @Test("is not needed for eraseAll while recording is disabled: nothing is recorded until it is enabled")
    func erasedWhileDisabled() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.disable()
        _ = phone.log.take()
        client.eraseAll()
        client.record("tap")
        #expect(names(phone) == [])
        client.enable()
        #expect(names(phone) == ["_first_open", "_app_start", "_session_start"])
    }
}
