import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges

extension FormatFixture {
    package static let pulse = FormatFixture(
        format: .pulse,
        name: "pulse",
        nameMember: "event_type",
        configure: { settings, endpoint in settings.pulse = endpoint.map { PulseSettings(endpoint: $0) } },
        division: Division(body: #"[{"a":1},2]"#),
        summary: Summary(
            event: #"{"data":{"element":{"type":"button","class":[7]},"items_count":null}}"#,
            values: ["type=button"]
        ),
        phrased: [
            { #"{"event_type":"click","data":{"element":{"type":\#($0),"value":\#($0)}}}"# },
            { #"{"event_type":\#($0),"data":{"additional_properties":{\#($0):\#($0)}}}"# },
        ],
        sample: Sample(
            name: "click",
            event: { id, milliseconds in
                #"{"event_type":"click","event_id":"\#(id)","timestamp":\#(milliseconds),"is_background":false,"#
                    + #""data":{"metadata":{"auto_generated":true,"event_id_source":"sdk"},"connection_type":"WIFI","#
                    + #""element":{"type":"button","value":"Buy"},"parent_info":{"class":"HomeViewController"},"#
                    + #""previous_events":[],"sources_info":[]}}"#
            },
            change: (#""type":"button""#, #""type":"image""#),
            flaw: "unknown_value",
            condition: #"data.element.type == "button""#,
            line: [#"tap "Buy"  type="button""#, #"value="Buy""#]
        ),
        recording: Recording(
            encoder: {
                let encoder = PulseEncoder(connection: .mobile, previousEvents: [UniqueID(high: 3, low: 4)])
                return { encoder.encode($0) }
            },
            names: ["page_load", "page_view", "click", "scroll", "gesture", "items_impression"],
            // The clock of a script may be set back.
            findings: ["item_time"],
            texts: ["Buy"],
            hidden: ["carl"]
        ),
        script: Script(settings: "{}", visit: ["page_load", "page_view", "click"], screens: [], body: "["),
        commandLine: CommandLine(
            generated: [
                "page_load", "page_view", "click", "scroll", "gesture", "items_impression", "revenue_purchase",
            ].map { #""event_type":"\#($0)""# },
            hostileBodies: [
                "empty events", "many navigation paths", "many events of many sources", "texts for patterns",
            ],
            shortHostileBodies: ["many navigation paths"],
            invalidVariable: (
                "CLICKSTREAM_PULSE_ENDPOINT", "nowhere",
                "environment: CLICKSTREAM_PULSE_ENDPOINT must be an http "
            )
        ),
        column: .pulse
    )
}
