/// Column of a format in Docs/capture-events.md.
///
/// The names of its rows are the texts in the first column of the page.
package struct DocumentColumn: Sendable {
    /// Heading of the column with the names of events.
    package let heading: String
    /// Name of the event by the title of its section.
    package private(set) var names: [String: String] = [:]
    /// Path of the field by the title of its section and the name of its row.
    package private(set) var paths: [String: [String: String]] = [:]

    /// Section of the page: the name of its event in the format, if it is one event, and a line `row | path` for each
    /// field.
    package struct Section: Sendable {
        let title: String
        let event: String?
        let lines: String

        init(_ title: String, event: String? = nil, _ lines: String) {
            (self.title, self.event, self.lines) = (title, event, lines)
        }
    }

    init(heading: String, _ sections: [Section]) {
        self.heading = heading
        for section in sections {
            names[section.title] = section.event
            for line in section.lines.split(separator: "\n") {
                let cells = line.split(separator: " | ").map(String.init)
                guard cells.count == 2, paths[section.title]?[cells[0]] == nil else {
                    preconditionFailure("Invalid state: \(section.title): \(line)")
                }
                paths[section.title, default: [:]][cells[0]] = cells[1]
            }
        }
    }
}
