import Testing

@testable import ClickstreamCore

@Suite("Queued calls")
struct WaitingCallsTests {
    /// So many calls, on memory that stays.
    private func withCalls(_ count: Int, _ body: (UnsafeMutableBufferPointer<WaitingCall>) -> Void) {
        let calls = UnsafeMutableBufferPointer<WaitingCall>.allocate(capacity: count)
        for number in 0..<count {
            calls.initializeElement(
                at: number,
                to: WaitingCall(name: "call\(number)", attributes: ["number": number], attempt: .unusual)
            )
        }
        body(calls)
        calls.deinitialize()
        calls.deallocate()
    }

    private func names(_ first: UnsafeMutablePointer<WaitingCall>?) -> [String] {
        var (names, next): ([String], UnsafeMutablePointer<WaitingCall>?) = ([], first)
        while let call = next {
            names.append(call.pointee.name)
            next = call.pointee.next
        }
        return names
    }

    @Test("are taken all at once, in the order of arrival")
    func order() {
        withCalls(5) { calls in
            let waiting = WaitingCalls()
            var isEmpty = [waiting.isEmpty]
            for number in 0..<3 { waiting.add(calls.baseAddress! + number) }
            isEmpty.append(waiting.isEmpty)
            #expect(names(waiting.takeAll()) == ["call0", "call1", "call2"])
            isEmpty.append(waiting.isEmpty)
            #expect(isEmpty == [true, false, true])
            #expect(names(waiting.takeAll()) == [])
            for number in 3..<5 { waiting.add(calls.baseAddress! + number) }
            #expect(names(waiting.takeAll()) == ["call3", "call4"])
        }
    }

    @Test("have no result until they are done", arguments: [true, false])
    func outcome(isTold: Bool) {
        withCalls(1) { calls in
            let before = calls[0].outcome
            #expect(before == nil)
            calls[0].end(isTold: isTold)
            let after = calls[0].outcome
            #expect(after == isTold)
        }
    }
}
