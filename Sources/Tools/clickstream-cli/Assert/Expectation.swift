import ArgumentParser
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// Expected number of events with a name and certain values.
struct Expectation: Sendable, Hashable {
    /// Permitted numbers.
    struct Count: Sendable, Hashable {
        var minimum: Int
        var maximum: Int?

        static let any = Count(minimum: 1, maximum: nil)

        /// Reads `2`, `2+` (at least) or `2..5`.
        init?(_ text: some StringProtocol) {
            let isNumber: (any StringProtocol) -> Bool = {
                !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) }
            }
            if let dots = text.firstRange(of: "..") {
                let (low, high) = (text[..<dots.lowerBound], text[dots.upperBound...])
                guard isNumber(low), isNumber(high), let low = Int(low), let high = Int(high), low <= high else {
                    return nil
                }
                self.init(minimum: low, maximum: high)
            } else {
                let digits = text.last == "+" ? String(text.dropLast()) : String(text)
                guard isNumber(digits), let number = Int(digits) else { return nil }
                self.init(minimum: number, maximum: text.last == "+" ? nil : number)
            }
        }

        init(minimum: Int, maximum: Int?) {
            self.minimum = minimum
            self.maximum = maximum
        }

        var description: String {
            guard let maximum else { return "at least \(minimum)" }
            if maximum == 0 { return "none" }
            if minimum == maximum { return "exactly \(maximum)" }
            return minimum == 0 ? "at most \(maximum)" : "\(minimum) to \(maximum)"
        }
    }

    var name: String
    /// Format of the events.
    var form = CapturedFormat.clickstream
    var count: Count
    var conditions: [ValueCondition] = []

    /// The expectation for messages: `purchase where attributes.value == 99.9`, `pulse click`.
    var description: String {
        let tail = conditions.map(\.description).joined(separator: " and ")
        return Console.escaped(tail.isEmpty ? fullName : "\(fullName) where \(tail)")
    }

    /// The name, after the form of captured events.
    var fullName: String { Self.fullName(name, form) }

    static func fullName(_ name: String, _ form: CapturedFormat) -> String {
        form == .clickstream ? name : "\(form.rawValue) \(name)"
    }
}

/// Options for expectations, shared by `assert` and `collect`.
struct ExpectationOptions: ParsableArguments {
    /// A part of an expectation with its position on the command line, which the parser discards.
    struct PositionedPart: Sendable {
        enum Part: Sendable {
            case event(String, Expectation.Count?)
            case form(CapturedFormat)
            case count(Expectation.Count)
            case condition(ValueCondition)
        }

        let position: Int
        let part: Part

        /// Values are parsed in the order of the command line, so that a counter gives their positions.
        private static let counter = Locked(0)

        init(_ part: Part) {
            self.part = part
            position = Self.counter.withLock { counter in
                counter += 1
                return counter
            }
        }
    }

    @Option(
        name: [.customLong("event"), .customLong("expect")],
        help: ArgumentHelp(
            """
            Expect an event: at least once (NAME), exactly twice (NAME:2), at least twice (NAME:2+), 2 to 5 times \
            (NAME:2..5), never (NAME:0). Repeatable; --count, --at-least, --at-most and --where apply to the --event before \
            them.
            """,
            valueName: "name[:count]"
        ),
        transform: Self.event
    )
    var events: [PositionedPart] = []

    @Option(
        help: ArgumentHelp(
            """
            Format of the events of the --event options after it: \(CapturedFormat.namesAfterDefault()). \
            Repeatable.
            """,
            valueName: "format"
        ),
        completion: .list(CapturedFormat.allCases.map(\.rawValue)),
        transform: Self.form
    )
    var form: [PositionedPart] = []

    @Option(
        help: ArgumentHelp("Expect exactly this number of events.", valueName: "n"),
        transform: { try Self.number("--count", $0) { ($0, $0) } }
    )
    var count: [PositionedPart] = []

    @Option(
        help: ArgumentHelp("Expect at least this number of events.", valueName: "n"),
        transform: { try Self.number("--at-least", $0) { ($0, nil) } }
    )
    var atLeast: [PositionedPart] = []

