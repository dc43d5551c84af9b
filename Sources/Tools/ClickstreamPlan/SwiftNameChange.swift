/// Difference between the usual Swift name of a part of a plan and its name in generated code.
package struct SwiftNameChange: Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        /// The platform, the SDK or the language has the usual name.
        case reserved
        /// Another part of the plan has the usual name.
        case duplicate
    }

    /// Place in the plan, such as `events.error`.
    package var path: String
    /// Name by the usual rule: `Error`.
    package var usual: String
    /// Name in generated code: `ErrorEvent`.
    package var name: String
    package var reason: Reason

    package init(path: String, usual: String, name: String, reason: Reason) {
        self.path = path
        self.usual = usual
        self.name = name
        self.reason = reason
    }

    /// `named 'ErrorEvent' in Swift, where 'Error' has another meaning`.
    package var message: String {
        let cause =
            switch reason {
            case .reserved: "has another meaning"
            case .duplicate: "is in use"
            }
        return "named '\(name)' in Swift, where '\(usual)' \(cause)"
    }
}
