#if Collector
import ClickstreamCollector
import ClickstreamCore
import Foundation
import Testing

/// The commands that read captured events, run as processes against a collector in this one.
@Suite("Captured events on the command line")
struct CapturedCommandTests {
    private func click(_ number: Int, value: String = "Buy", type: String = "button") -> String {
        #"{"event_type":"click","event_id":"\#(id(number))","timestamp":\#(SystemTime().now().wall.milliseconds - 1_000),"#
            + #""is_background":false,"data":{"metadata":{"auto_generated":true,"event_id_source":"sdk"},"#
            + #""connection_type":"WIFI","element":{"type":"\#(type)","value":"\#(value)"},"#
            + #""parent_info":{"class":"HomeViewController"},"previous_events":[],"sources_info":[]}}"#
    }

    private func flick(_ number: Int, velocity: Int = 740) -> String {
        #"{"upt":1522,"euid":"\#(id(number))","url":"app-ios://shop/Home?title=Home","scn":0,"c":1,"o":0,"#
            + #""vo":{"sv":"1.1.0","sb":4,"av":"2","af":"release","ab":1},"sn":3,"#
            + #""t":\#(SystemTime().now().wall.milliseconds - 1_000),"ea":10,"tvp":"[root]>UIView:eq(0)","tvid":"photo","#
            + #""fd":3,"tvd":260,"tvv":\#(velocity)}"#
    }

    private func batch(_ events: [String]) -> String {
        #"{"pid":8,"uid":"ac1529a7-59f6-49d9-b254-6f0a22f57284","dt":4,"os":"13.1","l":"en_US","tz":"Europe/Paris","#
            + #""now":1522159618000,"to":{"an":"shop","st":"sdk-ios","sf":"release"},"r":{"w":1080,"h":1920,"d":1.5},"#
            + #""pl":[\#(events.joined(separator: ","))]}"#
    }

    private func id(_ number: Int) -> String {
        String(format: "FD8AF18C-B0EA-430A-A701-%012X", number)
    }

    private func post(_ text: String, _ path: String, to collector: Collector) async throws {
        #expect(try await WireEvents.post(text, to: collector.baseURL + path) == 200)
    }

    /// Stores an event of each format, and a bad one.
    private func fill(_ collector: Collector) async throws {
        try await WireEvents.send([WireEvents.event("purchase", id: "1")], to: collector.endpoint)
        try await post("[\(click(1)),\(click(2, type: "image"))]", "/pulse", to: collector)
        try await post(batch([flick(1)]), "/contentsquare", to: collector)
    }

    @Test("tail shows events of all formats, or of one, in the order of arrival")
    func tail() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await fill(collector)
                func tail(_ arguments: String...) async throws -> Finished {
                    try await workplace.run(["tail", collector.baseURL, "--format", "logfmt"] + arguments)
                }
                func names(_ run: Finished) -> [String] {
                    run.lines.map { line in
                        let pairs = line.split(separator: " ").filter { $0.hasPrefix("form=") || $0.hasPrefix("name=") }
                        return pairs.map { $0.split(separator: "=").last ?? "" }.joined(separator: " ")
                    }
                }
                let all = ["purchase", "pulse click", "pulse click", "contentsquare flick"]
                #expect(names(try await tail()) == all)
                #expect(names(try await tail("-n", "2")) == all.suffix(2))
                #expect(names(try await tail("--form", "clickstream")) == ["purchase"])
                #expect(names(try await tail("--form", "pulse", "-n", "1")) == ["pulse click"])
                #expect(names(try await tail("--form", "contentsquare")) == ["contentsquare flick"])
                #expect(names(try await tail("--status", "bad")) == ["pulse click"])
                #expect(names(try await tail("--name", "flick")) == ["contentsquare flick"])
                #expect(names(try await tail("--session", "s-1")) == ["purchase"])
                let refused = try await tail("--form", "pulse", "--user", "u-1")
                #expect(refused.status == 64 && refused.errors.contains("captured events have neither"))

