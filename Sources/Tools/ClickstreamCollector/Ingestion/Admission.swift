#if Collector
import ClickstreamCore
import NIOCore

/// Memory budget of all requests that are being received, decoded or stored. Callable from any thread.
///
/// Each part of an arriving body reserves its bytes; if the budget is exhausted, the request is rejected. A complete
/// body then waits for memory to be decoded, in the order of arrival and for a limited time. Small, medium and large
/// bodies have separate queues, so that larger bodies do not delay smaller ones. Large bodies are decoded one at a
/// time.
final class Admission: Sendable {
    enum Lane: Int, Sendable {
        case small, medium, large
    }

    /// Memory reserved by one request from its decoding until it is stored.
    struct Share: Sendable {
        fileprivate var lane: Lane
        fileprivate(set) var bytes: Int

        /// True for a large body, which excludes other large ones until it is stored.
        var isLarge: Bool { lane == .large }
    }

    private struct Waiting: Sendable {
        var number: Int
        var bytes: Int
        var turn: CheckedContinuation<Bool, Never>
    }

    private struct Queue: Sendable {
        let maxBytes: Int
        let maxReading: Int
        var bytes = 0
        var reading = 0
        var waiting: [Waiting] = []

        /// A request alone is always admitted.
        func admits(_ more: Int) -> Bool {
            reading < maxReading && (bytes == 0 || bytes + more <= maxBytes)
        }
    }

    private struct State: Sendable {
        var bodyBytes = 0
        var last = 0
        var queues: [Queue]
    }

    private let maxBodyBytes: Int
    private let timeout: Int64
    private let time: any TimeSource
    private let state: Locked<State>

    /// - Parameters:
    ///   - bodyBytes: bytes of all bodies not stored yet, as sent.
    ///   - smallReadBytes: bytes of memory for small bodies being decoded or waiting to be stored.
    ///   - mediumReadBytes: the same for medium bodies.
    ///   - reading: number of bodies of either kind that are decoded concurrently.
    ///   - timeout: milliseconds that a body waits for memory.
    init(
        bodyBytes: Int,
        smallReadBytes: Int,
        mediumReadBytes: Int,
        reading: Int,
        timeout: Int64,
        time: any TimeSource
    ) {
        maxBodyBytes = bodyBytes
        self.timeout = timeout
        self.time = time
        state = Locked(
            State(queues: [
                Queue(maxBytes: smallReadBytes, maxReading: reading),
                Queue(maxBytes: mediumReadBytes, maxReading: reading),
                Queue(maxBytes: 0, maxReading: 1),
            ])
        )
    }

    convenience init(_ limits: Limits, time: any TimeSource) {
        self.init(
            bodyBytes: limits.waitingBodyBytes,
            smallReadBytes: limits.smallReadBytes,
            mediumReadBytes: limits.mediumReadBytes,
            reading: System.coreCount,
            timeout: limits.readingSeconds * 1_000,
            time: time
        )
    }

    // MARK: - Bodies

    /// Reserves bytes of a body.
    /// - Returns: false if the budget is exhausted.
    func reserve(_ bytes: Int) -> Bool {
        state.withLock { state in
            guard state.bodyBytes + bytes <= maxBodyBytes else { return false }
            state.bodyBytes += bytes
            return true
        }
    }

    func release(_ bytes: Int) {
        state.withLock { $0.bodyBytes -= bytes }
    }

    // MARK: - Decoding

    /// Waits for memory to decode a body.
    /// - Returns: the reservation, to be passed to ``endReading(_:keeping:)`` and ``endStoring(_:)``; `nil` if no
    ///   memory became free in time.
    func beginReading(_ bytes: Int, in lane: Lane) async -> Share? {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        var timer: (any ScheduledWork)?
        let isAdmitted = await withCheckedContinuation { turn in
            let isMine = state.withLock { state in
                if state.queues[lane.rawValue].waiting.isEmpty, state.queues[lane.rawValue].admits(bytes) {
                    state.queues[lane.rawValue].reading += 1
                    state.queues[lane.rawValue].bytes += bytes
                    return true
                }
                state.queues[lane.rawValue].waiting.append(Waiting(number: number, bytes: bytes, turn: turn))
                return false
            }
            if isMine {
                turn.resume(returning: true)
            } else {
                timer = time.after(milliseconds: timeout) { [self] in giveUp(number, in: lane) }
            }
        }
        timer?.cancel()
        return isAdmitted ? Share(lane: lane, bytes: bytes) : nil
    }

    /// Ends the decoding of a body. The result uses `kept` bytes until it is stored.
    func endReading(_ share: inout Share, keeping kept: Int) {
        let change = kept - share.bytes
        share.bytes = kept
        update(share.lane) { queue in
            queue.reading -= 1
            queue.bytes += change
        }
    }

    func endStoring(_ share: Share) {
        update(share.lane) { $0.bytes -= share.bytes }
    }

    private func giveUp(_ number: Int, in lane: Lane) {
        let turn = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let index = state.queues[lane.rawValue].waiting.firstIndex(where: { $0.number == number }) else {
                return nil
            }
            return state.queues[lane.rawValue].waiting.remove(at: index).turn
        }
        turn?.resume(returning: false)
        // The next body in the queue may need less memory.
        update(lane) { _ in }
    }

    private func update(_ lane: Lane, _ body: (inout Queue) -> Void) {
        let turns = state.withLock { state in
            body(&state.queues[lane.rawValue])
            var turns: [CheckedContinuation<Bool, Never>] = []
            while let first = state.queues[lane.rawValue].waiting.first, state.queues[lane.rawValue].admits(first.bytes)
            {
                state.queues[lane.rawValue].reading += 1
                state.queues[lane.rawValue].bytes += first.bytes
                turns.append(state.queues[lane.rawValue].waiting.removeFirst().turn)
            }
            return turns
        }
        for turn in turns { turn.resume(returning: true) }
    }
}
#endif
