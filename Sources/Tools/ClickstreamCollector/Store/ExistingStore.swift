#if Collector
import GRDB

/// Opening of an existing store without write access.
enum ExistingStore {
    /// Opens the database, and validates its schema as the start of a collector does. Takes constant time.
    /// - Parameter connections: settings of all connections to a store.
    static func open(_ path: String, _ connections: GRDB.Configuration) throws(CollectorError) -> DatabasePool {
        var configuration = connections
        configuration.readonly = true
        do {
            let pool = try DatabasePool(path: path, configuration: configuration)
            do {
                try pool.read { try check($0, path) }
            } catch {
                try pool.close()
                throw error
            }
            return pool
        } catch {
            throw CollectorError(opening: path, error)
        }
    }

    /// - Throws: ``CollectorError`` for a file that is not a store of this version; ``StoreDamage``; errors of GRDB.
    private static func check(_ database: Database, _ path: String) throws {
        guard let layout = try Store.layout(of: database, path) else { throw CollectorError.storeForeign(path: path) }
        if layout < StoreLayout.version { throw CollectorError.storeTooOld(path: path, layout: layout) }
        try StoreLayout.check(database)
    }
}

extension CollectorError {
    /// The public error for an error of the opening of a store.
    init(opening path: String, _ error: any Error) {
        switch StoreDamage.converting(error) {
        case let error as CollectorError: self = error
        case let error as StoreDamage: self = .storeDamaged(path: path, reason: "\(error)")
        case let error as DatabaseError where error.resultCode == .SQLITE_NOTADB: self = .storeForeign(path: path)
        case let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT:
            self = .storeDamaged(path: path, reason: Store.reason(of: error))
        default: self = .storeUnusable(path: path, reason: Store.reason(of: error))
        }
    }
}
#endif
