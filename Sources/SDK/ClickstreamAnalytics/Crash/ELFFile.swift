import ClickstreamCore

/// Reader of the parts of an ELF file needed for symbolication and unwinding: 64-bit, little-endian.
///
/// Reads only the requested parts; a symbol table is never held in memory completely. All values of the file are
/// validated.
struct ELFFile {
    /// Error of a file that is not ELF, or is inconsistent.
    struct Malformed: Error {}

    /// Mapped segment of the file.
    struct Mapping: Sendable, Equatable {
        var kind: UInt32
        var address: UInt64
        var offset: UInt64
        var bytes: UInt64
    }

    private struct Section {
        var kind: UInt32
        var link: Int
        var offset: UInt64
        var bytes: UInt64
    }

    private let read: (Range<Int>) throws -> [UInt8]
    let mappings: [Mapping]
    private let sections: [Section]

    private static let load: UInt32 = 1
    private static let note: UInt32 = 4
    private static let unwindHeader: UInt32 = 0x6474_E550
    private static let symbolTables: [UInt32] = [2, 11]
    /// The size of a read in bytes.
    private static let pieceBytes = 1_048_576

    init(_ path: String, in files: any FileSystem) throws {
        try self.init { range in try files.read(path, range: range) }
    }

    /// - Parameter read: returns a range of the file, or less at the end of the file.
    init(_ read: @escaping (Range<Int>) throws -> [UInt8]) throws {
        self.read = read
        var header = ByteCursor(try read(0..<64))
        guard try header.take(4) == [0x7F, 0x45, 0x4C, 0x46], try header.byte() == 2, try header.byte() == 1 else {
            throw Malformed()
        }
        func table(at offset: Int, entry: Int, count: Int, size: Int) throws -> [ByteCursor] {
            guard count > 0 else { return [] }
            guard entry >= size, offset > 0 else { throw Malformed() }
            let bytes = try read(offset..<(offset + entry * count))
            guard bytes.count == entry * count else { throw Malformed() }
            return (0..<count).map { ByteCursor(Array(bytes[($0 * entry)..<(($0 + 1) * entry)])) }
        }
        let (programs, tables) = (try header.fileOffset(at: 0x20), try header.fileOffset(at: 0x28))
        let programEntry = Int(try header.integer(UInt16.self, at: 0x36))
        let programCount = Int(try header.integer(UInt16.self, at: 0x38))
        let sectionEntry = Int(try header.integer(UInt16.self, at: 0x3A))
        let sectionCount = Int(try header.integer(UInt16.self, at: 0x3C))
        mappings = try table(at: programs, entry: programEntry, count: programCount, size: 56).map { entry in
            Mapping(
                kind: try entry.integer(UInt32.self, at: 0),
                address: try entry.integer(UInt64.self, at: 16),
                offset: try entry.integer(UInt64.self, at: 8),
                bytes: try entry.integer(UInt64.self, at: 32)
            )
        }
        sections = try table(at: tables, entry: sectionEntry, count: sectionCount, size: 64).map { entry in
            Section(
                kind: try entry.integer(UInt32.self, at: 4),
                link: Int(try entry.integer(UInt32.self, at: 40)),
                offset: try entry.integer(UInt64.self, at: 24),
                bytes: try entry.integer(UInt64.self, at: 32)
            )
        }
    }

    // MARK: Access by address

    /// The address of the `.eh_frame_hdr` section.
    var unwindHeader: UInt64? { mappings.first { $0.kind == Self.unwindHeader }?.address }

    /// Returns `count` bytes mapped at `address`; fewer at the end of the mapping.
    func bytes(at address: UInt64, count: Int) throws -> [UInt8] {
        guard count >= 0,
            let mapping = mappings.first(where: {
                $0.kind == Self.load && $0.address <= address && address - $0.address < $0.bytes
            })
        else { throw Malformed() }
        let skipped = address - mapping.address
        let available = Int(min(UInt64(count), mapping.bytes - skipped))
        guard let start = Int(exactly: mapping.offset + skipped) else { throw Malformed() }
        return try read(start..<(start + available))
    }

    /// The build id assigned by the linker, in hexadecimal digits; `nil` if there is none.
    var buildID: String? {
        get throws {
            for mapping in mappings where mapping.kind == Self.note && mapping.bytes < 65_536 {
                var notes = ByteCursor(try bytes(at: mapping.address, count: Int(mapping.bytes)))
                while notes.left >= 12 {
                    let name = Int(try notes.integer(UInt32.self))
                    let description = Int(try notes.integer(UInt32.self))
                    let kind = try notes.integer(UInt32.self)
                    let nameBytes = try notes.take((name + 3) & ~3)
                    let descriptionBytes = try notes.take((description + 3) & ~3)
                    if kind == 3, nameBytes == [0x47, 0x4E, 0x55, 0] {
                        return descriptionBytes.prefix(description).map { byte in
                            String(zeroPadded: byte, width: 2, radix: 16)
                        }.joined()
                    }
                }
            }
            return nil
        }
    }

