import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// Counts received events against expectations. A pure value without clock and connection.
///
/// Stores counts and near misses, not the events.
struct Expectations: Sendable {
    /// Combined state of all expectations.
    enum Verdict: Sendable, Hashable {
        /// All expectations hold.
        case holds
        /// Further events are required.
        case missing
        /// An upper limit is exceeded; the result is final.
        case broken
    }

    /// A condition with its received events.
    struct Outcome: Sendable {
        let expectation: Expectation
        fileprivate(set) var came = 0
        /// Values of the events of that name that do not match, with their number.
        fileprivate(set) var otherValues = Tally(limit: 50)

        var holds: Bool { came >= expectation.count.minimum && !isBroken }
        var isBroken: Bool { expectation.count.maximum.map { came > $0 } ?? false }

        func isAbout(_ name: String?, _ form: CapturedFormat) -> Bool {
            expectation.form == form && Characters.areSame(expectation.name, name)
        }
    }

    /// Counts by text; beyond a number of different texts, new ones share one count.
    struct Tally: Sendable, Hashable {
        private(set) var counts: [String: Int] = [:]
        let limit: Int

        mutating func add(_ text: String) {
            guard counts[text] != nil || counts.count < limit else { return }
            counts[text, default: 0] += 1
        }

        /// The most frequent first.
        var sorted: [(text: String, count: Int)] {
            counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
        }
    }

    /// A finding of the plan in events of one name.
    struct PlanEntry: Sendable, Hashable {
        var code: PlanCode
        var isError: Bool
        var message: String
        var event: String

        var text: String { "\(code.rawValue) \(message), in \(event)" }
    }

    /// Maximum number of different errors of the plan, and of warnings.
    private static let maxPlanFindings = 200

    let allowsErrors: Bool
    let allowsDuplicates: Bool
    /// True if warnings count as errors.
    let isStrict: Bool
    /// The tracking plan that events in the clickstream format have to conform to.
    var plan: PlanJudge?
    /// The share of the plan's events that have to be received; `nil` for any.
    var coverage: CoverageExpectation?
    /// True if another comparison with a plan was added.
    private var isCompared = false
    private(set) var outcomes: [Outcome]
    private(set) var events = 0
    private(set) var badEvents = 0
    private(set) var unreadableRequests = 0
    private(set) var duplicates = 0
    /// Names of received events.
    private(set) var names = Tally(limit: 1_000)
    /// False if some events were counted without their names.
    private var hasAllNames = true
    /// Findings in bad events.
    private(set) var errors = Tally(limit: 50)
    /// Number of events with findings of the plan that count as errors.
    private(set) var eventsAgainstPlan = 0
    /// Different findings of the plan with their numbers; new ones beyond a limit are not listed.
    private(set) var planFindings: [PlanEntry: Int] = [:]
    /// Numbers of ``planFindings``: errors by `true`, warnings by `false`.
    private var listedPlanFindings: [Bool: Int] = [:]
    /// Findings of bad events that the collector does not list.
    private(set) var unlistedViolations = 0

    init(
        _ expectations: [Expectation],
        allowsErrors: Bool = true,
        allowsDuplicates: Bool = true,
        isStrict: Bool = false
    ) {
        self.isStrict = isStrict
        outcomes = expectations.map { Outcome(expectation: $0) }
        self.allowsErrors = allowsErrors
        self.allowsDuplicates = allowsDuplicates
    }

    /// True if nothing is expected.
    var isEmpty: Bool { outcomes.isEmpty && allowsErrors && allowsDuplicates && !expectsPlan }

    /// True if events have to conform to a tracking plan.
    var expectsPlan: Bool { plan != nil || isCompared }

    /// True if an event has to be received; false if there are only upper limits.
    var wantsSomething: Bool {
        coverage?.wantsSomething == true || outcomes.contains { $0.expectation.count.minimum > 0 }
    }

    var verdict: Verdict {
        if outcomes.contains(where: \.isBroken) || hasErrors || hasDuplicates || breaksPlan { return .broken }
        return outcomes.allSatisfy(\.holds) && isCovered ? .holds : .missing
    }

    /// False if a smaller share of the plan's events was received than expected.
    var isCovered: Bool { coverage?.holds ?? true }
    /// True if that follows from all events.
    var isCertainlyUncovered: Bool { !isCovered && coverage?.isUndecided == false }
    var hasErrors: Bool { !allowsErrors && badEvents + unreadableRequests > 0 }
    /// Findings of the plan, the most frequent first.
    func planFindings(areErrors: Bool) -> [(entry: PlanEntry, count: Int)] {
        planFindings.filter { $0.key.isError == areErrors }.map { ($0.key, $0.value) }
            .sorted { ($1.count, $0.entry.text) < ($0.count, $1.entry.text) }
    }

    var breaksPlan: Bool { eventsAgainstPlan > 0 }
    var hasDuplicates: Bool { !allowsDuplicates && duplicates > 0 }

    mutating func take(_ received: ReceivedEvent) {
        events += 1
        let fullName = Self.fullName(of: received)
        names.add(fullName)
        takeErrors(of: received, named: fullName)
        if received.form == .clickstream, let plan {
            let event = received.judgedEvent
            coverage?.take(PlanJudge.name(of: event))
            take(plan.verdict(on: event), of: fullName)
        }
        compare(received)
    }

