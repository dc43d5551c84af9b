#if Tools
import ClickstreamCore

/// Memory budget of all requests that are received, read or waiting to be stored. Callable from any thread.
///
/// The bytes of a body take room as they arrive; without room the request is refused. A body that has arrived waits for its
/// share of the memory for reading, first come first served, and for a bounded time. Small, medium and large bodies have lanes
/// of their own, large ones one after the other: none delays smaller ones.
final class Admission: Sendable {
    enum Lane: Int, Sendable {
        case small, medium, large
    }

    /// Memory held by one request from its share until it is stored.
    struct Share: Sendable {
        fileprivate var lane: Lane
        fileprivate(set) var bytes: Int
    }

    private struct Waiting: Sendable {
        var number: Int
        var bytes: Int
        var turn: CheckedContinuation<Bool, Never>
    }

    private struct Queue: Sendable {
        let mostBytes: Int
        let mostReading: Int
        var bytes = 0
        var reading = 0
        var waiting: [Waiting] = []

        /// A request alone is always admitted.
        func admits(_ more: Int) -> Bool {
            reading < mostReading && (bytes == 0 || bytes + more <= mostBytes)
        }
    }

    private struct State: Sendable {
        var bodyBytes = 0
        var last = 0
        var queues: [Queue]
    }

    private let mostBodyBytes: Int
    private let patience: Int64
    private let time: any TimeSource
    private let state: Locked<State>

    /// - Parameters:
    ///   - bodyBytes: of all bodies that are not stored yet, as sent.
    ///   - smallReadBytes: memory of the small bodies that are read or wait to be stored.
    ///   - mediumReadBytes: the same for the medium ones.
    ///   - reading: bodies of either kind that are read at the same time.
    ///   - patience: milliseconds that a body waits for its share.
    init(
        bodyBytes: Int,
        smallReadBytes: Int,
        mediumReadBytes: Int,
        reading: Int,
        patience: Int64,
        time: any TimeSource
    ) {
        mostBodyBytes = bodyBytes
        self.patience = patience
        self.time = time
        state = Locked(
            State(queues: [
                Queue(mostBytes: smallReadBytes, mostReading: reading),
                Queue(mostBytes: mediumReadBytes, mostReading: reading),
                Queue(mostBytes: 0, mostReading: 1),
            ])
        )
    }

    // MARK: - Bodies

    /// Takes room for bytes of a body.
    /// - Returns: false if there is none.
    func takeRoom(_ bytes: Int) -> Bool {
        state.withLock { state in
            guard state.bodyBytes + bytes <= mostBodyBytes else { return false }
            state.bodyBytes += bytes
            return true
        }
    }

    func giveRoom(_ bytes: Int) {
        state.withLock { $0.bodyBytes -= bytes }
    }

    // MARK: - Reading

    /// Waits for a share of the memory, and for a turn to read.
    /// - Returns: the share, to be given to ``endReading(_:keeping:)`` and ``endStoring(_:)``; `nil` if none became free in
    ///   time.
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
                timer = time.after(milliseconds: patience) { [self] in giveUp(number, in: lane) }
            }
        }
        timer?.cancel()
        return isAdmitted ? Share(lane: lane, bytes: bytes) : nil
    }

    /// The body has been read; what was made of it takes `kept` bytes until it is stored.
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
            guard let place = state.queues[lane.rawValue].waiting.firstIndex(where: { $0.number == number }) else {
                return nil
            }
            return state.queues[lane.rawValue].waiting.remove(at: place).turn
        }
        turn?.resume(returning: false)
        // The next may need less.
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
