/// Table of localized strings that were resolved, from text to key. Of several keys with the same text, the one that was
/// resolved last counts.
package struct ReverseLookup: Sendable, Equatable {
    private var keys: [String: String] = [:]

    package init() {}

    package mutating func resolve(key: String, to text: String) {
        keys[text] = key
    }

    package func key(of text: String) -> String? {
        keys[text]
    }
}
