/// Fate of an event of an archive in the published pipeline, or of a request whose events it does not find.
package struct PipelineVerdict: Sendable, Hashable {
    package enum Fate: String, Sendable, Hashable, CaseIterable {
        /// A row of the table of events.
        case row
        /// A row that replaces one with the same `event_id` and `timestamp`, or is replaced by it, when the rows are loaded into Redshift.
        case merged
        /// A row of the table of events that cannot be read, or lack a field that each event needs.
        case corruptData = "etl_corrupted_json_data"
        /// A row of the table of events whose fields have other types than the parser expects.
        case corruptEvent = "etl_corrupted_json_clickstream"
        /// Nothing is written.
        case dropped
        /// Nothing is written, since the event has no name that the parser reads.
        case skipped
        /// The batch job ends with an error, and writes no event of its requests.
        case jobFails = "job_fails"
        /// Unknown: the request exceeds a limit of this model, not of the pipeline.
        case notJudged = "not_judged"
    }

    /// Position of the event in its request, from 0; `nil` for a request whose events the pipeline does not find.
    package var index: Int?
    package var eventID: String?
    package var name: String?
    package var timestamp: Int64?
    package var fate: Fate
    /// The code of the reason; `nil` for a row.
    package var code: String?
    /// The reason in one sentence; `nil` for a row.
    package var message: String?
    /// Codes of the findings on a row: values that the pipeline cuts, changes or leaves out. In the order of their detection, each once.
    package var changes: [String] = []

    /// The verdict on a line of an archive that is not JSON: for the pipeline a request without any field.
    package static let notJSON = unreadable(.corruptData, "the line is not JSON")

    /// The verdict on a request whose body the pipeline does not read.
    static func unreadable(_ fate: Fate, _ message: String) -> PipelineVerdict {
        PipelineVerdict(fate: fate, code: LineRule.unreadableBody.code, message: message)
    }

    /// The verdict on a request that exceeds a limit.
    package static func tooLarge(_ message: String) -> PipelineVerdict {
        PipelineVerdict(fate: .notJudged, code: LineRule.tooLarge.code, message: message)
    }
}
