#if Tools
import ClickstreamCore

/// Keeps what requests hold in memory within bounds, however many come at once. Callable from any thread.
///
/// Bodies take room as their bytes arrive; who finds none is told to come again. Bodies that are whole wait for their
/// turn to be read, and turns are given as long as what was read before is not too much for the store to take.
final class Admission: Sendable {
    private struct State {
        var bodyBytes = 0
        var readBytes = 0
        var reading = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let mostBodyBytes: Int
    private let mostReadBytes: Int
    private let mostReading: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - bodyBytes: of all bodies that are not stored yet, as sent.
    ///   - readBytes: of JSON text that waits to be stored, before another body is read.
    ///   - reading: bodies that are read at the same time.
    init(bodyBytes: Int, readBytes: Int, reading: Int) {
        mostBodyBytes = bodyBytes
        mostReadBytes = readBytes
        mostReading = reading
    }

    /// Takes room for bytes of a body.
    /// - Returns: whether there was room.
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

    /// Waits for a turn to read a body.
    func beginReading() async {
        await withCheckedContinuation { turn in
            let isMine = state.withLock { state in
                if state.waiting.isEmpty, mayRead(state) {
                    state.reading += 1
                    return true
                }
                state.waiting.append(turn)
                return false
            }
            if isMine { turn.resume() }
        }
    }

    /// A body was read to so many bytes, which wait to be stored.
    func endReading(_ bytes: Int) {
        change { state in
            state.reading -= 1
            state.readBytes += bytes
        }
    }

    /// So many bytes wait no more.
    func endStoring(_ bytes: Int) {
        change { $0.readBytes -= bytes }
    }

    private func change(_ body: (inout State) -> Void) {
        let turns = state.withLock { state in
            body(&state)
            var turns: [CheckedContinuation<Void, Never>] = []
            while !state.waiting.isEmpty, mayRead(state) {
                state.reading += 1
                turns.append(state.waiting.removeFirst())
            }
            return turns
        }
        for turn in turns { turn.resume() }
    }

    private func mayRead(_ state: State) -> Bool {
        state.reading < mostReading && state.readBytes < mostReadBytes
    }
}
#endif
