/// What a batch is made of: the same recipe gives the same bytes, as long as the events are there.
struct BatchRecipe: Sendable, Equatable {
    /// What comes next in the queue; the batch holds its beginning.
    var range: QueueRange
    /// The most bytes of the body, as sent.
    var limit: Int
    var mostEvents: Int
    var isCompressed: Bool
}

/// A batch, and the part of the queue that it holds. Nothing is noted of it anywhere: it may be dropped.
struct MadeBatch: Sendable {
    var recipe: BatchRecipe
    /// What it holds.
    var range: QueueRange
    var batch: Batch

    /// Whether this is what would be made by a recipe of now.
    func isMade(by now: BatchRecipe) -> Bool {
        guard range.to < recipe.range.to else { return recipe == now }
        // It was full before the end of what there was: what was appended behind that since changes nothing.
        var grown = recipe
        grown.range.to = now.range.to
        grown.range.endSequence = now.range.endSequence
        return grown == now
    }
}

/// Reads events and makes batches of them, with memory that is kept from one to the next: about half a megabyte.
///
/// Thread-safe: one batch at a time.
final class BatchMaker: Sendable {
    private struct Tools: ~Copyable {
        var reader = QueueReader()
        let deflater = Deflater()
    }

    private let tools = Locked(Tools())

    /// Makes a batch of the beginning of the recipe's range; an empty one, when no record of it can be read.
    /// - Throws: why the range cannot be read.
    func make(_ recipe: BatchRecipe, from source: SegmentSource) throws(FileError) -> MadeBatch {
        try tools.withLock { tools throws(FileError) in
            var builder = BatchBuilder(limit: recipe.limit, deflater: recipe.isCompressed ? tools.deflater : nil)
            let range = try tools.reader.read(source, recipe.range) { line in
                builder.eventCount < recipe.mostEvents && builder.append(behindBlank: line)
            }
            return MadeBatch(recipe: recipe, range: range, batch: builder.finish())
        }
    }

    /// Makes a batch of some records of a part that was read, however large it becomes.
    func make(_ records: Range<Int>, of reading: QueueReading, isCompressed: Bool) -> Batch {
        tools.withLock { tools in
            var builder = BatchBuilder(limit: .max, deflater: isCompressed ? tools.deflater : nil)
            reading.bytes.withUnsafeBytes { bytes in
                for record in reading.records[records] {
                    guard builder.append(UnsafeRawBufferPointer(rebasing: bytes[record.json])) else { break }
                }
            }
            return builder.finish()
        }
    }
}