    // MARK: Symbols

    /// Function symbol.
    struct Symbol: Sendable, Equatable {
        var name: String
        var address: UInt64
    }

    /// Returns the function that contains each address; addresses outside any function are omitted.
    ///
    /// Costs a scan of the symbol table, or, in a stripped file, of the dynamic symbol table.
    func symbols(of addresses: [UInt64]) throws -> [UInt64: Symbol] {
        let sorted = Array(Set(addresses)).sorted()
        var candidates: [(start: UInt64, name: UInt64)?] = Array(repeating: nil, count: sorted.count)
        for kind in Self.symbolTables {
            guard let table = sections.first(where: { $0.kind == kind }), sections.indices.contains(table.link) else {
                continue
            }
            let names = sections[table.link]
            try walk(table) { name, start, size in
                var low = sorted.partitioningPoint { $0 >= start }
                while low < sorted.count, sorted[low] - start < size {
                    if candidates[low].map({ $0.start < start }) ?? true {
                        candidates[low] = (start, names.offset + name)
                    }
                    low += 1
                }
            }
            if candidates.contains(where: { $0 != nil }) { break }
        }
        var found: [UInt64: Symbol] = [:]
        for (address, candidate) in zip(sorted, candidates) {
            guard let candidate, let offset = Int(exactly: candidate.name) else { continue }
            let text = try read(offset..<(offset + 4_096)).prefix { $0 != 0 }
            found[address] = Symbol(name: String(decoding: text, as: UTF8.self), address: candidate.start)
        }
        return found
    }

    /// Calls `body` with each function of a table: the offset of its name, its address, its length.
    private func walk(_ table: Section, _ body: (UInt64, UInt64, UInt64) -> Void) throws {
        let entryBytes = 24
        guard let start = Int(exactly: table.offset), let count = Int(exactly: table.bytes),
            start <= Int.max - count
        else { throw Malformed() }
        let end = start + count - count % entryBytes
        var position = start
        while position < end {
            let piece = try read(position..<min(end, position + Self.pieceBytes / entryBytes * entryBytes))
            guard piece.count >= entryBytes else { return }
            piece.withUnsafeBytes { piece in
                for entry in stride(from: 0, through: piece.count - entryBytes, by: entryBytes) {
                    // Functions, and indirect functions.
                    guard [2, 10].contains(piece[entry + 4] & 15) else { continue }
                    let name = piece.loadUnaligned(fromByteOffset: entry, as: UInt32.self)
                    let address = piece.loadUnaligned(fromByteOffset: entry + 8, as: UInt64.self)
                    let size = piece.loadUnaligned(fromByteOffset: entry + 16, as: UInt64.self)
                    body(UInt64(name), address, max(1, size))
                }
            }
            position += piece.count
        }
    }
}

extension Array where Element: Comparable {
    /// Returns the first index, in a sorted array, whose element satisfies `isPast`; the count if there is none.
    fileprivate func partitioningPoint(_ isPast: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isPast(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Bounds-checked little-endian reader.
struct ByteCursor {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var left: Int { bytes.count - position }

    mutating func take(_ count: Int) throws -> [UInt8] {
        guard count >= 0, count <= left else { throw ELFFile.Malformed() }
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }

    mutating func byte() throws -> UInt8 {
        guard left > 0 else { throw ELFFile.Malformed() }
        defer { position += 1 }
        return bytes[position]
    }

    func integer<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) throws -> Number {
        guard offset >= 0, offset <= bytes.count - MemoryLayout<Number>.size else { throw ELFFile.Malformed() }
        return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
    }

    mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        let number = try integer(type, at: position)
        position += MemoryLayout<Number>.size
        return number
    }

    /// Returns an integer that is a valid file offset.
    func fileOffset(at offset: Int) throws -> Int {
        guard let fileOffset = Int(exactly: try integer(UInt64.self, at: offset)), fileOffset < 1 << 48 else {
            throw ELFFile.Malformed()
        }
        return fileOffset
    }

    /// Reads an unsigned LEB128 number.
    mutating func unsignedLEB() throws -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let byte = try byte()
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        throw ELFFile.Malformed()
    }

    /// Reads a signed LEB128 number.
    mutating func signedLEB() throws -> Int64 {
        var number: Int64 = 0
        for shift in stride(from: Int64(0), to: 70, by: 7) {
            let byte = try byte()
            number |= Int64(byte & 0x7F) << shift
            if byte < 0x80 { return byte & 0x40 != 0 && shift < 57 ? number | (-1 << (shift + 7)) : number }
        }
        throw ELFFile.Malformed()
    }

    mutating func text() throws -> String {
        var characters: [UInt8] = []
        while true {
            let byte = try byte()
            if byte == 0 { return String(decoding: characters, as: UTF8.self) }
            characters.append(byte)
        }
    }

    mutating func skip(_ count: UInt64) throws {
        guard count <= UInt64(left) else { throw ELFFile.Malformed() }
        position += Int(count)
    }
}
