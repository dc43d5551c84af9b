import ClickstreamCore

/// Tool of the Model Context Protocol: its description, from which its schema and the documentation are made, and its call.
struct MCPTool: Sendable {
    /// Argument of a tool.
    struct Parameter: Sendable {
        /// Type of the value.
        enum Kind: Sendable {
            case text
            case choice([String])
            case integer(ClosedRange<Int64>)
            /// Strings, of which none is empty.
            case texts(count: ClosedRange<Int>)
            /// A date, milliseconds since 1970, or an age such as 10m.
            case time
            /// The `next` of an earlier result: digits.
            case cursor
        }

        /// Parameter of the query API that has the value.
        enum Query: Sendable {
            case sameName
            case named(String)
            /// The value is not sent.
            case none
        }

        let name: String
        let kind: Kind
        let summary: String
        var query = Query.sameName
        var isRequired = false
        /// Value of an integer that is absent.
        var initial: Int64?
        /// True for a condition on events that several tools have.
        var isFilter = false

        init(
            _ name: String,
            _ kind: Kind,
            _ summary: String,
            query: Query = .sameName,
            isRequired: Bool = false,
            initial: Int64? = nil,
            isFilter: Bool = false
        ) {
            self.name = name
            self.kind = kind
            self.summary = summary
            self.query = query
            self.isRequired = isRequired
            self.initial = initial
            self.isFilter = isFilter
        }
    }

    /// Member that each result has.
    struct Output: Sendable {
        let name: String
        /// Type of JSON, or types separated by commas; `nil` for any type.
        let type: String?
        let summary: String

        init(_ name: String, _ type: String?, _ summary: String) {
            self.name = name
            self.type = type
            self.summary = summary
        }
    }

    let name: String
    let title: String
    let summary: String
    let parameters: [Parameter]
    let outputs: [Output]
    /// True for a tool that waits for events.
    var isWait = false
    /// Returns the result, a JSON object.
    /// - Throws: ``MCPFailure``; ``CommandFailure``; `CancellationError`.
    let call: @Sendable (MCPArguments, MCPContext) async throws -> [UInt8]
}

// MARK: - Description

extension MCPTool {
    /// Appends the description of the tool as in `tools/list`.
    func append(to list: inout ObjectWriter) {
        list.object { tool in
            tool.object("annotations") { annotations in
                annotations.member("destructiveHint", false)
                annotations.member("idempotentHint", true)
                annotations.member("openWorldHint", false)
                annotations.member("readOnlyHint", true)
                annotations.member("title", title)
            }
            tool.member("description", summary)
            tool.object("inputSchema") { schema in
                schema.member("additionalProperties", false)
                schema.object("properties") { properties in
                    for parameter in parameters { parameter.append(to: &properties) }
                }
                schema.array("required", of: parameters.filter(\.isRequired)) { $0.element($1.name) }
                schema.member("type", "object")
            }
            tool.member("name", name)
            tool.object("outputSchema") { schema in
                schema.object("properties") { properties in
                    for output in outputs { output.append(to: &properties) }
                }
                schema.array("required", of: outputs) { $0.element($1.name) }
                schema.member("type", "object")
            }
            tool.member("title", title)
        }
    }

    /// Row of the table in Docs/commands.md.
    var markdown: String {
        var texts = parameters.filter { !$0.isFilter }.map(\.markdown)
        if texts.count < parameters.count { texts.insert("[filters](collector.md#filters)", at: 0) }
        return "| `\(name)` | \(texts.isEmpty ? "none" : texts.joined(separator: ", ")) | \(summary) |"
    }
}

extension MCPTool.Parameter {
    /// The value with which the parameter is described in words; `nil` if it takes any text.
    private var range: String? {
        switch kind {
        case .text, .time, .cursor: nil
        case .choice(let values): values.joined(separator: " or ")
        case .integer(let range) where range.upperBound == .max: initial.map { "\($0)" }
        case .integer(let range):
            "\(range.lowerBound) to \(range.upperBound)" + (initial.map { ", by default \($0)" } ?? "")
        case .texts(let count): "\(count.lowerBound) to \(count.upperBound) texts"
        }
    }

    fileprivate var markdown: String {
        let notes = (isRequired ? ["required"] : []) + (range.map { [$0] } ?? [])
        return "`\(name)`" + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
    }

    /// Appends the schema of the value as a member.
    fileprivate func append(to properties: inout ObjectWriter) {
        properties.object(named: name) { schema in
            schema.member("description", summary)
            switch kind {
            case .text, .time:
                schema.member("type", "string")
            case .cursor:
                schema.member("pattern", "^[0-9]+$")
                schema.member("type", "string")
            case .choice(let values):
                schema.array("enum", of: values) { $0.element($1) }
                schema.member("type", "string")
            case .integer(let range):
                if let initial { schema.member("default", initial) }
                if range.upperBound < .max { schema.member("maximum", range.upperBound) }
                schema.member("minimum", range.lowerBound)
                schema.member("type", "integer")
            case .texts(let count):
                schema.object("items") { items in
                    items.member("minLength", 1)
                    items.member("type", "string")
                }
                schema.member("maxItems", count.upperBound)
                schema.member("minItems", count.lowerBound)
                schema.member("type", "array")
            }
        }
    }
}

extension MCPTool.Output {
    fileprivate func append(to properties: inout ObjectWriter) {
        properties.object(named: name) { schema in
            schema.member("description", summary)
            guard let type else { return }
            let types = type.split(separator: ",").map(String.init)
            if types.count == 1 {
                schema.member("type", type)
            } else {
                schema.array("type", of: types) { $0.element($1) }
            }
        }
    }
}
