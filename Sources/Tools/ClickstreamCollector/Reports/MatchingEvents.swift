#if Collector
import ClickstreamCore
import GRDB

/// Query for the events `e` that a filter selects, with their requests `r`. Limit and cursor of the filter do not apply.
///
/// Reads the events of each request by their range of sequence numbers, requests in order.
struct MatchingEvents {
    /// Kinds of texts that few requests contain; those of the others are conditions on events alone.
    private static let rareKinds: Set<StoreLayout.Term> = [.name, .session, .user, .device]

    /// Number of requests up to which those that contain a text are searched one by one. With more of them, reading all requests in
    /// their order takes less time.
    static let maxSearched = 65_536

    /// SQL of the number of the request of an event, by which a query has to order.
    let request: String
    /// SQL of the requests.
    private let source: String
    private var conditions: [String]
    /// Arguments of the conditions in their order.
    private(set) var arguments: StatementArguments

    /// The query takes time proportional to the requests that contain the rarest text of the filter, or to all requests of the store if
    /// that text is not rare.
    /// - Parameters:
    ///   - names: numbers of the texts of the names that the events may have; `nil` for any.
    ///   - maxSearched: number of requests up to which a text is rare.
    /// - Returns: `nil` if no event can match.
    init?(
        _ filter: EventFilter,
        names: [Int64]? = nil,
        maxSearched: Int = MatchingEvents.maxSearched,
        in database: Database
    ) throws {
        guard let found = try filter.conditions(in: database) else { return nil }
        if names?.isEmpty == true { return nil }
        let terms = found.terms
        let rarest = try EventFilter.rarest(of: terms, upTo: maxSearched, in: database)
        let searched = rarest.flatMap { $0.requests < maxSearched ? terms[$0.index].id : nil }
        (source, request) =
            searched == nil
            ? ("requests r", "r.seq") : ("terms d CROSS JOIN requests r ON r.seq = d.request", "d.request")
        conditions = found.sql
        arguments = found.arguments
        if let names { add("+e.name IN (\(databaseQuestionMarks(count: names.count)))", StatementArguments(names)) }
        if let searched {
            add("d.text = ?", [searched])
            return
        }
        // Texts of which a request has to contain one. Requests are read in order, and the events of the others are not.
        let required = terms.filter { Self.rareKinds.contains($0.kind) }.map { [$0.id] }
        for texts in required + (names.map { [$0] } ?? []) {
            add(
                "+r.seq IN (SELECT t.request FROM terms t WHERE t.text IN (\(databaseQuestionMarks(count: texts.count))))",
                StatementArguments(texts)
            )
        }
    }

    /// Adds a condition on an event `e`, its request `r` and the columns of the query.
    mutating func add(_ condition: String, _ values: StatementArguments) {
        conditions.append(condition)
        arguments += values
    }

    /// SQL without an order.
    /// - Parameters:
    ///   - columns: SQL of the columns after the sequence number, which is the first one.
    ///   - join: SQL of another table that the columns use.
    func sql(columns: [String], join: String = "") -> String {
        """
        SELECT \((["e.seq"] + columns).joined(separator: ", "))
        FROM \(source) CROSS JOIN events e ON e.seq BETWEEN \(RequestRange.firstEvent(of: "r")) AND r.seq - 1 \(join)
        WHERE \(conditions.isEmpty ? "TRUE" : conditions.joined(separator: " AND "))
        """
    }
}
#endif
