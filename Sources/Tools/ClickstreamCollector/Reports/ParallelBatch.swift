import ClickstreamCore
import Dispatch

/// Items of which several threads compute the outputs, consumed in the order of the items.
///
/// The thread that consumes them computes, too, so that a busy machine only delays. It waits for outputs whose computation has begun, and
/// for no other thread. Thread-safe.
final class ParallelBatch<Item: Sendable, Output: Sendable>: Sendable {
    private struct State {
        /// Removed when computed.
        var items: [Item?] = []
        var outputs: [Output?] = []
        /// Index of the next item to compute.
        var next = 0
        /// Number of outputs whose computation other threads have begun and not ended.
        var running = 0
        /// Bytes of the outputs so far.
        var bytes = 0
    }

    private let state: Locked<State>
    /// Signaled by other threads after each output.
    private let progress = DispatchSemaphore(value: 0)
    private let maxBytes: Int
    private let compute: @Sendable (Item) -> (output: Output, bytes: Int)

    /// - Parameters:
    ///   - threads: number of threads besides that of the caller.
    ///   - maxBytes: bytes of outputs beyond which each further output is computed when the previous one has been consumed.
    ///   - compute: returns the output of an item, and its bytes, about.
    init(
        _ items: [Item],
        threads: Int,
        maxBytes: Int,
        compute: @escaping @Sendable (Item) -> (output: Output, bytes: Int)
    ) {
        state = Locked(State(items: items, outputs: Array(repeating: nil, count: items.count)))
        self.maxBytes = maxBytes
        self.compute = compute
        for _ in 0..<min(threads, items.count) {
            DispatchQueue.global().async { [self] in computeOutputs(elsewhere: true) }
        }
    }

    /// Calls `body` with each output in the order of the items.
    func consume(_ body: (Output) throws -> Void) throws {
        computeOutputs(elsewhere: false)
        join()
        let count = state.withLock { $0.items.count }
        for index in 0..<count {
            let (output, item) = state.withLock { state in
                defer { (state.outputs[index], state.items[index]) = (nil, nil) }
                return (state.outputs[index], state.items[index])
            }
            if let output = output ?? item.map({ compute($0).output }) { try body(output) }
        }
    }

    /// Computes no further outputs. No other thread does when the function returns.
    func cancel() {
        state.withLock { $0.next = $0.items.count }
        join()
    }

    /// - Parameter elsewhere: true on another thread than that of the consumer.
    private func computeOutputs(elsewhere: Bool) {
        while let (index, item) = begin(elsewhere: elsewhere) { end(index, compute(item), elsewhere: elsewhere) }
    }

    private func begin(elsewhere: Bool) -> (index: Int, item: Item)? {
        state.withLock { state in
            guard state.next < state.items.count, state.bytes <= maxBytes, let item = state.items[state.next] else {
                return nil
            }
            let index = state.next
            state.items[index] = nil
            state.next += 1
            if elsewhere { state.running += 1 }
            return (index, item)
        }
    }

    private func end(_ index: Int, _ computed: (output: Output, bytes: Int), elsewhere: Bool) {
        state.withLock { state in
            state.outputs[index] = computed.output
            state.bytes += computed.bytes
            if elsewhere { state.running -= 1 }
        }
        if elsewhere { progress.signal() }
    }

    /// Waits for the outputs that other threads compute.
    private func join() {
        while state.withLock({ $0.running }) > 0 { progress.wait() }
    }
}
