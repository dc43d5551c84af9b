#if Collector
import ClickstreamCore
import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Progress and cancellation of the opening of a store. Opening may take long: requests of an old layout, or judged by another plan,
/// are decoded again.
final class StoreOpening: Sendable {
    private let condition: @Sendable () -> Bool
    private let report: @Sendable (StorePreparation) -> Void

    /// Instructions of a statement between two reads of the condition.
    private static let interval: Int32 = 1_000

    /// - Parameters:
    ///   - isCancelled: called often, on the thread that opens the store.
    ///   - report: called before each preparation, on that thread.
    init(
        isCancelled: @escaping @Sendable () -> Bool = { false },
        report: @escaping @Sendable (StorePreparation) -> Void = { _ in }
    ) {
        condition = isCancelled
        self.report = report
    }

    var isCancelled: Bool { condition() }

    /// Reports a preparation of all requests, if there are any.
    func begin(_ preparation: (Int) -> StorePreparation, in database: Database) throws {
        let requests = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM requests") ?? 0
        if requests > 0 { report(preparation(requests)) }
    }

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
    /// - Parameter report: called before each preparation, on that thread.
    static func open(
        path: String?,
        decoder: UploadDecoder,
        archive: Archive?,
        pageBytes: Int,
        limit: Int?,
        report: @escaping @Sendable (StorePreparation) -> Void = { _ in }
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
                            opening: StoreOpening(isCancelled: { flag.isSet }, report: report)
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
