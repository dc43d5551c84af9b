import ClickstreamCore
import ClickstreamJudges

/// Judges one line of events of a captured form: an event, or a request body.
enum CapturedLineJudge {
    /// Returns the findings in a line. Names of findings in a body begin with the index of their event.
    ///
    /// The last finding of an event has the number of those that are not listed. The events of a body list as many findings
    /// as the collector does.
    static func findings(on line: LineReader.Line, _ form: CapturedFormat) -> [LineFinding] {
        guard let bytes = line.bytes else { return [LineJudge.tooLong(line)] }
        do throws(JSONError) {
            // An object or array that is no body is judged as an event.
            if CapturedBody.isBody(try JSONReader.parse(bytes[...], within: CapturedJudge.bounds).value, form),
                let body = try? CapturedBody(bytes, form: form)
            {
                return try findings(in: body, form)
            }
            var judge = CapturedJudge(form, receivedAt: nil)
            var budget = FindingBudget(body: bytes.count)
            return try findings(on: bytes[...], &judge, &budget)
        } catch {
            return [LineJudge.notJSON(line, bytes, error)]
        }
    }

    private static func findings(in body: CapturedBody, _ form: CapturedFormat) throws(JSONError) -> [LineFinding] {
        var judge = CapturedJudge(form, header: body.header, receivedAt: nil)
        var budget = FindingBudget(body: body.bytes.count)
        var all: [LineFinding] = []
        for (index, range) in body.ranges.enumerated() {
            for var found in try findings(on: body.bytes[range], &judge, &budget) {
                found.finding.name = "[\(index)].\(found.finding.name)"
                all.append(found)
            }
        }
        return all
    }

    private static func findings(
        on event: ArraySlice<UInt8>,
        _ judge: inout CapturedJudge,
        _ budget: inout FindingBudget
    ) throws(JSONError) -> [LineFinding] {
        let (value, omitted) = try JSONReader.parse(event, within: CapturedJudge.bounds)
        let verdict = judge.judge(value, omitted: omitted, maxListed: budget.maxListed)
        budget.take(verdict.findings)
        var findings = verdict.findings.map { LineFinding(finding: $0) }
        if let last = findings.indices.last { findings[last].unlisted = verdict.unlisted }
        return findings
    }
}
