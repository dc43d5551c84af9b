import ArgumentParser
import ClickstreamCore

/// The last argument refused by its type, with the reason, which the argument parser discards or wraps in its own
/// sentence.
struct RefusedValue: Sendable {
    /// Form of the message that contains the reason.
    enum Form: Sendable {
        /// A clause after the option: `--duration needs a unit, such as 5s or 5m`.
        case option
        /// A sentence after option and value: `--fail 503:2: the rate must be between 0 and 1`.
        case value
        /// A sentence after the option: `--port: 'x' is not a valid number`.
        case sentence
        /// The whole message.
        case whole
    }

    private let value: String
    private let reason: String
    private let form: Form

    private static let box = Locked<RefusedValue?>(nil)

    static var last: RefusedValue? { box.withLock { $0 } }

    /// Stores the reason, for an `init?(argument:)` that returns nil.
    static func refuse(_ value: String, _ reason: String, as form: Form = .option) {
        box.withLock { $0 = RefusedValue(value: value, reason: reason, form: form) }
    }

    /// Stores a whole message, and returns it as the error of a transform or a validation.
    static func error(_ message: String) -> ValidationError {
        refuse("", message, as: .whole)
        return ValidationError(message)
    }

    /// Stores the reason as a sentence, and returns it as the error of a transform.
    static func error(_ value: String, _ reason: String) -> ValidationError {
        refuse(value, reason, as: .sentence)
        return ValidationError(reason)
    }

    func sentence(in arguments: [String]) -> String {
        var option = "the argument"
        for (index, argument) in arguments.enumerated() {
            if argument == value, index > 0, arguments[index - 1].hasPrefix("-") { option = arguments[index - 1] }
            if argument.hasPrefix("--"), argument.hasSuffix("=\(value)") {
                option = String(argument.dropLast(value.count + 1))
            }
        }
        let (name, shown) = (Console.escaped(option), value.isEmpty ? "''" : Console.escaped(value))
        return switch form {
        case .option: "\(name) \(reason)"
        case .value: "\(name) \(shown): \(reason)"
        case .sentence: "\(name): \(reason)"
        case .whole: reason
        }
    }
}
