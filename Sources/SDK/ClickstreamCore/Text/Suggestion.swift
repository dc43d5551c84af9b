/// Spelling suggestions: the known word closest to an unknown one.
package enum Suggestion {
    /// Returns the closest of `known` within a third of the shorter word's length; the earliest of equals.
    ///
    /// Distance is the number of letters to insert, delete, replace or swap with their neighbor. Case, `_` and `-` are
    /// ignored: `userId` equals `user_id`. Costs O(n · m) in the two lengths for each known word.
    package static func nearest(to word: String, among known: some Sequence<String>) -> String? {
        let letters = folded(word)
        guard !letters.isEmpty, letters.count <= 64 else { return nil }
        var best: (word: String, distance: Int)?
        for candidate in known {
            let candidateLetters = folded(candidate)
            let allowed = max(1, min(letters.count, candidateLetters.count) / 3)
            guard abs(candidateLetters.count - letters.count) <= allowed else { continue }
            let distance = distance(from: letters, to: candidateLetters)
            if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// Returns `did you mean 'launch'?`, or `nil` if no known word is close.
    package static func question(about word: String, among known: some Sequence<String>) -> String? {
        nearest(to: word, among: known).map { "did you mean '\($0)'?" }
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
