/// Counted nouns in messages: `1 event`, `2 events`.
enum Plural {
    /// - Parameter many: the plural, if it is not the singular with an `s`.
    static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }

    static func events(_ number: Int, _ kind: String? = nil) -> String {
        count(number, kind.map { "\($0) event" } ?? "event")
    }

    /// `250 ms`, `1 s`, `1.5 s`
    static func time(_ milliseconds: Int64) -> String {
        if milliseconds < 1_000 { return "\(milliseconds) ms" }
        return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(Double(milliseconds) / 1_000) s"
    }

    /// `is` or `are`, and such pairs.
    static func verb(_ number: Int, _ one: String, _ many: String) -> String {
        number == 1 ? one : many
    }
}