    /// The name of an event in a report, after its form. A name of any length is repeated for each finding.
    private static func fullName(of received: ReceivedEvent) -> String {
        Expectation.fullName(Characters.reported(received.name ?? "(no name)"), received.form)
    }

    private mutating func takeErrors(of received: ReceivedEvent, named fullName: String) {
        guard received.isBad || (isStrict && !received.violations.isEmpty) else { return }
        badEvents += 1
        unlistedViolations += min(received.unlistedViolations, .max - unlistedViolations)
        for violation in received.violations where isStrict || !violation.isWarning {
            errors.add("\(violation.code) \(ReplayReport.meaning(of: violation.code)), in \(fullName)")
        }
    }

    /// True if an expectation is about captured events of this name: only for these it reads their content.
    func compares(_ name: String, _ form: CapturedFormat) -> Bool {
        outcomes.contains { $0.isAbout(name, form) }
    }

    /// Counts an event for the expectations of its name.
    private mutating func compare(_ received: ReceivedEvent) {
        let name = received.name
        let form = received.form
        let event = received.event
        for index in outcomes.indices where outcomes[index].isAbout(name, form) {
            let failed = outcomes[index].expectation.conditions.filter { !$0.holds(for: event) }
            if failed.isEmpty {
                outcomes[index].came += 1
            } else {
                outcomes[index].otherValues.add(failed.map { $0.found(in: event) }.joined(separator: ", "))
            }
        }
    }

    private mutating func take(_ verdict: PlanJudge.Verdict, of name: String) {
        for finding in verdict.findings { add(finding, of: name) }
        if verdict.hasErrors || (isStrict && !verdict.findings.isEmpty) { eventsAgainstPlan += 1 }
    }

    /// Adds the comparison of all events with a plan, instead of the verdicts on single events.
    /// - Parameter isComplete: false if some events were not compared.
    mutating func take(_ coverage: PlanCoverage?, isComplete: Bool = true) {
        isCompared = true
        self.coverage?.take(coverage, isComplete: isComplete)
        guard let coverage else { return }
        eventsAgainstPlan += isStrict ? coverage.totalWithFindings : coverage.totalWithErrors
        for (name, event) in coverage.events.sorted(by: { $0.key < $1.key }) {
            let fullName = Expectation.fullName(name.text, .clickstream)
            for counted in event.findings { add(counted.finding, of: fullName, events: counted.events) }
        }
    }

    private mutating func add(_ finding: PlanFinding, of name: String, events: Int = 1) {
        let isError = isStrict || finding.severity == .error
        let entry = PlanEntry(code: finding.code, isError: isError, message: finding.message, event: name)
        if planFindings[entry] == nil {
            guard listedPlanFindings[isError, default: 0] < Self.maxPlanFindings else { return }
            listedPlanFindings[isError, default: 0] += 1
        }
        planFindings[entry, default: 0] += events
    }

    /// Adds the counts of requests beside their new events.
    mutating func take(duplicates: Int, unreadableRequests: Int) {
        self.duplicates += duplicates
        self.unreadableRequests += unreadableRequests
    }

    // MARK: - Selected events

    /// Queries for all events that the expectations can match, each once; `nil` if only all events will do: for a plan, which
    /// each event has to conform to, for warnings, which no query selects, and for long names and others than ASCII.
    var selections: [EventQuery]? {
        guard plan == nil, allowsErrors || !isStrict else { return nil }
        var queries: [EventQuery] = []
        for expectation in outcomes.map(\.expectation) {
            guard Self.isSelectable(expectation.name) else { return nil }
            let query = EventQuery(filter: EventFilter(name: expectation.name), form: expectation.form)
            if !queries.contains(query) { queries.append(query) }
        }
        return queries
    }

    /// Names of a hundred printable ASCII characters, which every query takes.
    private static func isSelectable(_ name: String) -> Bool {
        name.utf8.count <= 100 && name.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }

    /// Adds the numbers of all events, in place of events that are not passed to ``take(_:)``.
    mutating func take(_ totals: CollectorReader.Totals) {
        events += totals.events
        // The bad events themselves are counted otherwise.
        if allowsErrors { badEvents += totals.badEvents }
        if totals.events > 0 { hasAllNames = false }
    }

    /// Adds an event of ``selections``.
    mutating func take(selected received: ReceivedEvent) { compare(received) }

    /// Adds a bad event.
    mutating func take(bad received: ReceivedEvent) {
        takeErrors(of: received, named: Self.fullName(of: received))
    }

    /// True if the report of a missing event needs the names of all events.
    var lacksNames: Bool {
        !hasAllNames && outcomes.contains { !$0.holds && $0.came == 0 && $0.otherValues.counts.isEmpty }
    }

    /// Sets the names of all events.
    mutating func take(names: Tally) {
        self.names = names
        hasAllNames = true
    }

    // MARK: - Reset

    /// Discards the events received so far.
    mutating func reset() {
        let (plan, coverage) = (plan, coverage)
        self = Expectations(
            outcomes.map(\.expectation),
            allowsErrors: allowsErrors,
            allowsDuplicates: allowsDuplicates,
            isStrict: isStrict
        )
        self.plan = plan
        self.coverage = coverage
        self.coverage?.reset()
    }
}
