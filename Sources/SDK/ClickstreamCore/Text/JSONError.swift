/// The reason why bytes are not a JSON text, and the offset of the error.
package struct JSONError: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The text is empty or only white space.
        case empty
        /// The text ends in the middle of a value.
        case endOfText
        /// A byte that is not allowed at its position.
        case syntax
        /// A string that is not well-formed UTF-8.
        case invalidUTF8
        /// Half of a surrogate pair, where ``JSONReader/LoneSurrogates/refused`` applies.
        case loneSurrogate
        /// Arrays and objects are nested more deeply than allowed.
        case depthExceeded
        /// A value other than the required array.
        case notAnArray
        /// More elements than allowed.
        case countExceeded
    }

    package var kind: Kind
    /// The byte offset at which parsing stopped.
    package var offset: Int
    /// The description of the error, without its position.
    package var reason: String

    package init(_ kind: Kind, offset: Int, reason: String) {
        self.kind = kind
        self.offset = offset
        self.reason = reason
    }
}

extension JSONError: CustomStringConvertible {
    package var description: String { "byte \(offset): \(reason)" }
}
