import ClickstreamCore

/// Suggestions for names that a plan does not have, each searched once.
///
/// A search takes time in proportion to the number of planned names. Beyond ``maxNames`` different names there are no
/// suggestions any more: events of ever new names would otherwise cost a search each. Copies of a judge share them.
/// Callable from any thread.
final class NameSuggestions: Sendable {
    static let maxNames = 1_000

    private struct Key: Sendable, Hashable {
        var list: Int
        var name: ExactText
    }

    /// Suggestions by the names that they are about; an empty text if no planned name is close.
    private let suggestions = Locked<[Key: String]>([:])

    /// Returns `; did you mean 'login'?`, or an empty text.
    /// - Parameters:
    ///   - list: identifies the planned names that are searched.
    ///   - search: returns the planned name that is close to `name`.
    func advice(about name: String, list: Int, search: (String) -> String?) -> String {
        // No planned name is close to a longer one.
        guard name.utf8.count <= Suggestion.Words.maxBytes else { return "" }
        let key = Key(list: list, name: ExactText(name))
        let (known, isFull) = suggestions.withLock { ($0[key], $0.count >= Self.maxNames) }
        if let known { return known }
        if isFull { return "" }
        let suggestion = search(name).map { "; did you mean '\($0)'?" } ?? ""
        suggestions.withLock { $0[key] = suggestion }
        return suggestion
    }
}
