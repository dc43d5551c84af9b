#if Audit
/// `ALTER TABLE … RENAME TO …` or `DROP TABLE …`.
struct TableChange: Equatable {
    /// The database that the statement names.
    let database: String?
    let table: String
    /// `nil` if the table is dropped.
    let newName: String?

    /// Returns `nil` for another statement.
    init?(_ sql: String) {
        var scanner = WordScanner(sql, isComplete: true)
        guard let verb = scanner.next(), let object = scanner.next(), object.isWord("table"), var word = scanner.next()
        else { return nil }
        if word.isWord("if") {
            guard let exists = scanner.next(), exists.isWord("exists"), let next = scanner.next() else { return nil }
            word = next
        }
        var database: String?
        if word.isQualifier {
            database = word.name
            guard let next = scanner.next() else { return nil }
            word = next
        }
        self.database = database
        table = word.name
        if verb.isWord("drop") {
            newName = nil
            return
        }
        guard verb.isWord("alter"), let rename = scanner.next(), rename.isWord("rename"), let to = scanner.next(),
            to.isWord("to"), let name = scanner.next()
        else { return nil }
        newName = name.name
    }
}
#endif
