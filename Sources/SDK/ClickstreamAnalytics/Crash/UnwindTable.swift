import ClickstreamCore

/// Unwind table of a module: its `.eh_frame`, found through the index in `.eh_frame_hdr`.
///
/// Supports the instructions that compilers emit for functions on x86-64 and AArch64. DWARF expressions, as in the
/// linker's own stubs, are not supported: such frames are followed by their frame pointer.
struct UnwindTable {
    private let file: ELFFile
    private let header: UInt64
    /// The index: pairs of a function's start address and the address of its entry, both relative to the header.
    private let index: [UInt8]

    init(_ file: ELFFile) throws {
        guard let header = file.unwindHeader else { throw ELFFile.Malformed() }
        var cursor = ByteCursor(try file.bytes(at: header, count: 12))
        guard try cursor.byte() == 1 else { throw ELFFile.Malformed() }
        let encodings = try cursor.take(3)
        // Required encodings: a 4-byte PC-relative number; a plain 4-byte number; pairs of 4-byte numbers relative to
        // the header.
        guard encodings == [0x1B, 0x03, 0x3B] else { throw ELFFile.Malformed() }
        _ = try cursor.integer(UInt32.self)
        let count = Int(try cursor.integer(UInt32.self))
        guard count < 16_777_216 else { throw ELFFile.Malformed() }
        self.file = file
        self.header = header
        index = try file.bytes(at: header + 12, count: count * 8)
    }

    /// Unwind rules of one frame.
    struct Row: Sendable, Hashable {
        /// Rule for a register's value in the caller, relative to the canonical frame address.
        enum Rule: Sendable, Hashable {
            /// The value is in memory at this offset from the frame address.
            case inMemory(Int64)
            /// The value is the frame address plus this offset.
            case value(Int64)
            /// The value is in another register.
            case register(Int)
            /// The value is undefined; for the return address: there is no caller.
            case undefined
            /// The rule is not supported.
            case unknown
        }

        /// The frame address as a register plus an offset; `nil` if the rule is not supported.
        var base: (register: Int, offset: Int64)?
        /// The rules by register. Registers without a rule are unchanged.
        var rules: [Int: Rule] = [:]
        var returnAddress = 0

        static func == (left: Row, right: Row) -> Bool {
            left.base?.register == right.base?.register && left.base?.offset == right.base?.offset
                && left.rules == right.rules && left.returnAddress == right.returnAddress
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(rules)
        }
    }

