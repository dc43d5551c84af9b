#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Crash signal with its name and the meaning of its codes.
struct SignalName: Sendable, Equatable {
    let name: String
    /// True if the signal's address is a memory address, not an instruction address.
    let concernsMemory: Bool
    private let codes: [Int32: String]

    init?(_ signal: Int32) {
        switch signal {
        case SIGSEGV:
            self.init("SIGSEGV", concernsMemory: true, [1: "no memory there", 2: "not allowed there"])
        case SIGBUS:
            self.init(
                "SIGBUS",
                concernsMemory: true,
                [1: "misaligned", 2: "past the end of the file", 3: "the memory failed"]
            )
        case SIGILL: self.init("SIGILL", [2: "trap"])
        case SIGTRAP: self.init("SIGTRAP", [:])
        case SIGFPE: self.init("SIGFPE", [1: "integer division by zero", 2: "integer overflow"])
        case SIGABRT: self.init("SIGABRT", [:])
        default: return nil
        }
    }

    private init(_ name: String, concernsMemory: Bool = false, _ codes: [Int32: String]) {
        self.name = name
        self.concernsMemory = concernsMemory
        self.codes = codes
    }

    /// Returns a one-line description: `SIGSEGV at 0x10 (no memory there)`.
    func sentence(code: Int32, address: UInt64) -> String {
        var sentence = name
        if concernsMemory, code > 0, code < 128 { sentence += " at 0x\(String(address, radix: 16))" }
        if let meaning = codes[code] { sentence += " (\(meaning))" }
        return sentence
    }
}
