import ClickstreamCore

/// How often something is expected.
public enum ExpectedCount: Sendable, Hashable {
    case exactly(Int)
    case atLeast(Int)
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
    public var description: String {
        switch self {
        case .exactly(let number): "exactly \(number)"
        case .atLeast(let number): "at least \(number)"
        case .atMost(let number): "at most \(number)"
        }
    }
}

/// An expectation that is not met is thrown; or, when the recorder has a `report`, told to it, and the test goes on.
extension ClickstreamTestRecorder {
    /// Expects events of a name that meet a condition: `try recorder.expectEvent("buy") { $0["value"] == 99.9 }`.
    /// - Parameters:
    ///   - count: how many; one or more when not given.
    ///   - condition: what such an event is like; every event of the name when not given.
    /// - Throws: what was expected, and what was recorded instead.
    public func expectEvent(
        _ name: String,
        _ count: ExpectedCount = .atLeast(1),
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

    /// Expects that no event of a name meets a condition; none of that name at all when there is no condition.
    /// - Throws: which ones there are.
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

    /// Expects events of these names in this order; others may stand before, between and after them.
    /// - Throws: the first name that does not follow.
    public func expectOrder(
        _ names: String...,
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column
    ) throws(UnmetExpectation) {
        var rest = self.names[...]
        for (place, name) in names.enumerated() {
            if let found = rest.firstIndex(of: name) {
                rest = rest[(found + 1)...]
                continue
            }
            let order = names.map { "\"\($0)\"" }.joined(separator: ", ")
            let missing = place == 0 ? "there is no \"\(name)\"" : "no \"\(name)\" follows \"\(names[place - 1])\""
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

    /// Expects exactly these events of the app's own, in this order; those of the library (`_session_start`, ...) apart.
    /// - Throws: what there is instead.
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

    /// Expects that nothing was against a rule.
    /// - Throws: every violation, by its code.
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
}
