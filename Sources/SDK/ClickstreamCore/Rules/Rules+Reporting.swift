/// Limits of the library's own output.
extension Rules {
    /// The maximum number of characters of a name in a message.
    package static let longestReportedName = 50

    /// The maximum number of characters of an error message.
    package static let longestMessage = 256

    /// The maximum number of violations of one event or call that are reported individually; the rest are reported as a
    /// count.
    package static let maxFindings = 100

    /// The maximum number of UTF-8 bytes of `_exception_stack`, the only text exempt from the limit of attribute
    /// values: the size of the server's column.
    package static let longestExceptionStack = 65_535
}
