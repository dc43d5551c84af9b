#if Audit
public import GRDB

/// Record type that provides the JSON of its rows in audit events.
///
/// List the type in ``EventConfiguration/representations``. A record is created from each row of the type's table that is
/// read with all columns, inserted, modified or deleted, and its representation replaces the row's object. A row that is read
/// with some columns only, or whose representation is not JSON, is recorded by its primary key alone.
///
/// Called on the thread of the database access, which the call must not use.
public protocol CustomEventRepresentable: FetchableRecord, TableRecord {
    /// Returns the JSON text that represents the row.
    func customEventRepresentation() -> String
}
#endif
