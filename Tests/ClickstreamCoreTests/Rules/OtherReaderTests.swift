import Foundation
import Testing

@testable import ClickstreamCore

/// The interpreter of this machine, when there is one.
enum Python {
    static let path = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// The wire's JSON read by a reader that is not ours: Python's, strictly.
@Suite("Rules: independent reader", .enabled(if: Python.path != nil))
struct OtherReaderTests {
    /// Reads pairs of lines: what is expected, and an event with it in the attribute `v`.
    private static let program = #"""
        import json, struct, sys
        from decimal import Decimal, getcontext
        getcontext().prec = 400
        def refuse(text): raise ValueError(text)
        count = 0
        with open(sys.argv[1], encoding="utf-8", newline="\n") as file:
            for expected in file:
                line = file.readline()
                kind, _, text = expected.rstrip("\n").partition(" ")
                number = Decimal if kind == "decimal" else float
                event = json.loads(line, parse_float=number, parse_int=number if kind == "decimal" else int,
                                   parse_constant=refuse)
                value = event["attributes"]["v"]
                if kind == "double": same = type(value) is float and struct.pack(">d", value).hex() == text
                elif kind == "integer": same = type(value) is int and str(value) == text
                elif kind == "boolean": same = value is (text == "true")
                elif kind == "decimal": same = value == Decimal(text)
                else: same = value.encode("utf-8").hex() == text
                if not same: sys.exit(f"{expected}{line}")
                count += 1
        print(count)
        """#

    @Test("reads every kept value as given: doubles to the bit, decimals to the digit, texts to the byte")
    func values() throws {
        var input = ArbitraryInput(seed: 7)
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        var lines = ""
        var count = 0
        for _ in 0..<2_000 {
            let value: AttributeValue
            let expected: String
            if input.number(0..<5) == 0 {
                let (isNegative, significand, exponent) = input.decimal()
                let sign: FloatingPointSign = isNegative ? .minus : .plus
                let number = Decimal(sign: sign, exponent: exponent, significand: Decimal(significand))
                // Past its range it is not a number: such a value is refused.
                expected = "decimal \(isNegative ? "-" : "")\(significand)e\(exponent)"
                value = number.attributeValue
            } else {
                value = input.value()
                expected =
                    switch value {
                    case .integer(let integer): "integer \(integer)"
                    case .double(let double): "double \(hexadecimal(double.bitPattern))"
                    case .boolean(let truth): "boolean \(truth)"
                    case .string(let text): "text \(text.utf8.map { hexadecimal($0) }.joined())"
                    case .decimal(let number): "decimal \(number.text)"
                    }
            }
            client.record("tap", attributes: ["v": value])
            let event = try #require(phone.log.take().events.last)
            if event["v"] == nil { continue }
            lines += expected + "\n" + event.text + "\n"
            count += 1
        }
        #expect(count > 1_200)
        #expect(try run(on: lines) == "\(count)\n")
    }

    private func hexadecimal(_ number: some FixedWidthInteger) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: number.bitWidth / 4 - digits.count) + digits
    }

    private func run(on lines: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("wire-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            // What cannot be removed is the temporary folder's to forget.
            try? FileManager.default.removeItem(at: folder)
        }
        let file = folder.appendingPathComponent("events")
        try lines.write(to: file, atomically: false, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Python.path ?? "")
        process.arguments = ["-c", Self.program, file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: text, as: UTF8.self)
    }
}
