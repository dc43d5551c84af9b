#if Audit
import ClickstreamCore

/// Plans of the statements of a connection, by text, and those of the statements that return rows.
struct StatementPlans {
    private static let maxCount = 500

    private var plans: [ExactText: StatementPlan] = [:]
    private var running: [OpaquePointer: StatementPlan] = [:]
    /// The statement of the last row, which is often that of the next one.
    private var current: (statement: OpaquePointer, plan: StatementPlan)?

    /// Returns the plan of the statement that returned the last row, if it is this one. Its text is compared without a copy.
    func current(_ statement: OpaquePointer) -> StatementPlan? {
        guard let current, current.statement == statement, current.plan.isPlan(of: statement) else { return nil }
        return current.plan
    }

    /// Returns the plan of a statement that has returned a row before.
    func running(_ statement: OpaquePointer) -> StatementPlan? {
        guard let plan = running[statement], plan.isPlan(of: statement) else { return nil }
        return plan
    }

    /// A statement returns a row.
    mutating func begin(_ statement: OpaquePointer, _ plan: StatementPlan) {
        if running.count > Self.maxCount { running.removeAll() }
        running[statement] = plan
        current = (statement, plan)
    }

    subscript(sql: String) -> StatementPlan? { plans[ExactText(sql)] }

    mutating func add(_ plan: StatementPlan, for sql: String) {
        if plans.count >= Self.maxCount { plans.removeAll() }
        plans[ExactText(sql)] = plan
    }

    /// The statements that return rows may have other plans from now on.
    mutating func forgetStatements() {
        running.removeAll()
        current = nil
    }

    mutating func removeAll() {
        plans.removeAll()
        forgetStatements()
    }
}
#endif
