/// Colours of a report; plain text where they are off.
struct Style: Sendable {
    var isColoured: Bool

    func heading(_ text: String) -> String { coloured(text, "1") }
    func faint(_ text: String) -> String { coloured(text, "2") }
    func error(_ text: String) -> String { coloured(text, "31") }
    func warning(_ text: String) -> String { coloured(text, "33") }
    func bar(_ text: String) -> String { coloured(text, "36") }
    func good(_ text: String) -> String { coloured(text, "32") }

    private func coloured(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
