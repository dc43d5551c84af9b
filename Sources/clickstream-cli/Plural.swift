#if Tools
/// Counted nouns in messages: `1 event`, `2 events`.
enum Plural {
    /// - Parameter many: the plural where it is not the singular with an `s`.
    static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }

    static func events(_ number: Int, _ kind: String? = nil) -> String {
        count(number, kind.map { "\($0) event" } ?? "event")
    }

    /// `is` or `are`, and such pairs.
    static func verb(_ number: Int, _ one: String, _ many: String) -> String {
        number == 1 ? one : many
    }
}
#endif
