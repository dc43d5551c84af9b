#if Collector
import GRDB

/// Gives `body` a connection of another program to the database of a store, outside of transactions, and closes it.
func withDatabase<Value>(at path: String, _ body: (Database) throws -> Value) throws -> Value {
    let queue = try DatabaseQueue(path: path)
    let value = try queue.writeWithoutTransaction(body)
    try queue.close()
    return value
}

/// The layout of a store, and all rows of all tables in the order of their names.
func storedRows(at path: String) throws -> [[DatabaseValue]] {
    try withDatabase(at: path) { database in
        let names = try String.fetchAll(
            database,
            sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        )
        let queries = ["PRAGMA user_version"] + names.map { "SELECT * FROM \($0)" }
        return try queries.flatMap { sql in try Row.fetchAll(database, sql: sql).map { Array($0.databaseValues) } }
    }
}
#endif
