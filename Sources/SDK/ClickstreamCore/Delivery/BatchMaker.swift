/// Input of a batch. The same recipe gives the same bytes while the events are in the queue.
struct BatchParameters: Sendable, Equatable {
    /// The next range of the queue; the batch contains its beginning.
    var range: QueueRange
    /// Limit on the bytes of the body, as sent.
    var limit: Int
    var maxEvents: Int
    /// Limits and encoding of the format.
    var form: BatchForm
}

/// A batch, and the part of the queue that it contains. It can be dropped: no other state refers to it.
struct MadeBatch: Sendable {
    var recipe: BatchParameters
    /// The part of the queue in the batch.
    var range: QueueRange
    /// Further parts of the queue in the batch, of other run folders.
    var more: [QueueRange] = []
    var batch: Batch

    /// All parts of the queue in the batch.
    var ranges: [QueueRange] { [range] + more }

    /// True if a prefetched batch is still valid for `now`.
    func isMade(by now: BatchParameters) -> Bool {
        guard range.to < recipe.range.to else { return recipe == now }
        // The batch was full before the end of its range: events appended since do not change it.
        var grown = recipe
        grown.range.to = now.range.to
        grown.range.endSequence = now.range.endSequence
        return grown == now
    }
}

/// Reads events and makes batches, with buffers that are reused: about half a megabyte.
///
/// Thread-safe: one batch at a time.
final class BatchMaker: Sendable {
    private struct Tools: ~Copyable {
        var reader = QueueReader()
        let deflater = Deflater()

        func builder(_ form: BatchForm, limit: Int) -> BatchBuilder {
            BatchBuilder(
                limit: limit,
                deflater: form.encoding == .plain ? nil : deflater,
                isText: form.encoding == .gzipText
            )
        }
    }

    private let tools = Locked(Tools())

    /// Makes a batch of the beginning of the recipe's range, empty if no record of the range can be read.
    /// - Parameter further: ranges of other run folders that fill the batch after the recipe's range.
    /// - Throws: the reason for which the range cannot be read.
    func make(
        _ recipe: BatchParameters,
        from source: SegmentSource,
        and further: [PendingRange] = []
    ) throws(FileError) -> MadeBatch {
        try tools.withLock { tools throws(FileError) in
            var builder = tools.builder(recipe.form, limit: recipe.limit - recipe.form.addedBytes)
            let maxEvents = min(recipe.maxEvents, recipe.form.maxEvents)
            let isPartitioned = recipe.form.isPartitioned
            let range = try tools.reader.read(source, recipe.range, isPartitioned: isPartitioned) { line in
                builder.eventCount < maxEvents && builder.append(behindBlank: line)
            }
            var more: [QueueRange] = []
            var isFull = range.to < recipe.range.to
            for next in further where !isFull {
                // A range that cannot be read ends the batch; its own turn reports why.
                let taken = try? tools.reader.read(next.source, next.range, isPartitioned: isPartitioned) { line in
                    builder.eventCount < maxEvents && builder.append(behindBlank: line)
                }
                guard let taken, taken.to > taken.from else { break }
                more.append(taken)
                isFull = taken.to < next.range.to
            }
            return MadeBatch(recipe: recipe, range: range, more: more, batch: builder.finish())
        }
    }

    /// Makes a batch of records that were read, without a limit on its size.
    func make(_ records: Range<Int>, of reading: QueueReading, _ form: BatchForm) -> Batch {
        tools.withLock { tools in
            var builder = tools.builder(form, limit: .max)
            reading.bytes.withUnsafeBytes { bytes in
                for record in reading.records[records] {
                    guard builder.append(UnsafeRawBufferPointer(rebasing: bytes[record.json])) else { break }
                }
            }
            return builder.finish()
        }
    }
}
