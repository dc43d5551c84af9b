import ClickstreamCore

/// Message and symbolicated stack trace of a crash file, in the form stored in the event.
struct CrashMessage {
    let message: String
    let stack: String

    init(_ file: CrashFile, record: CrashFile.Record, symbols: Symbols) {
        let said = record.message.trimmed
        let sentence = SignalName(record.signal)?.sentence(code: record.code, address: record.address) ?? ""
        message = said.isEmpty ? sentence : said
        let frames = CallStack(file, record: record, symbols: symbols)
        let thread = record.thread == record.process ? "main thread" : "thread \(record.thread)"
        stack = (["\(sentence), \(thread)"] + frames.lines(symbols)).joined(separator: "\n")
    }
}

/// Call stack of the crashed thread, innermost frame first.
///
/// Two sources: the modules' unwind tables, applied to the innermost 64 KiB of the stack, which cover functions without
/// a frame pointer (much of libc); and the frame pointers followed by the handler, which cover the whole stack.
struct CallStack {
    /// The return address of each frame; the first is the address of the crash.
    let addresses: [UInt64]
    /// The number of omitted frames, and their position.
    let omitted: (count: Int, after: Int)?
    private let modules: [CrashFile.Module]

    /// The maximum number of frames from the tables if frame pointers are available for the rest.
    private static let frames = 64
    private static let maxFrames = 256

    init(_ file: CrashFile, record: CrashFile.Record, symbols: Symbols) {
        modules = file.modules
        let registers = Registers(record)
        var walk = Walk(file, record: record, registers: registers, symbols: symbols)
        var addresses = registers.pc.map { [$0] } ?? []
        let limit = record.frames.isEmpty ? Self.maxFrames : Self.frames
        while addresses.count < limit, let caller = walk.next() { addresses.append(caller) }
        // The tables ended at the end of the stack's copy or at the limit; the frame pointers continue from there.
        let rest = record.frames.drop { $0.framePointer < walk.stackPointer }
        let fresh = walk.isAtEnd ? [] : Array(rest)
        if let gap = record.omitted, !fresh.isEmpty {
            omitted = (gap.count, addresses.count + max(0, fresh.count - (record.frames.count - gap.after)))
        } else {
            omitted = nil
        }
        self.addresses = addresses + fresh.map(\.pc)
    }

    /// Returns one line per frame: number, module, address, function and offset in it.
    func lines(_ symbols: Symbols) -> [String] {
        // A return address may be the first of the next function, so the address before it is looked up.
        let sought = addresses.enumerated().map { $0.offset == 0 ? $0.element : $0.element &- 1 }
        let found = symbols.functions(at: sought, in: modules)
        var lines: [String] = []
        for (number, address) in addresses.enumerated() {
            if let omitted, number == omitted.after { lines.append("\(omitted.count) frames left out") }
            let text = "0x" + String(zeroPadded: address, width: 16, radix: 16)
            let frame = omitted.map { number >= $0.after ? number + $0.count : number } ?? number
            guard let module = modules.first(where: { $0.range.contains(sought[number]) }) else {
                lines.append("\(frame) ??? \(text)")
                continue
            }
            let name = module.path.split(separator: "/").last.map(String.init) ?? module.path
            let inFile = address &- module.bias
            if let function = found[sought[number]] {
                lines.append("\(frame) \(name) \(text) \(function.name) + \(inFile &- function.address)")
            } else {
                lines.append("\(frame) \(name) \(text) \(name) + 0x\(String(inFile, radix: 16))")
            }
        }
        return lines
    }
}

/// Registers from which unwinding starts, with their DWARF numbers.
private struct Registers {
    let values: [UInt64]
    let pc: UInt64?
    let stackPointer: Int
    let framePointer: Int
    /// The link register, which contains the return address until a function saves it; `nil` if a call pushes it on the
    /// stack.
    let link: Int?

