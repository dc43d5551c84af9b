/// Conversion that SQLite applies to the values of a column, from the column's declared type.
enum ColumnAffinity: Sendable, Equatable {
    case integer
    case text
    case none
    case real
    case numeric

    /// - Parameter declaration: the declared type; compared without case. The first rule that applies counts: `FLOATING POINT`
    ///   is an integer type.
    init(declaration: String) {
        let type = declaration.uppercased()
        if type.contains("INT") {
            self = .integer
        } else if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") {
            self = .text
        } else if type.isEmpty || type.contains("BLOB") {
            self = .none
        } else if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") {
            self = .real
        } else {
            self = .numeric
        }
    }
}
