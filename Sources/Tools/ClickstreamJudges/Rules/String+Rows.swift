extension String {
    /// Returns the text in rows of whole words, each of at most `width` characters; a longer word has a row of its own.
    package func rows(of width: Int) -> [String] {
        guard count > width else { return [self] }
        var rows: [String] = []
        for word in split(separator: " ") {
            if let last = rows.last, last.count + 1 + word.count <= width {
                rows[rows.count - 1] += " " + word
            } else {
                rows.append(String(word))
            }
        }
        return rows
    }
}