                let human = try await workplace.run("tail", collector.baseURL, "--format", "human")
                for part in ["type=\"button\"", "value=\"Buy\"", "pulse_unknown_value  Unknown value", "velocity=740"] {
                    #expect(human.output.contains(part), "\(human.output)")
                }
                let json = try await workplace.run("tail", collector.baseURL, "--format", "json", "-n", "1")
                let element = try JSONReader.parse(Array(json.output.utf8))
                #expect(element["form"]?.string == "contentsquare" && element["header"]?["pid"]?.integer == 8)
            }
        }
    }

    @Test("tail continues with new captured events")
    func follow() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await fill(collector)
                let tail = try workplace.start(["tail", collector.baseURL, "--follow", "--format", "json"])
                #expect(try await tail.wait { tail.outputSoFar.split(separator: "\n").count == 4 })
                try await post("[\(click(3))]", "/pulse", to: collector)
                try await WireEvents.send([WireEvents.event("tap", id: "2")], to: collector.endpoint)
                #expect(try await tail.wait { tail.outputSoFar.split(separator: "\n").count >= 6 })
                tail.send(SIGTERM)
                let lines = try await tail.finish().output.split(separator: "\n")
                let sequences = try lines.map { try JSONReader.parse(Array($0.utf8))["seq"]?.integer ?? 0 }
                #expect(sequences == [1, 3, 4, 6, 8, 10])
            }
        }
    }

    @Test(
        "assert counts the events of a format after --form",
        arguments: [
            (["--form", "pulse", "--event", "click:2"], 0), (["--form", "pulse", "--event", "click:1"], 1),
            (["--form", "pulse", "--event", "flick"], 1), (["--event", "click:0"], 0),
            (["--event", "purchase", "--form", "contentsquare", "--event", "flick:1"], 0),
            (["--form", "pulse", "--event", "click", "--form", "clickstream", "--event", "purchase"], 0),
            (["--form", "pulse", "--event", "click:1", "--where", "data.element.type == \"button\""], 0),
            (["--form", "contentsquare", "--event", "flick", "--where", "tvv == 740"], 0),
            (["--no-errors"], 1), (["--no-duplicates"], 0), (["--form", "pulse"], 64),
            (["--form", "plus", "--event", "click"], 64), (["--form", "pulse", "--event", "click", "--user", "u"], 64),
        ] as [([String], Int32)]
    )
    func asserts(_ arguments: [String], _ status: Int32) async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                try await fill(collector)
                let run = try await workplace.run(["assert", collector.baseURL] + arguments)
                #expect(run.status == status, "\(run.output) \(run.errors)")
            }
        }
    }

    @Test("assert waits for captured events, and finds duplicates and unreadable requests")
    func waits() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                let arguments = [
                    "assert", collector.baseURL, "--form", "pulse", "--event", "click:2", "--within", "60s",
                ]
                let waiting = try workplace.start(arguments)
                try await post("[\(click(1))]", "/pulse", to: collector)
                try await post("[\(click(2))]", "/pulse", to: collector)
                #expect(try await waiting.finish().status == 0)
                try await post(
                    "[\(click(2).replacing(/"timestamp":\d+/, with: "\"timestamp\":1522159618000"))]",
                    "/pulse",
                    to: collector
                )
                #expect(try await workplace.run("assert", collector.baseURL, "--no-errors").status == 0)
                try await post("nonsense", "/contentsquare", to: collector)
                #expect(try await workplace.run("assert", collector.baseURL, "--no-errors").status == 1)
                let same = click(7)
                try await post("[\(same),\(same)]", "/pulse", to: collector)
                #expect(try await workplace.run("assert", collector.baseURL, "--no-duplicates").status == 1)
                let since = ["assert", collector.baseURL, "--no-duplicates", "--since", "1h"]
                #expect(try await workplace.run(since).status == 1)
            }
        }
    }

    @Test("validate checks captured events and request bodies, line by line")
    func validate() async throws {
        try await Workplace.use { workplace in
            let bad = click(2, type: "image")
            try workplace.write(
                [click(1), bad, "[\(click(1)),\(bad)]", "{"].joined(separator: "\n"),
                to: "pulse.ndjson"
            )
            let pulse = try await workplace.run("validate", "pulse.ndjson", "--form", "pulse", "--format", "ndjson")
            let findings = try pulse.lines.map { try JSONReader.parse(Array($0.utf8)) }
            #expect(pulse.status == 1)
            #expect(findings.map { $0["line"]?.integer } == [2, 3, 4])
            #expect(findings.map { $0["code"]?.string }.prefix(2) == ["pulse_unknown_value", "pulse_unknown_value"])
            #expect(findings.map { $0["name"]?.string }.prefix(2) == ["data.element.type", "[1].data.element.type"])

            let lines = [flick(1), batch([flick(1), flick(2)]), batch([flick(1, velocity: 99)])]
            try workplace.write(lines.joined(separator: "\n"), to: "cs.ndjson")
            let other = try await workplace.run("validate", "cs.ndjson", "--form", "contentsquare", "--format", "human")
            #expect(other.status == 1)
            #expect(other.output.contains("cs.ndjson:3: error: \"tvv\" is 99; a flick has at least 100 dp/s"))
            #expect(other.output.contains("3 events: 1 error in 1 event"), "\(other.output)")
            let explained = try await workplace.run("explain", "contentsquare_gesture_class")
            #expect(explained.status == 0 && explained.output.contains("Gesture class"))
        }
    }

    @Test(
        "generate prints captured events of the real encoders, the same for the same seed",
        arguments: ["pulse", "contentsquare"]
    )
    func generateDryRun(_ form: String) async throws {
        try await Workplace.use { workplace in
            let arguments = ["generate", "--dry-run", "--events", "600", "--users", "3", "--form", form]
            let run = try await workplace.run(arguments)
            #expect(run.status == 0, "\(run.errors)")
            #expect(try await workplace.run(arguments) == run)
            try workplace.write(run.output, to: "events.ndjson")
            let validation = try await workplace.run("validate", "events.ndjson", "--form", form, "--format", "ndjson")
            #expect(validation.status == 0, "\(validation.output.prefix(2_000))")
            let names =
                form == "pulse"
                ? ["page_load", "page_view", "click", "scroll", "gesture", "items_impression", "revenue_purchase"].map {
                    "\"event_type\":\"\($0)\""
                } : ["0}", "1}", "2}", "4,", "6,", "8,", "10,", "16,", "19,"].map { "\"ea\":\($0)" }
            for name in names { #expect(run.output.contains(name), "\(name)") }
        }
    }

    @Test("generate delivers captured events of both formats, and all of them are good")
    func generate() async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run([
                "generate", "--events", "400", "--rate", "max", "--users", "2", "--form", "pulse", "--form",
                "contentsquare", "--duplicate", "0.2", "--format", "ndjson",
            ])
            #expect(run.status == 0, "\(run.errors)")
            let report = try JSONReader.parse(Array((run.lines.last ?? "").utf8))
            for form in ["pulse", "contentsquare"] {
                let count = try #require(report["captured"]?[form]?.integer)
                let stored = try #require(report["captured_stored"]?[form])
                #expect(count > 20)
                #expect(stored["events"]?.integer == count && stored["good_events"]?.integer == count)
            }
            #expect(report["events"]?.integer == 400 && report["undelivered"]?.integer == 0)
            #expect(report["stored"]?["events"]?.integer == 400)
        }
    }

    @Test("collect keeps every answered captured event when it is killed", arguments: ["pulse", "contentsquare"])
    func kill(_ form: String) async throws {
        try await Workplace.use { workplace in
            let arguments = ["collect", "--port", "0", "--store", "store.sqlite", "--format", "ndjson"]
            let running = try workplace.start(arguments)
            #expect(try await running.wait { running.outputSoFar.contains("\n") })
            let place = try JSONReader.parse(Array(running.outputSoFar.prefix { $0 != "\n" }.utf8))
            let base = try #require(place["url"]?.string)
            var answered = 0
            for number in 0..<40 {
                let text = form == "pulse" ? "[\(click(number))]" : batch([flick(number)])
                if try await WireEvents.post(text, to: "\(base)/\(form)") == 200 { answered += 1 }
            }
            running.send(SIGKILL)
            _ = try await running.finish()
            #expect(answered == 40)
            let again = try await workplace.run(arguments + ["--once", "40"])
            #expect(again.status == 0, "\(again.errors)")
            let summary = try JSONReader.parse(Array((again.lines.last ?? "").utf8))
            #expect(summary["captured"]?[form]?["good_events"]?.integer == 40)
        }
    }

    @Test("collect counts captured events, and checks them at the end")
    func collect() async throws {
        try await Workplace.use { workplace in
            let script = """
                curl -sf -d '[\(click(1)),\(click(2))]' "${CLICKSTREAM_ENDPOINT%/collect}/pulse"
                curl -sf -d '\(batch([flick(1), flick(2)]))' "${CLICKSTREAM_ENDPOINT%/collect}/contentsquare"
                """
            try workplace.write(script, to: "send.bash")
            for (arguments, status, bad) in [
                (["--form", "pulse", "--event", "click:2", "--no-errors"], 0, 0),
                (["--batch-size", "1", "--no-errors"], 1, 1),
            ] as [([String], Int32, Int)] {
                let run = try await workplace.run(
                    ["collect", "--port", "0", "--format", "ndjson"] + arguments + ["--", "bash", "send.bash"]
                )
                #expect(run.status == status, "\(run.errors)")
                let summary = try JSONReader.parse(Array((run.lines.last ?? "").utf8))
                #expect(summary["captured"]?["pulse"]?["good_events"]?.integer == 2)
                #expect(summary["captured"]?["contentsquare"]?["bad_events"]?.integer == Int64(bad))
                #expect(summary["events"]?.integer == 0)
            }
        }
    }
}
#endif
