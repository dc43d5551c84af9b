import ClickstreamCore
import ClickstreamServer
import ClickstreamSimulation
import Testing

@Suite("A table of sessions")
struct SessionTableTests {
    private func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_704_067_200_000 + seconds * 1_000) }

    @Test("continues a session until the timeout", arguments: [(1_799, false), (1_800, true)])
    func timeout(gap: Int64, isNew: Bool) {
        let table = SessionTable()
        let first = table.session(of: "device-1", at: time(0))
        #expect(first.isNew)
        #expect(first.session == Visitor.Session(id: "device-1-20240101-000000000", number: 1, start: time(0)))
        let next = table.session(of: "device-1", at: time(gap))
        #expect(next.isNew == isNew)
        #expect(next.session.number == (isNew ? 2 : 1))
        #expect(next.session.start == time(isNew ? gap : 0))
    }

    @Test("measures the timeout from the last event")
    func sliding() {
        let table = SessionTable()
        for minute in 0..<100 { _ = table.session(of: "d", at: time(Int64(minute) * 1_200)) }
        #expect(table.session(of: "d", at: time(100 * 1_200)).session.number == 1)
    }

    @Test("continues a session on a clock that was set back")
    func setBack() {
        let table = SessionTable()
        _ = table.session(of: "d", at: time(10_000))
        #expect(!table.session(of: "d", at: time(0)).isNew)
        #expect(!table.session(of: "d", at: time(11_000)).isNew)
    }

    @Test("replaces the device that was idle the longest")
    func bounded() {
        let table = SessionTable(capacity: 1)
        #expect(table.capacity == 64)
        for number in 0..<10_000 { _ = table.session(of: "device-\(number)", at: time(0)) }
        #expect(table.count == 64)
        #expect(table.evictions == 10_000 - 64)
        #expect(table.session(of: "device-0", at: time(0)).session.number == 1)
    }

    @Test("gives all its places to the devices that need them", arguments: [1_000, 4_000])
    func uneven(capacity: Int) {
        let table = SessionTable(capacity: capacity)
        for number in 0..<capacity { _ = table.session(of: "visitor-\(number)", at: time(0)) }
        #expect(table.count == capacity)
        #expect(table.evictions == 0)
        for number in 0..<capacity { _ = table.session(of: "other-\(number)", at: time(1)) }
        #expect(table.count == capacity)
        #expect(table.evictions == capacity)
    }

    @Test("agrees with a dictionary", arguments: [UInt64(1), 2, 3])
    func model(seed: UInt64) {
        let table = SessionTable(capacity: 4_096, timeout: .seconds(60))
        let ids = SeededIDs(seed: seed)
        var known: [Int: (last: Int64, number: Int)] = [:]
        for step in 0..<20_000 as Range<Int64> {
            let device = Int(ids.random() % 200)
            let entry = known[device]
            let isNew = entry.map { step - $0.last >= 60 } ?? true
            let number = (entry?.number ?? 0) + (isNew ? 1 : 0)
            known[device] = (step, number)
            let found = table.session(of: "device-\(device)", at: time(step))
            #expect(found.isNew == isNew && found.session.number == number)
        }
    }
}
