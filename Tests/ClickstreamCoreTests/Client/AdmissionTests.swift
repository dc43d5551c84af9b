import Testing

@testable import ClickstreamCore

@Suite("Admission")
struct AdmissionTests {
    private static let user = User(uniqueID: "anonymous", firstTouch: Timestamp(milliseconds: 1))
    private static let session = SessionMachine.Stored(
        id: "session",
        number: 1,
        start: Timestamp(milliseconds: 1_000),
        lastActive: Timestamp(milliseconds: 2_000)
    )

    private static let closed = Admission.Verdict.drop(.consentDropped)

    /// Policies and decisions, with the verdicts before the decision, while it is saved, and afterwards.
    private static let decisions:
        [(ClickstreamClient.Configuration.ConsentPolicy, ConsentDecision, [Admission.Verdict])] = [
            (.hold, .granted, [.hold, .hold, .now]), (.hold, .denied, [.hold, closed, closed]),
            (.hold, .undecided, [.hold, .hold, .hold]), (.drop, .granted, [closed, closed, .now]),
            (.drop, .denied, [closed, closed, closed]), (.notRequired, .granted, [.now, .now, .now]),
            (.notRequired, .denied, [.now, closed, closed]),
        ]

    private static func moment(_ milliseconds: Int64) -> Moment {
        Moment(wall: Timestamp(milliseconds: milliseconds), steady: milliseconds)
    }

    private static func consent(_ analytics: ConsentDecision, after before: Consent = Consent()) -> Consent {
        var consent = before
        consent.decide(analytics, for: [.analytics])
        return consent
    }

    private static func admission(
        _ policy: ClickstreamClient.Configuration.ConsentPolicy = .notRequired,
        _ decision: ConsentDecision = .undecided,
        rates: [String: Double] = [:]
    ) -> Admission {
        Admission(ConsentGate(policy, consent(decision)), rates, session, profile: user)
    }

    private static func event(_ name: String) -> HeldEvents.Event {
        HeldEvents.Event(name, UniqueID(high: 0, low: 1), Array("{}".utf8), true, Timestamp(milliseconds: 3_000), [])
    }

    private static func decide(_ admission: inout Admission, _ decision: ConsentDecision) -> Admission.Consequences {
        let taken = admission.take(consent(decision, after: admission.consent))
        return admission.apply(taken, session, profile: user)
    }

    @Test(
        "depends on the switch first, then on consent, then on the sample of the name",
        arguments: [
            (true, .undecided, .now), (true, .granted, .now), (true, .denied, .drop(.consentDropped)),
            (false, .granted, .drop(.disabled)), (false, .denied, .drop(.disabled)),
        ] as [(Bool, ConsentDecision, Admission.Verdict)]
    )
    func verdict(isEnabled: Bool, decision: ConsentDecision, verdict: Admission.Verdict) {
        var admission = Self.admission(.notRequired, decision, rates: ["none": 0, "all": 1])
        if !isEnabled { admission.disable(profile: Self.user) }
        #expect(admission.verdict == verdict)
        var preset = Attributes()
        #expect(admission.admit("other", on: "device", at: Self.moment(0), adding: &preset) == verdict)
        let sampledOut = admission.admit("none", on: "device", at: Self.moment(0), adding: &preset)
        #expect(sampledOut == (verdict == .now ? .drop(.sampledOut) : verdict))
        #expect(preset.isEmpty)
        #expect(admission.admit("all", on: "device", at: Self.moment(0), adding: &preset) == verdict)
        #expect(preset == (verdict == .now ? [AttributeName.samplingRate: 1.0] : [:]))
    }

    @Test("holds events of the policy hold, with the attributes of their timing")
    func timing() {
        var admission = Self.admission(.hold)
        let isStarted = admission.startTiming("tap", at: Self.moment(100))
        #expect(isStarted)
        var preset = Attributes()
        #expect(admission.admit("tap", on: "device", at: Self.moment(350), adding: &preset) == .hold)
        #expect(preset == [AttributeName.eventDuration: 250])
        preset = [:]
        #expect(admission.admit("tap", on: "device", at: Self.moment(500), adding: &preset) == .hold)
        #expect(preset.isEmpty)
    }

    @Test("decides on the sample of a name again for another device")
    func devices() {
        let devices = (0..<20).map { "device \($0)" }
        let expected = devices.map { Sampler.position(of: "tap", deviceID: $0) < 0.5 }
        #expect(Set(expected) == [true, false])
        var admission = Self.admission(rates: ["tap": 0.5])
        let found = devices.map { device in
            var preset = Attributes()
            return admission.admit("tap", on: device, at: Self.moment(0), adding: &preset) == .now
        }
        #expect(found == expected)
    }

    @Test("the answer for the fast path follows each change")
    func unconditional() {
        var admission = Self.admission()
        var answers = [admission.isUnconditional]
        func change(_ body: (inout Admission) -> Void) {
            body(&admission)
            answers.append(admission.isUnconditional)
        }
        change { _ = $0.startTiming("tap", at: Self.moment(0)) }
        change { $0.cancelTiming("tap") }
        change { _ = $0.startTiming("tap", at: Self.moment(0)) }
        change { admission in
            var preset = Attributes()
            _ = admission.admit("tap", on: "device", at: Self.moment(0), adding: &preset)
        }
        change { $0.sample(["tap": 0.5]) }
        change { $0.sample([:]) }
        change { $0.disable(profile: Self.user) }
        change { _ = $0.enable(profile: Self.user) }
        change { _ = Self.decide(&$0, .denied) }
        change { _ = Self.decide(&$0, .granted) }
        change { _ = $0.startTiming("tap", at: Self.moment(0)) }
        change { _ = $0.erase(Self.session, profile: Self.user) }
        #expect(answers == [true, false, true, false, true, false, true, false, true, false, true, false, true])
    }

