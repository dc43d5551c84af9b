/// Table of the fields of an audit event, document 004.
package enum AuditFields {
    /// Metadata are further members, which are texts.
    static let event = CapturedObject(
        [
            .required("_id", .objectID), .required("event", .nonEmptyText), .required("activity", .text),
            .required("timestamp", .date), .required("data", .textOrNull),
            .optional("truncated", .integer(1...Int64.max)),
        ],
        others: .text
    )

    /// Names of the members of an event that are no metadata.
    package static let names = event.fields.map(\.name)

    /// Payload of a read event with rows.
    static let rows = ["type", "value"]
    /// Lists of a table in a write event.
    static let insertions = "insertions"
    static let modifications = "modifications"
    static let deletions = "deletions"
}
