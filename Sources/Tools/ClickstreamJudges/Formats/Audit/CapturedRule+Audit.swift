import ClickstreamCore

extension CapturedRule {
    /// The rules that only the audit format has, in the order of the documents.
    static let ofAudit = [notAnObjectID, date, payload, row, unchanged, partialRow]

    static let notAnObjectID = CapturedRule(
        "not_an_object_id",
        meaning: "`_id` is not an ObjectId: 24 hexadecimal digits.",
        fix: "Send an ObjectId, such as 62b38b3c10846041166f5deb."
    )

    static let date = CapturedRule(
        "date",
        meaning: "`timestamp` is not an ISO 8601 date in UTC with milliseconds and `Z`.",
        fix: "Send a date such as 2024-01-31T10:11:12.345Z."
    )

    static let payload = CapturedRule(
        "payload",
        meaning: "`data` of a read or write event is not the JSON text of a payload.",
        fix: "Send a text with one JSON object, as document 004 describes it."
    )

    static let row = CapturedRule(
        "row",
        .warning,
        meaning: "A row of a payload is not an object. Only a record type with a representation of its own may have "
            + "such rows.",
        fix: "Send an object with the columns of the row."
    )

    static let unchanged = CapturedRule(
        "unchanged",
        meaning: "A modification changes no column, or a column of `newValue` has the same value in `oldValue`.",
        fix: "Send the changed columns only, and omit rows without changes."
    )

    static let partialRow = CapturedRule(
        "partial_row",
        .warning,
        meaning: "A changed column is missing in `oldValue`, which has the whole row.",
        fix: "Send the whole row as it was, unless the column was added within the scope."
    )
}