    init(_ record: CrashFile.Record) {
        values = record.registers
        switch record.machine {
        case 62: (stackPointer, framePointer, link, pc) = (7, 6, nil, record.registers[16])
        case 183: (stackPointer, framePointer, link, pc) = (31, 29, 30, record.registers[32])
        default: (stackPointer, framePointer, link, pc) = (0, 0, nil, nil)
        }
    }
}

/// Stack unwinder based on the unwind tables.
private struct Walk {
    private var values: [Int: UInt64] = [:]
    private var pc: UInt64
    private var isFirst = true
    /// True once the outermost frame is reached.
    private(set) var isAtEnd = false
    private let registers: Registers
    private let modules: [CrashFile.Module]
    private let stack: [UInt8]
    private let stackStart: UInt64
    private let symbols: Symbols

    var stackPointer: UInt64 { values[registers.stackPointer] ?? 0 }

    init(_ file: CrashFile, record: CrashFile.Record, registers: Registers, symbols: Symbols) {
        self.registers = registers
        self.symbols = symbols
        modules = file.modules
        stack = file.stack
        stackStart = record.stackStart
        pc = registers.pc ?? 0
        for (number, value) in registers.values.enumerated() { values[number] = value }
    }

    /// Returns the caller's return address; `nil` if there is none or it cannot be determined.
    mutating func next() -> UInt64? {
        guard registers.pc != nil, !isAtEnd else { return nil }
        let sought = isFirst ? pc : pc &- 1
        let module = modules.first { $0.range.contains(sought) }
        var caller: UInt64?
        if let module, let row = symbols.unwindRow(at: sought, in: module) {
            caller = follow(row)
        } else if module == nil, isFirst {
            // After a call to an invalid address, the frame is still the caller's.
            caller = registers.link.flatMap { values[$0] } ?? popped()
        }
        if caller == nil, !isAtEnd { caller = followFramePointer() }
        guard let caller, caller != 0 else { return nil }
        isFirst = false
        pc = caller
        return caller
    }

    private mutating func follow(_ row: UnwindTable.Row) -> UInt64? {
        guard let base = row.base, let start = values[base.register] else { return nil }
        let fixed = start &+ UInt64(bitPattern: base.offset)
        // Frame addresses must increase; only in the first frame may the frame address equal the stack pointer.
        guard fixed > stackPointer || isFirst && fixed == stackPointer else { return nil }
        var callers = values
        for (number, rule) in row.rules {
            switch rule {
            case .inMemory(let offset): callers[number] = word(at: fixed &+ UInt64(bitPattern: offset))
            case .value(let offset): callers[number] = fixed &+ UInt64(bitPattern: offset)
            case .register(let other): callers[number] = values[other]
            case .undefined:
                if number == row.returnAddress { isAtEnd = true }
                callers[number] = nil
            case .unknown: callers[number] = nil
            }
        }
        guard let caller = callers[row.returnAddress] else { return nil }
        callers[registers.stackPointer] = fixed
        values = callers
        return Self.plain(caller)
    }

    private mutating func followFramePointer() -> UInt64? {
        guard let pointer = values[registers.framePointer], pointer >= stackPointer,
            let next = word(at: pointer), let caller = word(at: pointer &+ 8)
        else { return nil }
        values[registers.framePointer] = next
        values[registers.stackPointer] = pointer &+ 16
        return Self.plain(caller)
    }

    private mutating func popped() -> UInt64? {
        guard let caller = word(at: stackPointer) else { return nil }
        values[registers.stackPointer] = stackPointer &+ 8
        return caller
    }

    /// Returns the word of the stack at an address; `nil` outside the saved part.
    private func word(at address: UInt64) -> UInt64? {
        guard address >= stackStart, let offset = Int(exactly: address - stackStart), offset <= stack.count - 8 else {
            return nil
        }
        return stack.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    }

    /// Removes the pointer authentication code that AArch64 may place in the upper bits.
    private static func plain(_ address: UInt64) -> UInt64 { address & 0x0000_FFFF_FFFF_FFFF }
}

extension String {
    /// The string without leading and trailing white space.
    fileprivate var trimmed: String {
        let start = drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
