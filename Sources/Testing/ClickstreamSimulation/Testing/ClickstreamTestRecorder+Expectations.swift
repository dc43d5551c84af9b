import ClickstreamCore
public import ClickstreamPlan

/// Expected number of occurrences.
public enum ExpectedCount: Sendable, Hashable {
    /// This number of occurrences.
    case exactly(Int)
    /// This number of occurrences or more.
    case atLeast(Int)
    /// This number of occurrences or fewer.
    case atMost(Int)

    func allows(_ count: Int) -> Bool {
        switch self {
        case .exactly(let number): count == number
        case .atLeast(let number): count >= number
        case .atMost(let number): count <= number
        }
    }
}

extension ExpectedCount: CustomStringConvertible {
    /// The number in words, such as `at least 1`.
    public var description: String {
        switch self {
        case .exactly(let number): "exactly \(number)"
        case .atLeast(let number): "at least \(number)"
        case .atMost(let number): "at most \(number)"
        }
    }
}

/// Expectations about recorded events. An unmet one is thrown or, if the recorder has a `report`, passed to it.
extension ClickstreamTestRecorder {
    /// Expects events of a name that meet a condition: `try recorder.expectEvent("buy") { $0["value"] == 99.9 }`.
    ///
    /// `count` is the expected number, by default one or more. `condition` selects events; by default every event of
    /// the name.
    /// - Throws: ``UnmetExpectation`` with the expected and the recorded events.
    public func expectEvent(
        _ name: String,
        count: ExpectedCount = .atLeast(1),
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column,
        where condition: (RecordedEvent) -> Bool = { _ in true }
    ) throws(UnmetExpectation) {
        let named = events(named: name)
        let met = named.count { condition($0) }
        guard !count.allows(met) else { return }
        let found = met == named.count ? "there are \(met)" : "\(met) of \(named.count) meet the condition"
        try fail("Expected \(count) \"\(name)\", but \(found).", about: name, fileID, filePath, line, column)
    }

    /// Expects that no event of a name meets a condition; without a condition, that there is no event of that name.
    /// - Throws: ``UnmetExpectation`` with the number of such events.
    public func expectNoEvent(
        _ name: String,
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column,
        where condition: (RecordedEvent) -> Bool = { _ in true }
    ) throws(UnmetExpectation) {
        let met = events(named: name).count { condition($0) }
        guard met > 0 else { return }
        try fail("Expected no such \"\(name)\", but there are \(met).", about: name, fileID, filePath, line, column)
    }

    /// Expects events of these names in this order; other events may occur before, between and after them.
    /// - Throws: ``UnmetExpectation`` with the first name that is missing in the order.
    public func expectOrder(
        _ names: String...,
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column
    ) throws(UnmetExpectation) {
        var rest = self.names[...]
        for (index, name) in names.enumerated() {
            if let found = rest.firstIndex(of: name) {
                rest = rest[(found + 1)...]
                continue
            }
            let order = names.map { "\"\($0)\"" }.joined(separator: ", ")
            let missing = index == 0 ? "there is no \"\(name)\"" : "no \"\(name)\" follows \"\(names[index - 1])\""
            return try fail(
                "Expected \(order) in this order, but \(missing).",
                about: name,
                fileID,
                filePath,
                line,
                column
            )
        }
    }

    /// Expects exactly these events of the app in this order, ignoring events of the library (`_session_start`, ...).
    /// - Throws: ``UnmetExpectation`` with the actual events.
    public func expectOwnEvents(
        _ names: String...,
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column
    ) throws(UnmetExpectation) {
        let own = events.filter { !$0.isAutomatic }.map(\.name)
        guard own != names else { return }
        func quoted(_ names: [String]) -> String {
            names.isEmpty ? "none" : names.map { "\"\($0)\"" }.joined(separator: ", ")
        }
        try fail(
            "Expected the app's own events to be \(quoted(names)), but they are \(quoted(own)).",
            about: nil,
            fileID,
            filePath,
            line,
            column
        )
    }

    /// Expects that no rule was violated.
    /// - Throws: ``UnmetExpectation`` with every violation and its code.
    public func expectNoViolations(
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column
    ) throws(UnmetExpectation) {
        let found = violations.filter { $0.severity == .error }
        guard !found.isEmpty else { return }
        let account = found.map { "\($0.code): \($0.message)" }.joined(separator: "; ")
        try fail(
            "Expected no violations, but there are \(found.count): \(account).",
            about: nil,
            fileID,
            filePath,
            line,
            column
        )
    }

    /// Expects that all recorded events conform to a tracking plan: `try recorder.expectPlan(plan)`.
    ///
    /// Unplanned events count only if the plan has `unplanned: error`.
    /// - Throws: ``UnmetExpectation`` with each finding, its code and the plan's requirement.
    public func expectPlan(
        _ plan: TrackingPlan,
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column
    ) throws(UnmetExpectation) {
        let judge = PlanJudge(plan)
        let found = events.flatMap { event -> [String] in
            // The library writes valid JSON.
            guard let value = try? JSONReader.parse(Array(event.json.utf8)) else { return [] }
            let errors = judge.verdict(on: value).findings.filter { $0.severity == .error }
            return errors.map { "\"\(event.name)\" \($0.message) [\($0.code.rawValue)]" }
        }
        guard !found.isEmpty else { return }
        let account = found.prefix(20).joined(separator: "; ") + (found.count > 20 ? "; ..." : "")
        try fail(
            "Expected events as planned, but there are \(found.count) findings: \(account).",
            about: nil,
            fileID,
            filePath,
            line,
            column
        )
    }
}