    @Option(
        help: ArgumentHelp("Expect at most this number of events.", valueName: "n"),
        transform: { try Self.number("--at-most", $0) { (0, $0) } }
    )
    var atMost: [PositionedPart] = []

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            """
            Count only events that meet this condition, such as 'attributes.value == 99.9' or '$.items[*].id == "123"'; != \
            is possible too. The value is JSON, a number in its shortest spelling. Repeatable; all conditions must hold.
            """,
            valueName: "condition"
        ),
        transform: { PositionedPart(.condition(try ValueCondition(option: $0))) }
    )
    var conditions: [PositionedPart] = []

    @OptionGroup
    var plan: PlanOption

    @Option(
        help: ArgumentHelp(
            "Expect at least this share of the events of --plan to be received, such as 0.9 or 90%.",
            valueName: "share"
        )
    )
    var requireCoverage: ShareOption?

    @Flag(help: "Expect no event to be received twice.")
    var noDuplicates = false

    @OptionGroup
    var strict: StrictOption

    func validate() throws {
        _ = try expectations()
        if requireCoverage != nil, plan.path == nil {
            throw ValidationError("--require-coverage needs --plan FILE: it is a share of the events of the plan")
        }
    }

    /// The expectation of `--require-coverage`; `nil` without it.
    func coverage(of plan: TrackingPlan?) -> CoverageExpectation? {
        guard let requireCoverage, let plan else { return nil }
        return CoverageExpectation(requireCoverage, of: plan)
    }

    /// - Parameter checksErrors: true with `--no-errors`.
    /// - Throws: `ValidationError` for `--strict` without findings that it applies to.
    func validateStrict(checksErrors: Bool) throws {
        if strict.isOn, !checksErrors, plan.path == nil {
            throw ValidationError("--strict needs --no-errors or --plan FILE: it counts their warnings as errors")
        }
    }

    /// Warns of the conditions that compare texts that resemble numbers.
    func warnOfNumberLikeTexts() {
        let texts: [NumberLikeText] = conditions.compactMap { part in
            if case .condition(let condition) = part.part { condition.numberLikeText } else { nil }
        }
        NumberLikeText.warn(of: texts, "compared")
    }

    /// The expectations in the order of `--event`, with the options that refer to each.
    func expectations() throws -> [Expectation] {
        var expectations: [Expectation] = []
        var counts: [Expectation.Count?] = []
        var form = CapturedFormat.clickstream
        let parts = (events + self.form + count + atLeast + atMost + conditions).sorted { $0.position < $1.position }
        for part in parts.map(\.part) {
            if case .event(let name, let count) = part {
                expectations.append(Expectation(name: name, form: form, count: count ?? .any))
                counts.append(count)
                continue
            }
            if case .form(let next) = part {
                form = next
                continue
            }
            guard let last = expectations.indices.last else {
                throw ValidationError(
                    "--count, --at-least, --at-most and --where apply to the --event before them; start with --event NAME"
                )
            }
            switch part {
            case .event, .form: break
            case .condition(let condition):
                expectations[last].conditions.append(condition)
            case .count(let count):
                guard let merged = Self.merged(counts[last], count) else {
                    throw ValidationError(
                        "conflicting counts for event '\(Console.escaped(expectations[last].name))'; give one count, or a lower and a higher bound"
                    )
                }
                counts[last] = merged
                expectations[last].count = merged
            }
        }
        return expectations
    }

    /// Merges a lower and an upper bound; other combinations conflict.
    private static func merged(_ first: Expectation.Count?, _ second: Expectation.Count) -> Expectation.Count? {
        guard let first else { return second }
        let bounds = [first, second]
        guard let low = bounds.first(where: { $0.maximum == nil }), let high = bounds.first(where: { $0.minimum == 0 }),
            low != high, let maximum = high.maximum, low.minimum <= maximum
        else { return nil }
        return Expectation.Count(minimum: low.minimum, maximum: maximum)
    }

    @Sendable
    private static func form(_ text: String) throws -> PositionedPart {
        guard let form = CapturedFormat(rawValue: text) else {
            let forms = CapturedFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw RefusedValue.error("--form must be one of \(forms), not '\(Console.escaped(text))'")
        }
        return PositionedPart(.form(form))
    }

    @Sendable
    private static func event(_ text: String) throws -> PositionedPart {
        var name = text
        var count: Expectation.Count?
        if let colon = text.lastIndex(of: ":") {
            let tail = text[text.index(after: colon)...]
            if let read = Expectation.Count(tail) {
                name = String(text[..<colon])
                count = read
            } else if !tail.isEmpty, tail.utf8.allSatisfy("0123456789.+-".utf8.contains) {
                throw RefusedValue.error(
                    "invalid count '\(Console.escaped(String(tail)))'; use NAME:2, NAME:2+ or NAME:2..5. If the event is "
                        + "really called '\(Console.escaped(text))', write \(Console.escaped(text)):1+"
                )
            }
        }
        guard !name.isEmpty else {
            throw RefusedValue.error("--event needs the name of an event, such as add_to_cart:2")
        }
        return PositionedPart(.event(name, count))
    }

    private static func number(
        _ option: String,
        _ text: String,
        _ bounds: (Int) -> (minimum: Int, maximum: Int?)
    ) throws -> PositionedPart {
        guard let number = Int(text), number >= 0 else {
            throw RefusedValue.error("\(option) must be an integer from 0, not '\(Console.escaped(text))'")
        }
        let bounds = bounds(number)
        return PositionedPart(.count(Expectation.Count(minimum: bounds.minimum, maximum: bounds.maximum)))
    }
}