    @Test("a decision ends the wait of events", arguments: [ConsentDecision.granted, .denied])
    func wait(decision: ConsentDecision) {
        var admission = Self.admission(.hold)
        let isHeld = ["a", "b", "c"].map { admission.hold(Self.event($0), limit: 2) }
        #expect(isHeld == [true, true, false])
        let debt = HeldEvents.Debt(events: [EventName.firstOpen])
        #expect(admission.owe(debt) == debt)
        let taken = admission.take(Self.consent(decision, after: admission.consent))
        // Events to be recorded are owed until the decision is saved.
        #expect(admission.owe(HeldEvents.Debt()) == (decision == .granted ? debt : HeldEvents.Debt()))
        let consequences = admission.apply(taken, Self.session, profile: Self.user)
        #expect(consequences.released?.map(\.name) == (decision == .granted ? ["a", "b"] : nil))
        #expect(consequences.dropped.map(\.name) == (decision == .granted ? [] : ["a", "b"]))
        #expect(admission.owe(HeldEvents.Debt()) == HeldEvents.Debt())
        let isHeldLater = admission.hold(Self.event("d"), limit: 2)
        #expect(!isHeldLater)
    }

    @Test("limits the size of waiting events, whatever their number; removed ones make room")
    func size() {
        var admission = Self.admission(.hold)
        func isHeld(_ bytes: Int) -> Bool {
            var event = Self.event("tap")
            event.json = Array(repeating: UInt8(ascii: " "), count: bytes)
            return admission.hold(event, limit: 10)
        }
        let found = [HeldEvents.maxBytes - 2, 3, 2, 1].map(isHeld)
        #expect(found == [true, false, true, false])
        #expect(admission.removeHeld().map(\.json.count) == [HeldEvents.maxBytes - 2, 2])
        #expect(isHeld(HeldEvents.maxBytes))
    }

    @Test("follows a decision on consent once it is applied, or at once if it is a refusal", arguments: Self.decisions)
    func steps(
        policy: ClickstreamClient.Configuration.ConsentPolicy,
        decision: ConsentDecision,
        verdicts: [Admission.Verdict]
    ) {
        var admission = Self.admission(policy)
        var found = [admission.verdict]
        let taken = admission.take(Self.consent(decision, after: admission.consent))
        #expect(admission.consent[.analytics] == decision)
        found.append(admission.verdict)
        _ = admission.apply(taken, Self.session, profile: Self.user)
        found.append(admission.verdict)
        #expect(found == verdicts)
    }

    @Test("records a profile that changed while recording was closed or disabled", arguments: [true, false])
    func profile(isChanged: Bool) {
        var changed = Self.user
        if isChanged { changed.login = User.Login(id: "carl", set: Timestamp(milliseconds: 5)) }
        var admission = Self.admission()
        admission.disable(profile: Self.user)
        admission.disable(profile: changed)
        #expect(admission.enable(profile: changed) == .resume(isProfileChanged: isChanged))
        #expect(admission.enable(profile: changed) == .none)
        _ = Self.decide(&admission, .denied)
        let taken = admission.take(Self.consent(.granted, after: admission.consent))
        let consequences = admission.apply(taken, Self.session, profile: changed)
        #expect(consequences.reopens)
        #expect(consequences.recordsProfile == isChanged)
    }

    /// Beginning or end of a refusal, or a login.
    enum Step: Sendable {
        case disable
        case deny
        case logIn
        case enable
        case grant
    }

    @Test(
        "records a profile that changed while recording was closed and disabled, once when both have ended",
        arguments: [
            [.disable, .logIn, .deny], [.disable, .deny, .logIn], [.deny, .logIn, .disable], [.deny, .disable, .logIn],
        ] as [[Step]],
        [[.enable, .grant], [.grant, .enable]] as [[Step]]
    )
    func profileOfBoth(begin: [Step], end: [Step]) throws {
        let phone = Phone()
        let client = try phone.launch()
        for step in begin + end {
            #expect(!phone.log.events.contains { $0.name == EventName.profileSet }, "before \(step)")
            switch step {
            case .disable: client.disable()
            case .deny: client.setConsent(.denied, for: .analytics)
            case .logIn: client.setUserID("carl")
            case .enable: client.enable()
            case .grant: client.setConsent(.granted, for: .analytics)
            }
        }
        #expect(phone.log.events.count { $0.name == EventName.profileSet } == 1)
        client.disable()
        client.enable()
        #expect(phone.log.events.count { $0.name == EventName.profileSet } == 1)
        client.kill()
    }

    @Test("an erasure while recording is disabled launches the app when it is enabled")
    func erasure() {
        var admission = Self.admission(.hold, .granted)
        admission.disable(profile: Self.user)
        let consent = admission.erase(Self.session, profile: Self.user)
        #expect(consent[.analytics] == .undecided)
        admission.disable(profile: Self.user)
        #expect(admission.enable(profile: Self.user) == .relaunch)
        #expect(admission.verdict == .hold)
    }

    @Test("an erasure forgets the profile of before, also if the app cannot be launched again")
    func erasedProfile() {
        var admission = Self.admission(.notRequired, .undecided)
        admission.disable(profile: Self.user)
        let new = User(uniqueID: "new", firstTouch: Timestamp(milliseconds: 2))
        _ = admission.erase(Self.session, profile: new)
        #expect(admission.enable(profile: new) == .relaunch)
        admission.disable(profile: new)
        #expect(admission.enable(profile: new) == .resume(isProfileChanged: false))
    }
}
