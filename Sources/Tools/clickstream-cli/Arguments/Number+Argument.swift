import ClickstreamCore

extension LosslessStringConvertible where Self: Sendable {
    /// Transform of an option with a number: ignores white space at the ends, such as the line feed of a mounted file.
    @Sendable
    static func numberArgument(_ argument: String) throws -> Self {
        let text = argument.withoutOuterWhiteSpace
        guard let number = Self(text) else {
            throw RefusedValue.error(argument, "'\(Console.escaped(text))' is not a valid number")
        }
        return number
    }
}
