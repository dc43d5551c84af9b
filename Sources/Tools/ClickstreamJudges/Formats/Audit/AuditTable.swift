package import ClickstreamCore

/// Table of an audit payload, with the names that its key column can have.
///
/// Created once per table of a payload, not once per row: it costs O(n) in the length of the name.
package struct AuditTable: Sendable {
    /// The name, at most ``AuditContent/longestText`` bytes.
    let name: String
    /// Names of key columns in lowercase; a row's key is in the first of them that it has.
    private let keyColumns: [ExactText]

    package init(_ name: String) {
        self.name = AuditContent.cut(name)
        let lowercase = name.lowercased()
        keyColumns = ["_id", "id", "uuid", ExactText("\(lowercase)_id"), ExactText("\(lowercase)id"), "rowid"]
    }

    /// Value of the key column of a row as text; `nil` for a row without one.
    ///
    /// A payload does not name the primary key. The key column is the first of `_id`, `id`, `uuid`, `<table>_id`,
    /// `<table>Id` and `rowid`, compared without case, or else the first column of the row. Costs O(n) in the length of
    /// the column names, whatever the length of the table's name.
    package func key(of row: JSONValue) -> String? {
        guard let members = row.members else { return nil }
        var best: (rank: Int, key: String)?
        for (index, member) in members.enumerated() {
            guard let text = member.value.scalarText else { continue }
            let column = ExactText(member.name.lowercased())
            guard let rank = keyColumns.firstIndex(of: column) ?? (index == 0 ? keyColumns.count : nil) else {
                continue
            }
            if rank < best?.rank ?? .max { best = (rank, text) }
        }
        return best?.key
    }
}
