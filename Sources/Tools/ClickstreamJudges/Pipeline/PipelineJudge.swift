package import ClickstreamCore

/// Model of the published pipeline, from its archive to its table of events, which decides whether an event becomes a row.
///
/// The steps have the order of the published cleaner, parser and enrichment, so that of several reasons it is the first that counts. The
/// judge remembers the id and time of each row, to find those that are merged.
package struct PipelineJudge: Sendable {
    /// The apps that the pipeline is configured for; empty for all.
    package var appIDs: Set<ExactText> = []
    /// The age up to which events are not stale, in milliseconds.
    package var freshness = ServerRule.freshness
    /// The time of the batch job: later events are from the future.
    package var now: Timestamp

    private var rows: Set<Row> = []

    private struct Row: Hashable {
        /// Hash of the app and the id.
        var id: Int
        var time: Int64
    }

    /// End of an event on its way to the table.
    struct Exit: Error, Hashable {
        var fate: PipelineVerdict.Fate
        var code: String
        var message: String

        init(_ fate: PipelineVerdict.Fate, _ code: String, _ message: String) {
            self.fate = fate
            self.code = code
            self.message = message
        }
    }

    package init(now: Timestamp) {
        self.now = now
    }

    /// Returns a verdict on each event of a request, or one on the request if the pipeline does not find its events.
    package mutating func judge(_ request: ArchivedRequest) -> [PipelineVerdict] {
        guard let data = request.data else { return [.unreadable(.corruptData, "the request has no data")] }
        let text: ReceivedUpload.Events.Text
        do throws(ReceivedUpload.Flaw) {
            text = try ReceivedUpload.Events.text(of: Array(data.utf8))
        } catch {
            if error.reason == .inflationLimit { return [.tooLarge(error.detail)] }
            return [.unreadable(Self.isTraced(error, in: data) ? .corruptData : .dropped, error.detail)]
        }
        let events: ReceivedUpload.Events
        do throws(ReceivedUpload.Flaw) {
            events = try ReceivedUpload.Events(text)
        } catch {
            let isDeep = JSONReader.syntaxError(in: text.bytes, text.range)?.kind == .depthExceeded
            if isDeep || error.reason == .tooMany { return [.tooLarge(error.detail)] }
            return [.unreadable(.dropped, error.detail)]
        }
        let isRobot = Self.isRobot(request.userAgent)
        return events.lines.enumerated().map { index, text in
            // Cannot fail: the ranges were found by a parser.
            let event = (try? JSONReader.parse(text)) ?? JSONValue(.null)
            return verdict(on: event, at: index, of: request, isRobot: isRobot)
        }
    }

    private mutating func verdict(
        on element: JSONValue,
        at index: Int,
        of request: ArchivedRequest,
        isRobot: Bool
    ) -> PipelineVerdict {
        // A text that is the JSON of an event is read as one.
        let event = element.string.flatMap { try? JSONReader.parse(Array($0.utf8)[...]) } ?? element
        let fields = PipelineEvent(event)
        let shift = shift(of: fields, in: request)
        var verdict = PipelineVerdict(
            index: index,
            eventID: fields.id,
            name: fields.name,
            timestamp: fields.timestamp,
            fate: .row
        )
        do throws(Exit) {
            try fields.checkSchema()
            try check(fields, of: request)
            try fields.parse(hasURI: request.hasURI)
            try fields.checkTimes(movedBy: shift)
            if isRobot {
                throw Exit(.dropped, LineRule.robot.code, "the User-Agent of the request is that of a robot")
            }
        } catch {
            verdict.fate = error.fate
            verdict.code = error.code
            verdict.message = error.message
            return verdict
        }
        let row = Row(id: fields.keyHash, time: (fields.timestamp ?? 0) &+ shift)
        if !rows.insert(row).inserted { verdict.fate = .merged }
        // That rule decides a fate, which is known here.
        var codes: Set<String> = [ServerRule.timeRange.code]
        verdict.changes = WireJudge.judge(fields.seen, receivedAt: nil).map(\.code).filter { code in
            code.hasPrefix("etl_") && codes.insert(code).inserted
        }
        return verdict
    }

    /// Milliseconds by which the job moves an event that it does not drop although it is from the future: to the reception of its request.
    private func shift(of event: PipelineEvent, in request: ArchivedRequest) -> Int64 {
        guard let time = event.timestamp, time > now.milliseconds, let received = request.ingestTime else { return 0 }
        return received &- time
    }

    /// The cleaner: it drops events by their time and app.
    private func check(_ event: PipelineEvent, of request: ArchivedRequest) throws(Exit) {
        guard let received = request.ingestTime else {
            throw Exit(.jobFails, LineRule.noIngestTime.code, "the request has no ingest_time that is an integer")
        }
        if !event.isTimeless, let time = event.timestamp {
            if time > now.milliseconds {
                throw Exit(.dropped, ServerRule.future.code, "the event is later than the batch job")
            }
            if received &- time > freshness {
                let age = ReadableDuration(milliseconds: received &- time)
                throw Exit(.dropped, ServerRule.stale.code, "the event was received \(age) after it happened")
            }
        }
        guard let app = event.appID, !app.allSatisfy(\.isWhitespace) else {
            throw Exit(.dropped, LineRule.otherApp.code, "the app_id of the event is empty, or an array or object")
        }
        if !appIDs.isEmpty, !appIDs.contains(ExactText(app)) {
            throw Exit(
                .dropped,
                LineRule.otherApp.code,
                "the app \"\(Characters.reported(app))\" is not configured"
            )
        }
        if request.appID?.isEmpty ?? true {
            throw Exit(.dropped, LineRule.noAppID.code, "the query of the request has no appId")
        }
    }

    /// True if a body without the text of an array leaves a row: its error message is JSON itself, without escapes. A body that is empty
    /// after decompression leaves nothing.
    private static func isTraced(_ flaw: ReceivedUpload.Flaw, in data: String) -> Bool {
        if flaw.reason == .empty, data.utf8.contains(where: { $0 > 0x20 }) { return false }
        return data.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}

// MARK: - Robots

extension PipelineJudge {
    /// Names of robots that the published list has before phones and the programs of Apple's platforms.
    private static let mobileRobots = [
        "bot/", "bots/", "bot.html", "spider.html", "bot-mobile", "petalbot", "aspiegelbot", "bingpreview",
    ]
    /// Words of robots of any other kind.
    private static let robots = [
        "bot", "crawl", "spider", "slurp", "scraper", "scrapy", "archiver", "indexer", "yahoo", "silk", "python-urllib",
        "winhttp",
        "facebookexternalhit", "whatsapp",
    ]

    /// True for a User-Agent of a robot, as far as ``LineRule/robot`` has its name.
    static func isRobot(_ agent: String?) -> Bool {
        guard let agent else { return false }
        let beginning = agent.prefix(255).lowercased()
        let isPhone = ["iphone", "ipad", "android"].contains { beginning.contains($0) }
        let isApple = beginning.contains("cfnetwork/") && beginning.contains("darwin/")
        if isPhone || isApple { return isPhone && mobileRobots.contains { beginning.contains($0) } }
        return robots.contains { beginning.prefix(100 + $0.count).contains($0) }
    }
}
