/// Finds the known word that a misspelt one was probably meant to be.
package enum Suggestion {
    /// The nearest of `known` within a third of the shorter word's length; the earliest of equals.
    ///
    /// Nearness is the number of letters to insert, delete, replace or swap with their neighbour. Case, `_` and `-` do
    /// not count: `userId` is `user_id`. Costs a table of the two lengths for each known word.
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

    /// `did you mean 'launch'?`, or `nil` where nothing is near.
    package static func question(about word: String, among known: some Sequence<String>) -> String? {
        nearest(to: word, among: known).map { "did you mean '\($0)'?" }
    }

    /// The distance of Damerau and Levenshtein, in which no letter is moved twice.
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
