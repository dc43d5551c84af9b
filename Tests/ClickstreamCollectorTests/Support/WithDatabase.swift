#if Collector
import GRDB

/// Gives `body` a connection of another program to the database of a store, outside of transactions, and closes it.
func withDatabase<Value>(at path: String, _ body: (Database) throws -> Value) throws -> Value {
    let queue = try DatabaseQueue(path: path)
    let value = try queue.writeWithoutTransaction(body)
    try queue.close()
    return value
}
#endif
