/// Text form of the manifest: one line per value or segment, a keyword followed by numbers.
extension RunManifest {
    var text: [UInt8] {
        // A segment without a record yet is not listed: it counts as one to be created, so that events appended to it
        // later are found.
        let number = segments.first { $0.bytes == 0 }?.number ?? nextNumber
        var text =
            "sequence \(nextSequence)\nnumber \(number)\nbundle \(nextBundleID)\nrecorded \(ledger.recorded)\n"
        if wholeRefusals > 0 { text += "refusals \(wholeRefusals)\n" }
        if let lastActive { text += "active \(lastActive.milliseconds)\n" }
        for outcome in EventOutcome.allCases where ledger[outcome] != 0 {
            text += "\(outcome.rawValue) \(ledger[outcome])\n"
        }
        let rejections = ledger.rejections.orderedByNumber { Int64($0.key) }
        for (code, events) in rejections { text += "code \(code) \(events)\n" }
        for (name, count) in ledger.middleware.orderedByText(\.key) {
            text += "middleware \(count.dropped) \(count.changed) \(StoreFolder.escaped(name))\n"
        }
        for segment in segments where segment.bytes > 0 {
            var numbers = [segment.number, segment.bytes, segment.consumed, segment.nextSequence, segment.endSequence]
            numbers += [segment.oldest, segment.newest].map { Int($0?.milliseconds ?? 0) }
            if let flight = segment.flight { numbers += [flight.to, flight.endSequence, flight.bundleID] }
            text += "segment \(numbers.map(String.init).joined(separator: " "))\n"
        }
        return Array(text.utf8)
    }

    /// The range of valid numbers in a manifest; times may be before 1970. Sums of these do not overflow.
    private static let possible = -1 << 53...1 << 53

    /// Takes over everything but the segments. An invalid line is skipped: the segment in question is scanned instead.
    /// - Returns: the listed segments, to be appended once their files are compared.
    mutating func read(_ text: [UInt8]) -> [Segment] {
        var segments: [Segment] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            if words.first == "middleware" {
                readMiddleware(words)
                continue
            }
            let numbers = words.dropFirst().compactMap { Int($0) }
            guard let word = words.first, let number = numbers.first, numbers.count == words.count - 1,
                numbers.allSatisfy({ Self.possible ~= $0 })
            else { continue }
            switch word {
            case "sequence": nextSequence = max(1, number)
            case "number": nextNumber = max(1, number)
            case "bundle": nextBundleID = max(1, number)
            case "recorded": ledger.recorded = number
            case "refusals": wholeRefusals = max(0, number)
            case "active": lastActive = Timestamp(milliseconds: Int64(number))
            case "code": if numbers.count == 2 { ledger.setRejections(numbers[1], code: number) }
            // The name of `rejected` in earlier versions.
            case "invalid": ledger[.rejected] += number
            case "segment": if let segment = Segment(numbers) { segments.append(segment) }
            default: if let outcome = EventOutcome(rawValue: String(word)) { ledger[outcome] += number }
            }
        }
        return segments
    }

    /// Reads `middleware <dropped> <changed> <name>`.
    private mutating func readMiddleware(_ words: [Substring]) {
        guard words.count == 4, let dropped = Int(words[1]), let changed = Int(words[2]),
            let name = StoreFolder.unescaped(words[3]), Self.possible ~= dropped, Self.possible ~= changed
        else { return }
        ledger.setMiddleware(name, dropped: dropped, changed: changed)
    }
}

extension Segment {
    fileprivate init?(_ numbers: [Int]) {
        guard numbers.count == 7 || numbers.count == 10 else { return nil }
        self.init(number: numbers[0], sequence: numbers[3])
        bytes = numbers[1]
        consumed = numbers[2]
        endSequence = numbers[4]
        oldest = Timestamp(milliseconds: Int64(numbers[5]))
        newest = Timestamp(milliseconds: Int64(numbers[6]))
        guard number > 0, bytes >= 0, 0...bytes ~= consumed, nextSequence >= 1, nextSequence <= endSequence
        else { return nil }
        if numbers.count == 10 {
            flight = Flight(to: numbers[7], endSequence: numbers[8], bundleID: numbers[9])
            let (to, end) = (numbers[7], numbers[8])
            guard to > consumed, to <= bytes, end >= nextSequence, end <= endSequence else { return nil }
        }
    }
}
