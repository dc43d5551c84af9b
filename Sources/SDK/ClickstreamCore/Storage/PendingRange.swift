/// Range of a queue that is to be sent, with the source of its bytes and its position in the order of delivery.
package struct PendingRange: Sendable {
    package let range: QueueRange
    package let source: SegmentSource
    /// The generation of the process that recorded the range: `Int.max` for the process itself, 0 for a client.
    let generation: Int
    /// The time of the oldest event in the range's segment; `nil` for a segment that contains only damaged records.
    let oldest: Timestamp?
    /// The number of consecutive batches of the run folder whose every part was rejected.
    let wholeRefusals: Int

    /// True if `one` is delivered before `other`, which belongs to another run folder.
    ///
    /// The generation comes first, since the clock may have been set back between two processes, and the time decides within
    /// it. A segment that contains only damaged records is older than any other of its generation.
    package static func isOlder(_ one: PendingRange, than other: PendingRange) -> Bool {
        if one.generation != other.generation { return one.generation < other.generation }
        return (one.oldest?.milliseconds ?? .min) < (other.oldest?.milliseconds ?? .min)
    }

    /// Merges the ranges of several run folders, or of several queues, at most `count`. Each list keeps its order whatever its
    /// times are.
    package static func merged(_ lists: [[PendingRange]], count: Int) -> [PendingRange] {
        var (rest, merged) = (lists.filter { !$0.isEmpty }.map { $0[...] }, [PendingRange]())
        while merged.count < count {
            let heads = rest.indices.compactMap { index in rest[index].first.map { (index, $0) } }
            guard let (index, head) = heads.min(by: { isOlder($0.1, than: $1.1) }) else { break }
            merged.append(head)
            rest[index].removeFirst()
        }
        return merged
    }
}

extension RunFolder {
    /// The range to send next, with its source; `nil` if nothing is pending.
    var next: PendingRange? { manifest.nextRange.map { pending($0) } }

    /// Returns the range that is next once `range` is settled, which may belong to another folder.
    func next(behind range: QueueRange) -> PendingRange? {
        guard range.run == path else { return next }
        return manifest.nextRange(after: range).map { pending($0) }
    }

    private func pending(_ range: QueueRange) -> PendingRange {
        PendingRange(
            range: range,
            source: source(ofSegment: range.segment),
            generation: generation,
            oldest: segments.first { $0.number == range.segment }?.oldest,
            wholeRefusals: manifest.wholeRefusals
        )
    }
}
