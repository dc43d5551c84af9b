import ClickstreamCore

/// Suggestions for names that a plan does not have, each searched once.
///
/// A search takes time in proportion to the number of planned names. Beyond ``maxNames`` different names there are no
/// suggestions any more: events of ever new names would otherwise cost a search each. Copies of a judge share them.
/// Callable from any thread.
final class NameSuggestions: Sendable {
    static let maxNames = 1_000
    /// Maximum bytes of a name; longer ones have no suggestion.
    private static let maxBytes = 320

    private struct Key: Sendable, Hashable {
        var list: Int
        var name: ExactText
    }

    private struct Entry: Sendable {
        /// The planned name; `nil` if none is close.
        var name: String?
    }

    private let entries = Locked<[Key: Entry]>([:])

    /// Returns `; did you mean 'login'?`, or an empty text.
    /// - Parameters:
    ///   - list: identifies the planned names that are searched.
    ///   - search: returns the planned name that is close to `name`.
    func advice(about name: String, list: Int, search: (String) -> String?) -> String {
        guard name.utf8.count <= Self.maxBytes else { return "" }
        let key = Key(list: list, name: ExactText(name))
        let (entry, isFull) = entries.withLock { ($0[key], $0.count >= Self.maxNames) }
        if entry == nil, isFull { return "" }
        let found = entry?.name ?? (entry == nil ? search(name) : nil)
        if entry == nil { entries.withLock { $0[key] = Entry(name: found) } }
        return found.map { "; did you mean '\($0)'?" } ?? ""
    }
}
