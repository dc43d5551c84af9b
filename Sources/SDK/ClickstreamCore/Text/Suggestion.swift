/// Spelling suggestions: the known word closest to an unknown one.
package enum Suggestion {
    /// Returns the closest of `known` within a third of the shorter word's length; the earliest of equals.
    ///
    /// Distance is the number of letters to insert, delete, replace or swap with their neighbor. Case, `_` and `-` are
    /// ignored: `userId` equals `user_id`. Costs O(n · m) in the two lengths for each known word.
    package static func nearest(to word: String, among known: some Sequence<String>) -> String? {
        Words(known).nearest(to: word)?.word
    }

    /// Returns `did you mean 'launch'?`, or `nil` if no known word is close.
    package static func question(about word: String, among known: some Sequence<String>) -> String? {
        nearest(to: word, among: known).map { "did you mean '\($0)'?" }
    }

    /// Known words in the form in which they are compared, for many searches among the same ones.
    package struct Words: Sendable {
        private struct Word: Sendable {
            let text: String
            let letters: [UInt8]
            /// A bit for each letter that occurs.
            let occurring: UInt64

            init(_ text: String) {
                self.text = text
                letters = Suggestion.folded(text)
                occurring = letters.reduce(0) { $0 | 1 << UInt64($1 & 63) }
            }
        }

        /// Maximum bytes of a word that is searched: 64 letters of any script, and as many separators.
        package static let maxBytes = 320

        private let words: [Word]

        package init(_ words: some Sequence<String>) {
            self.words = words.map { Word($0) }
        }

        /// Returns the closest word with its distance, as ``Suggestion/nearest(to:among:)`` does.
        ///
        /// Words that cannot be close by their length or their letters cost a few instructions each.
        package func nearest(to text: String) -> (word: String, distance: Int)? {
            guard text.utf8.count <= Self.maxBytes else { return nil }
            let word = Word(text)
            guard !word.letters.isEmpty, word.letters.count <= 64 else { return nil }
            var best: (word: String, distance: Int)?
            for known in words {
                let allowed = max(1, min(word.letters.count, known.letters.count) / 3)
                // A step adds and removes one letter at most.
                guard abs(known.letters.count - word.letters.count) <= allowed,
                    (word.occurring ^ known.occurring).nonzeroBitCount <= 2 * allowed
                else { continue }
                let distance = Suggestion.distance(from: word.letters, to: known.letters)
                if distance <= allowed, distance < best?.distance ?? .max { best = (known.text, distance) }
            }
            return best
        }
    }

    /// Returns the optimal string alignment distance: Damerau-Levenshtein in which no letter is moved twice.
    private static func distance(from source: [UInt8], to target: [UInt8]) -> Int {
        var beforeLast = [Int](repeating: 0, count: target.count + 1)
        var last = Array(0...target.count)
        for (row, letter) in source.enumerated() {
            var current = [row + 1]
            current.reserveCapacity(target.count + 1)
            for (column, other) in target.enumerated() {
                var least = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == target[column - 1], source[row - 1] == other {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[target.count]
    }

    private static func folded(_ word: String) -> [UInt8] {
        word.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
    }
}
