/// Kind of a statement, from its first words.
enum StatementStart: Equatable {
    /// `CREATE`.
    case creation
    /// A change of the schema after which recorded rows may belong to no table, or to one with other columns.
    case alteration
    /// A change of the connection's databases, or `VACUUM`.
    case databases
    case rollback
    /// The beginning or another end of a transaction or savepoint.
    case transaction
    case other

    init(_ sql: UnsafePointer<CChar>) {
        let start = Self.skipSpace(sql)
        switch Self.letters(start) {
        case Words.rollback: self = .rollback
        case let word where Words.transactions.contains(word): self = .transaction
        case let word where Words.alterations.contains(word): self = .alteration
        case Words.create: self = .creation
        case let word where Words.databases.contains(word): self = .databases
        default: self = .other
        }
    }

    /// True if cached schemas may be out of date after the statement.
    var changesSchema: Bool {
        switch self {
        case .creation, .alteration, .databases: true
        case .rollback, .transaction, .other: false
        }
    }

    private enum Words {
        static let rollback = word("ROLLBACK")
        static let transactions = ["BEGIN", "SAVEPOINT", "COMMIT", "END", "RELEASE"].map(word)
        static let create = word("CREATE")
        static let alterations = ["ALTER", "DROP"].map(word)
        static let databases = ["ATTACH", "DETACH", "VACUUM"].map(word)

        private static func word(_ text: String) -> UInt64 { text.withCString { letters($0) } }
    }

    /// Returns the first word without case: at most eight letters, one in each byte.
    private static func letters(_ sql: UnsafePointer<CChar>) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<8 {
            let letter = UInt8(bitPattern: sql[index]) & ~0x20
            guard UInt8(ascii: "A")...UInt8(ascii: "Z") ~= letter else { break }
            word = word << 8 | UInt64(letter)
        }
        return word
    }

    /// Returns the first byte behind white space and comments.
    private static func skipSpace(_ sql: UnsafePointer<CChar>) -> UnsafePointer<CChar> {
        var position = sql
        func byte(_ offset: Int = 0) -> UInt8 { UInt8(bitPattern: position[offset]) }
        while byte() != 0 {
            if byte() <= 0x20 || byte() == UInt8(ascii: ";") {
                position += 1
            } else if byte() == UInt8(ascii: "-"), byte(1) == UInt8(ascii: "-") {
                while byte() != 0, byte() != UInt8(ascii: "\n") { position += 1 }
            } else if byte() == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
                position += 2
                while byte() != 0, !(byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")) { position += 1 }
                if byte() != 0 { position += 2 }
            } else {
                break
            }
        }
        return position
    }
}
