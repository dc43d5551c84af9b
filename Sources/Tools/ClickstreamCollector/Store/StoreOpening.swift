#if Collector
import ClickstreamCore
import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Cancellation of the opening of a store. Opening may take long: requests of an old layout, or judged by another plan, are
/// decoded again.
final class StoreOpening: Sendable {
    private let condition: @Sendable () -> Bool

    /// Instructions of a statement between two reads of the condition.
    private static let interval: Int32 = 1_000

    /// - Parameter isCancelled: called often, on the thread that opens the store.
    init(isCancelled: @escaping @Sendable () -> Bool = { false }) {
        condition = isCancelled
    }

    var isCancelled: Bool { condition() }

    /// Ends each statement of a connection with `SQLITE_INTERRUPT` after the cancellation. The connection must not be used
    /// after the release of this value.
    func watch(_ database: Database) {
        let interrupts: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
            guard let context else { return 0 }
            return Unmanaged<StoreOpening>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(database.sqliteConnection, Self.interval, interrupts, context)
    }
}

/// Flag that any thread sets once.
private final class CancellationFlag: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() {
        value.store(true, ordering: .relaxed)
    }
}

extension Store {
    /// As ``init(path:decoder:archive:pageBytes:limit:opening:)``, on a thread of its own. Cancelling the task during a migration,
    /// or while events are judged again, rolls this back and ends the opening with ``CollectorError/stopped``. A completed
    /// migration remains.
    static func open(
        path: String?,
        decoder: UploadDecoder,
        archive: Archive?,
        pageBytes: Int,
        limit: Int?
    ) async throws(CollectorError) -> Store {
        let flag = CancellationFlag()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (opened: CheckedContinuation<Result<Store, CollectorError>, Never>) in
                DispatchQueue(label: "ClickstreamCollector.opening").async {
                    do throws(CollectorError) {
                        let store = try Store(
                            path: path,
                            decoder: decoder,
                            archive: archive,
                            pageBytes: pageBytes,
                            limit: limit,
                            opening: StoreOpening { flag.isSet }
                        )
                        opened.resume(returning: .success(store))
                    } catch {
                        opened.resume(returning: .failure(error))
                    }
                }
            }
        } onCancel: {
            flag.set()
        }
        return try result.get()
    }
}
#endif