    /// Returns the unwind rules for `address`, relative to the file.
    func row(at address: UInt64) throws -> Row {
        let cursor = ByteCursor(index)
        var (low, high) = (0, index.count / 8)
        // Binary search for the last function that begins at or before the address.
        while low < high {
            let middle = (low + high) / 2
            let start = header &+ UInt64(bitPattern: Int64(try cursor.integer(Int32.self, at: middle * 8)))
            if start <= address { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { throw ELFFile.Malformed() }
        let entry = header &+ UInt64(bitPattern: Int64(try cursor.integer(Int32.self, at: (low - 1) * 8 + 4)))
        return try Entry(at: entry, in: file).row(at: address)
    }
}

/// Entry of a function (FDE), with its common entry (CIE).
private struct Entry {
    private struct Common {
        var codeFactor: UInt64
        var dataFactor: Int64
        var returnAddress: Int
        var encoding: UInt8 = 0
        var hasAugmentation = false
        var instructions: ByteCursor
    }

    private let common: Common
    private let start: UInt64
    private let end: UInt64
    private let instructions: ByteCursor

    init(at address: UInt64, in file: ELFFile) throws {
        var cursor = try Self.body(at: address, in: file)
        let back = UInt64(try cursor.integer(UInt32.self))
        common = try Self.common(at: address &+ 4 &- back, in: file)
        let fieldAddress = address &+ 4 &+ UInt64(cursor.position)
        switch common.encoding {
        case 0x1B:
            start = fieldAddress &+ UInt64(bitPattern: Int64(try cursor.integer(Int32.self)))
            end = start &+ UInt64(try cursor.integer(UInt32.self))
        case 0x1C, 0x10:
            start = fieldAddress &+ (try cursor.integer(UInt64.self))
            end = start &+ (try cursor.integer(UInt64.self))
        case 0x00:
            start = try cursor.integer(UInt64.self)
            end = start &+ (try cursor.integer(UInt64.self))
        default:
            throw ELFFile.Malformed()
        }
        if common.hasAugmentation { try cursor.skip(try cursor.unsignedLEB()) }
        instructions = cursor
    }

    /// Returns the content of an entry, after its length field.
    private static func body(at address: UInt64, in file: ELFFile) throws -> ByteCursor {
        var head = ByteCursor(try file.bytes(at: address, count: 4))
        let length = Int(try head.integer(UInt32.self))
        guard (4..<1_048_576).contains(length) else { throw ELFFile.Malformed() }
        let bytes = try file.bytes(at: address &+ 4, count: length)
        guard bytes.count == length else { throw ELFFile.Malformed() }
        return ByteCursor(bytes)
    }

    private static func common(at address: UInt64, in file: ELFFile) throws -> Common {
        var cursor = try body(at: address, in: file)
        guard try cursor.integer(UInt32.self) == 0 else { throw ELFFile.Malformed() }
        let version = try cursor.byte()
        guard version == 1 || version == 3 else { throw ELFFile.Malformed() }
        let augmentation = try cursor.text()
        let codeFactor = try cursor.unsignedLEB()
        let dataFactor = try cursor.signedLEB()
        let returnAddress = version == 1 ? Int(try cursor.byte()) : Int(truncatingIfNeeded: try cursor.unsignedLEB())
        var common = Common(
            codeFactor: codeFactor,
            dataFactor: dataFactor,
            returnAddress: returnAddress,
            instructions: cursor
        )
        if augmentation.hasPrefix("z") {
            common.hasAugmentation = true
            let count = try cursor.unsignedLEB()
            var data = ByteCursor(try cursor.take(Int(min(count, 4_096))))
            for letter in augmentation.dropFirst() {
                switch letter {
                case "R": common.encoding = try data.byte()
                case "L": _ = try data.byte()
                case "P":
                    let size = [0x00: 8, 0x02: 2, 0x03: 4, 0x04: 8, 0x0A: 2, 0x0B: 4, 0x0C: 8][try data.byte() & 0x0F]
                    _ = try data.take(size ?? Int.max)
                default: break
                }
            }
        } else if !augmentation.isEmpty {
            throw ELFFile.Malformed()
        }
        common.instructions = cursor
        return common
    }

    // MARK: Instructions

    func row(at address: UInt64) throws -> UnwindTable.Row {
        guard start <= address, address < end else { throw ELFFile.Malformed() }
        var row = UnwindTable.Row(returnAddress: common.returnAddress)
        var saved: [UnwindTable.Row] = []
        var location = start
        try run(common.instructions, on: &row, initial: nil, &saved, &location, until: .max)
        let initial = row
        location = start
        try run(instructions, on: &row, initial: initial, &saved, &location, until: address)
        return row
    }

    /// Executes unwind instructions up to those for `target`.
    private func run(
        _ program: ByteCursor,
        on row: inout UnwindTable.Row,
        initial: UnwindTable.Row?,
        _ saved: inout [UnwindTable.Row],
        _ location: inout UInt64,
        until target: UInt64
    ) throws {
        var cursor = program
        func register() throws -> Int { Int(truncatingIfNeeded: try cursor.unsignedLEB()) }
        func factored() throws -> Int64 { Int64(truncatingIfNeeded: try cursor.unsignedLEB()) &* common.dataFactor }
        func factoredSigned() throws -> Int64 { try cursor.signedLEB() &* common.dataFactor }
        while cursor.left > 0 {
            let code = try cursor.byte()
            let operand = Int(code & 0x3F)
            switch (code >> 6, operand) {
            case (1, _): location &+= UInt64(operand) &* common.codeFactor
            case (2, _): row.rules[operand] = .inMemory(try factored())
            case (3, _): row.rules[operand] = initial?.rules[operand]
            case (_, 0x00): break
            case (_, 0x02): location &+= UInt64(try cursor.byte()) &* common.codeFactor
            case (_, 0x03): location &+= UInt64(try cursor.integer(UInt16.self)) &* common.codeFactor
            case (_, 0x04): location &+= UInt64(try cursor.integer(UInt32.self)) &* common.codeFactor
            case (_, 0x05): row.rules[try register()] = .inMemory(try factored())
            case (_, 0x06):
                let number = try register()
                row.rules[number] = initial?.rules[number]
            case (_, 0x07): row.rules[try register()] = .undefined
            case (_, 0x08): row.rules[try register()] = nil
            case (_, 0x09): row.rules[try register()] = .register(try register())
            case (_, 0x0A): saved.append(row)
            case (_, 0x0B):
                guard let last = saved.popLast() else { throw ELFFile.Malformed() }
                row = last
            case (_, 0x0C): row.base = (try register(), Int64(truncatingIfNeeded: try cursor.unsignedLEB()))
            case (_, 0x0D): row.base?.register = try register()
            case (_, 0x0E): row.base?.offset = Int64(truncatingIfNeeded: try cursor.unsignedLEB())
            case (_, 0x0F):
                try cursor.skip(try cursor.unsignedLEB())
                row.base = nil
            case (_, 0x10), (_, 0x16):
                row.rules[try register()] = .unknown
                try cursor.skip(try cursor.unsignedLEB())
            case (_, 0x11): row.rules[try register()] = .inMemory(try factoredSigned())
            case (_, 0x12): row.base = (try register(), try factoredSigned())
            case (_, 0x13): row.base?.offset = try factoredSigned()
            case (_, 0x14): row.rules[try register()] = .value(try factored())
            case (_, 0x15): row.rules[try register()] = .value(try factoredSigned())
            case (_, 0x2D): break
            case (_, 0x2E): _ = try cursor.unsignedLEB()
            default: throw ELFFile.Malformed()
            }
            if location > target { return }
        }
    }
}
