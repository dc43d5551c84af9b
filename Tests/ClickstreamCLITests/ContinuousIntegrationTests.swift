#if Collector
import Foundation
import Testing

/// Shell code of Docs/ci.md and Docs/howto-plan-ci.md, extracted from the pages and run unchanged.
@Suite("CI examples")
struct ContinuousIntegrationTests {
    /// A page's shell in order: blocks, and the steps of workflows.
    private static func blocks(of name: String = "ci.md") throws -> [String] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Docs/\(name)")
        let lines = try String(contentsOf: page, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        var blocks: [String] = []
        var language = ""
        var block: [Substring] = []
        for line in lines {
            guard line.hasPrefix("```") else {
                if !language.isEmpty { block.append(line) }
                continue
            }
            if language == "sh" { blocks.append(block.joined(separator: "\n")) }
            if language == "yaml" { blocks += steps(of: block) }
            block = []
            language = language.isEmpty ? (line == "```" ? "text" : String(line.dropFirst(3))) : ""
        }
        return blocks
    }

    /// Lines below each `run: |`.
    private static func steps(of workflow: [Substring]) -> [String] {
        var steps: [String] = []
        var indent: Int?
        for line in workflow {
            let spaces = line.prefix { $0 == " " }.count
            if let outer = indent, spaces > outer {
                steps[steps.count - 1] += line.dropFirst(outer + 2) + "\n"
                continue
            }
            indent = nil
            guard line.hasSuffix("run: |") else { continue }
            indent = spaces
            steps.append("")
        }
        return steps
    }

    /// Runs a block as CI does: `sh -e`, with the command line in the PATH.
    private func run(_ block: String, in workplace: Workplace) async throws -> (status: Int32, errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-e", "-c", block]
        process.currentDirectoryURL = workplace.folder
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("CLICKSTREAM_") }
        environment["PATH"] = Workplace.executable.deletingLastPathComponent().path + ":" + (environment["PATH"] ?? "")
        environment["HOME"] = workplace.folder.path
        environment["TMPDIR"] = workplace.temporaryFolder.path
        process.environment = environment
        try workplace.write("", to: "said")
        let said = try FileHandle(forWritingTo: workplace.folder.appending(path: "said"))
        process.standardOutput = said
        process.standardError = said
        process.standardInput = FileHandle.nullDevice
        let (endings, ending) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            ending.yield(process.terminationStatus)
            ending.finish()
        }
        try process.run()
        var status: Int32 = -1
        for await ended in endings { status = ended }
        try said.close()
        return (status, try workplace.text(of: "said"))
    }

    @Test("run as printed on the page", arguments: [("ci.md", 5), ("howto-plan-ci.md", 6)])
    func page(_ name: String, count: Int) async throws {
        let blocks = try Self.blocks(of: name)
        #expect(blocks.count == count)
        try await Workplace.use { workplace in
            for block in blocks {
                let (status, errors) = try await run(block, in: workplace)
                #expect(status == 0, "\(block)\n\(errors)")
            }
        }
    }

    @Test("follow a file only through programs that write each line at once")
    func buffers() throws {
        let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Docs")
        let pages = try FileManager.default.contentsOfDirectory(at: docs, includingPropertiesForKeys: nil)
        let text = try pages.filter { $0.pathExtension == "md" }.map { try String(contentsOf: $0, encoding: .utf8) }
        let pipes = text.flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("tail -") && $0.contains(" | ") }
        #expect(!pipes.isEmpty)
        let options = ["jq": "--unbuffered", "grep": "--line-buffered", "sed": "-u"]
        for pipe in pipes {
            for part in pipe.split(separator: "|") {
                let words = part.split(separator: " ")
                guard let program = words.first, let option = options[String(program)] else { continue }
                #expect(words.contains { $0 == option }, "\(pipe)")
            }
        }
    }

    @Test("fail if the app sends different events", arguments: [1, 2])
    func failing(index: Int) async throws {
        let blocks = try Self.blocks()
        try await Workplace.use { workplace in
            #expect(try await run(blocks[0], in: workplace).status == 0)
            let visit = try workplace.text(of: "visit.yaml")
            try workplace.write(
                visit.replacingOccurrences(of: "attributes: { value: 99.9 }", with: "attributes: { value: 9.99 }"),
                to: "visit.yaml"
            )
            let block = blocks[index].replacingOccurrences(of: "--within 10s", with: "--within 100ms")
            let (status, errors) = try await run(block, in: workplace)
            #expect(status == 1)
            #expect(errors.contains("FAILED  purchase where attributes.value == 99.9"), "\(errors)")
            #expect(errors.contains("purchase received with attributes.value = 9.99"), "\(errors)")
        }
    }

    @Test("fail if the app sends an event that the plan does not allow")
    func againstPlan() async throws {
        let blocks = try Self.blocks(of: "howto-plan-ci.md")
        try await Workplace.use { workplace in
            #expect(try await run(blocks[0], in: workplace).status == 0)
            let block = blocks[1].replacing("category: shoes", with: "category: coats")
            let (status, errors) = try await run(block, in: workplace)
            #expect(status == 1)
            #expect(errors.contains("FAILED  plan: 1 event not as planned"), "\(errors)")
        }
    }
}
#endif
