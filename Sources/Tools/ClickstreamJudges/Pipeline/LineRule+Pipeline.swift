/// Reasons why the published pipeline writes no row for an event of an archive, beside the findings on the event itself. Their codes begin
/// with `etl_`, like those of ``ServerRule``.
///
/// Source: the published pipeline's cleaner, parser and enrichment.
extension LineRule {
    package static let pipeline = [unreadableBody, noIngestTime, noAppID, otherApp, noURI, misread, robot, tooLarge]

    static let unreadableBody = pipelineRule(
        code: "etl_unreadable_body",
        title: "Body of a request that is not read",
        meaning:
            "The pipeline reads a body that is a JSON array, or base64 of gzip of one. It loses the events of any other body: most "
            + "without a trace, since it cannot read its own message about them either, and the others as one row of "
            + "etl_corrupted_json_data.",
        fix:
            "Send a JSON array of objects; `clickstream-cli collect` shows what is wrong with a body when it is received."
    )

    static let noIngestTime = pipelineRule(
        code: "etl_no_ingest_time",
        title: "Request without its time",
        meaning:
            "The pipeline needs the ingest_time of a request as an integer. Without it the whole batch job ends with an error.",
        fix:
            "Remove the line, or add ingest_time in milliseconds since 1970; the published server and `collect --archive` write it."
    )

    static let noAppID = pipelineRule(
        code: "etl_no_app_id",
        title: "Request without appId",
        meaning:
            "The pipeline drops the events of a request whose query has no appId, whatever the app_id of the events is.",
        fix: "Send the app id in the parameter appId of each request."
    )

    static let otherApp = pipelineRule(
        code: "etl_other_app",
        title: "Event of another app",
        meaning:
            "The pipeline drops an event whose app_id is empty, or not exactly one of the apps that are configured: with `validate "
            + "--archive`, those of --app-id.",
        fix: "Send the app id assigned by the server's administrator, in the same case."
    )

    static let noURI = pipelineRule(
        code: "etl_no_uri",
        title: "Request without its address",
        meaning: "The pipeline reads parameters of the uri of a request. Without one it stores the events as corrupt.",
        fix: "Add the uri with its query to the line; the published server and `collect --archive` write it."
    )

    static let misread = pipelineRule(
        code: "etl_misread",
        title: "Fields that are misread after an array or an object",
        meaning:
            "After an array or an object in a field for a single value the pipeline takes the end of the attributes for the end of "
            + "the event, and reads no field behind them: without its event_type it skips the event, without its timestamp it stores it as "
            + "corrupt.",
        fix: "Send a single value; put arrays and objects into custom attributes, which may be any JSON value."
    )

    static let robot = pipelineRule(
        code: "etl_robot",
        title: "Request of a robot",
        meaning:
            "The pipeline drops the events of requests whose User-Agent is that of a robot: one that contains bot, crawl, spider or "
            + "slurp among its first 101 characters. It has further names.",
        fix: "Give the program another name, or set its User-Agent."
    )

    static let tooLarge = pipelineRule(
        code: "etl_too_large",
        title: "Request that is not judged",
        meaning:
            "The request exceeds a limit of this command, which the pipeline does not have: 64 MiB of a line or a body, 100 000 events, or "
            + "127 nested arrays and objects in an event.",
        fix: "Send smaller requests."
    )

    private static func pipelineRule(code: String, title: String, meaning: String, fix: String) -> LineRule {
        LineRule(code: code, title: title, meaning: meaning, fix: fix, checkers: "validate --archive")
    }
}
