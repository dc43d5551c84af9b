import ClickstreamCore
import Foundation
import Testing

/// The command `report`, run as a process against a server of the test.
@Suite("report")
struct ReportCommandTests {
    private static func reply(_ status: String, _ body: String) -> String {
        "\(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Runs a report on a server.
    /// - Returns: the outcome, and the targets of all requests.
    private func outcome(
        _ arguments: [String],
        _ reply: @escaping @Sendable (_ target: String) -> String
    ) async throws -> (run: Finished, targets: [String], url: String) {
        let targets = Locked<[String]>([])
        let server = FixedServer { target in
            targets.withLock { $0.append(target) }
            return reply(target)
        }
        defer { server.stop() }
        let url = "http://\(server.authority)"
        let run = try await Workplace.use { try await $0.run(["report"] + arguments + ["--url", url]) }
        return (run, targets.withLock { $0 }, url)
    }

    @Test(
        "sends all options to the endpoint, and prints its JSON unchanged",
        arguments: [
            (["count"], "count?by=name&limit=20"),
            (["count", "--by", "attributes.value", "-n5"], "count?by=attributes.value&limit=5"),
            (
                [
                    "count", "--name", "a b", "--session", "s", "--user", "u", "--app-id", "shop", "--device", "d",
                    "--platform", "iOS", "--app-version", "1.2", "--screen", "Cart", "--status", "bad", "--code",
                    "2003",
                    "--since", "2026-01-01", "--until", "2026-01-02",
                ],
                "count?by=name&limit=20&name=a%20b&session=s&user=u&app=shop&device=d&platform=iOS&version=1.2&screen=Cart"
                    + "&status=bad&code=2003&since=1767225600000&until=1767312000000"
            ),
            (["funnel", "view"], "funnel?step=view&per=user"),
            (
                [
                    "funnel", "view", "buy:attributes.value == 9.5", "--within", "1h", "--by", "platform", "--per",
                    "session",
                    "--limit", "3", "--app-id", "shop",
                ],
                "funnel?step=view&step=buy%3Aattributes.value%20%3D%3D%209.5&within=3600000&by=platform&per=session&limit=3"
                    + "&app=shop"
            ),
        ] as [([String], String)]
    )
    func parameters(arguments: [String], target: String) async throws {
        let body =
            arguments[0] == "count"
            ? #"{"by":"name","events":1,"users":1,"values":[{"value":"a","events":1,"users":1}],"others":null}"#
            : #"{"steps":[{"name":"view","users":1,"of_first":1.0}],"groups":[]}"#
        let (run, targets, _) = try await outcome(arguments) { _ in Self.reply("200 OK", body) }
        #expect(run == Finished(status: 0, output: body + "\n", errors: ""))
        #expect(targets == ["/api/report/\(target)"])
    }

    @Test(
        "passes on what the server refuses, and reports a collector without reports",
        arguments: [
            ("400 Bad Request", #"{"error":"by must be a field"}"#, 64, "URL rejected the query: by must be a field"),
            ("503 Service Unavailable", #"{"error":"busy"}"#, 69, "URL failed: busy"),
            (
                "404 Not Found", #"{"error":"no such path"}"#, 69,
                "URL is of an earlier version, without reports; update it, or stop it and read its store with --store FILE"
            ),
        ] as [(String, String, Int32, String)]
    )
    func refusals(status: String, body: String, exit: Int32, message: String) async throws {
        for command in [["count"], ["funnel", "view"]] {
            let (run, _, url) = try await outcome(command) { _ in Self.reply(status, body) }
            let text = message.replacing("URL", with: "the collector at \(url)")
            #expect(run == Finished(status: exit, output: "", errors: "error: \(text)\n"))
        }
    }

    @Test("reports a server that is not a collector")
    func otherServer() async throws {
        let (run, _, url) = try await outcome(["count"]) { _ in Self.reply("404 Not Found", "<html>") }
        #expect(run.status == 69)
        #expect(run.errors.hasPrefix("error: the server at \(url) is not a collector of this version: "))
    }

    @Test(
        "explains an empty result, and the next step",
        arguments: [
            (["count", "--name", "x"], "no event matches --name x; the collector at URL has 2 clickstream events"),
            (
                ["funnel", "x", "y"],
                "no event matches step 1, x; 'clickstream-cli report count' lists the names of events"
            ),
            (
                ["funnel", "a", "y", "--within", "1m"],
                "no user reaches step 2, y; check that its events come after those of step 1, or use a longer --within"
            ),
            (
                ["count", "--by", "attributes.x"],
                "no matching event has attributes.x; check its spelling, as in attributes.value"
            ),
        ] as [([String], String)]
    )
    func empty(arguments: [String], message: String) async throws {
        let (run, _, url) = try await outcome(arguments + ["--format", "human"]) { target in
            let body =
                switch target {
                case "/api/summary": #"{"events":2}"#
                case _ where target.contains("/funnel?step=x"):
                    #"{"steps":[{"name":"x","users":0},{"name":"y","users":0}],"groups":[]}"#
                case _ where target.contains("/funnel?"):
                    #"{"steps":[{"name":"a","users":1,"of_first":1},{"name":"y","users":0,"of_first":0}],"groups":[]}"#
                case _ where target.contains("name=x"): #"{"by":"name","events":0,"users":0,"values":[],"others":null}"#
                default:
                    #"{"by":"b","events":2,"users":1,"values":[{"value":null,"events":2,"users":1}],"others":null}"#
                }
            return Self.reply("200 OK", body)
        }
        #expect(run.status == 0)
        #expect(run.errors == message.replacing("URL", with: url) + "\n")
        let hasRows = message.hasPrefix("no user") || message.hasPrefix("no matching")
        #expect(run.output.isEmpty != hasRows, "\(run.output)")
    }

    @Test(
        "shows the history of a row from audit events",
        arguments: [
            (["--format", "human"], "limit=500", ["2026-11-21T08:00:00.000Z  pay  insert  carl  id 17"], nil),
            (["--format", "ndjson", "--since", "5", "--until", "9"], "since=5&until=9&limit=500", nil, nil),
            (["--format", "human", "-n1"], "limit=500", nil, "the newest 1 of 2 events; use --limit 2 for all\n"),
        ] as [([String], String, [String]?, String?)]
    )
    func row(options: [String], query: String, lines: [String]?, errors: String?) async throws {
        let element = RowHistoryTests.element(
            "write",
            #"{"a b":{"insertions":[{"id":17}]}}"#,
            #","username":"carl""#
        )
        let isCut = errors != nil
        let list = isCut ? "\(element),\(element)" : element
        let (run, targets, _) = try await outcome(["row", "a b", "17"] + options) { _ in
            Self.reply("200 OK", #"{"events":[\#(list)],"next":null}"#)
        }
        let output = lines ?? (isCut ? ["2026-11-21T08:00:00.000Z  pay  insert  carl  id 17"] : [element])
        #expect(run == Finished(status: 0, output: output.map { $0 + "\n" }.joined(), errors: errors ?? ""))
        #expect(targets == ["/api/audit?table=a%20b&key=17&\(query)"])
    }

    @Test(
        "explains that no event is about a row",
        arguments: [
            (
                #"{"events":0}"#, [],
                "no audit events received by the collector at URL; check that the app sends to it, and flushes"
            ),
            (
                #"{"events":2,"tables":[{"name":"note","events":2}]}"#, ["--since", "2026-01-01"],
                "no audit event is about row 17 of table orders and matches --since 2026-01-01T00:00:00.000Z; the collector at URL"
                    + " has 2 audit events, of the tables note; check the name of the table, and the key, which is the text of"
                    + " its key column"
            ),
        ] as [(String, [String], String)]
    )
    func noRow(summary: String, options: [String], message: String) async throws {
        let (run, _, url) = try await outcome(["row", "orders", "17", "--format", "json"] + options) { target in
            Self.reply("200 OK", target == "/api/audit/summary" ? summary : #"{"events":[],"next":null}"#)
        }
        let output = #"{"table":"orders","key":"17","events":[]}"# + "\n"
        #expect(run == Finished(status: 0, output: output, errors: message.replacing("URL", with: url) + "\n"))
    }

    @Test(
        "refuses invalid usage",
        arguments: [
            (["count", "--limit", "0"], "--limit must be an integer from 1, not 0"),
            (["count", "--by", ""], "--by is empty; name a field, or leave it out"),
            (["count", "--store", ""], "--store is empty; name a file, or leave it out"),
            (
                ["count", "--store", "a.sqlite", "--url", "http://127.0.0.1:1"],
                "--url and --store cannot be combined; leave out one of them"
            ),
            (["count", "--code", "2030"], "unknown error code '2030'; did you mean '2003'?"),
            (["funnel"], "missing argument <step> ..."),
            (["funnel", "a", ""], "a step is empty; name an event, such as purchase"),
            (["funnel", "a", "--limit", "3"], "--limit needs --by: it limits the number of groups"),
            (["funnel", "a", "--within", "5"], "--within needs a unit, such as 5s or 5m"),
            (["user", ""], "the id is empty; name a user id or a unique id"),
            (["row", "orders"], "missing argument <key>"),
            (["row", "", "17"], "the table is empty; name a table"),
            (["row", "orders", ""], "the key is empty; pass the key of a row as text"),
            (["row", "orders", "17", "-n0"], "--limit must be an integer from 1, not 0"),
            (["crashes", "--name", "x"], "--name cannot be used: crashes are events _app_exception"),
            (["cuont"], "unknown command 'report cuont'; did you mean 'report count'?"),
        ] as [([String], String)]
    )
    func usage(arguments: [String], message: String) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(["report"] + arguments)
            #expect(run.errors.split(separator: "\n").first == "error: \(message)"[...])
            #expect((run.status, run.output) == (64, ""))
        }
    }
}
