/// Work at the opening of a store that takes time in proportion to its content. All of it is one transaction: ended early, it leaves the
/// store unchanged.
package enum StorePreparation: Sendable, Hashable {
    /// Migration of the layout of an earlier version.
    case migration(requests: Int)
    /// Judging of all events, because the store has the verdicts of another tracking plan, or of none.
    case judging(requests: Int)
}
