import Testing

@testable import ClickstreamCollector

@Suite("Backlog")
struct BacklogTests {
    private func batches(_ uploads: [(name: String, events: Int)]) -> [[String]] {
        var backlog = Backlog<String>()
        for upload in uploads { backlog.append(upload.name, events: upload.events) }
        var batches: [[String]] = []
        while !backlog.isEmpty { batches.append(backlog.next()) }
        #expect(backlog.next() == [])
        return batches
    }

    @Test("puts uploads of few events into one transaction, 128 at most, in their order")
    func few() {
        let names = (0..<300).map { "\($0)" }
        let batches = batches(names.map { ($0, 4_999) })
        #expect(batches.map(\.count) == [128, 128, 44])
        #expect(batches.flatMap(\.self) == names)
    }

    @Test("lets an upload of few events wait for one of many at most, and those go on beside them")
    func many() {
        let uploads = [("A", 5_000), ("B", 100_000), ("C", 5_000), ("a", 1), ("b", 0)]
        #expect(batches(uploads) == [["a", "b", "A"], ["B"], ["C"]])
        let crowd = (0..<200).map { ("\($0)", 1) } + [("A", 5_000), ("B", 5_000)]
        let batches = batches(crowd)
        #expect(batches.map(\.count) == [129, 73])
        #expect(batches[0].last == "A" && batches[1].last == "B")
    }
}
