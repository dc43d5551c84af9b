import ClickstreamCore
import ClickstreamJudges

/// Events of a file or of standard input, one JSON value per line, in wire form or short form.
struct EventLines {
    /// Name of the input in messages.
    let name: String
    private var count = 0
    /// Lines that are not JSON, or too long.
    private var errors: LineErrors

    private init(_ name: String) {
        self.name = name
        errors = LineErrors(of: name, outcome: "not used")
    }

    /// Passes each event to `receive`, as far as rules and plans read it, and prints the errors of other lines. Shows the progress.
    /// - Parameters:
    ///   - path: a file, or `-` for standard input.
    ///   - receive: called with the number of the line, from 1.
    /// - Throws: as ``LineReader``.
    static func read(
        _ path: String,
        _ receive: (_ event: JSONValue, _ line: Int) throws -> Void
    ) throws -> EventLines {
        let reader = try LineReader(path)
        var lines = EventLines(reader.name)
        try reader.eachLine { line in
            lines.count += 1
            guard let bytes = line.bytes else {
                lines.errors.add(["\(reader.name):\(line.number): \(LineRule.lineTooLong.title.lowercased())"])
                return
            }
            let event: JSONValue
            do throws(JSONError) {
                event = try JSONReader.parse(bytes[...], within: .event).value
            } catch {
                let column = SourcePosition(of: error.offset, in: bytes).column
                lines.errors.add(["\(reader.name):\(line.number):\(column): not JSON: \(error.reason)"])
                return
            }
            try receive(event, line.number)
        }
        return lines
    }

    /// Prints a warning of an empty input, or the number of lines with errors.
    /// - Returns: the exit status.
    func report() -> ExitStatus {
        if count == 0 { Console.warn("\(name) has no events: the input is empty") }
        errors.printTotal("correct them, or leave them out")
        return errors.isEmpty ? .done : .badData
    }
}
