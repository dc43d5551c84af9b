import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges

extension FormatFixture {
    package static let contentsquare = FormatFixture(
        format: .contentsquare,
        name: "contentsquare",
        nameMember: "ea",
        configure: { settings, endpoint in
            settings.contentsquare = endpoint.map { endpoint in
                ContentsquareSettings(endpoint: endpoint, projectID: 8, timeZone: "Europe/Paris", density: 3)
            }
        },
        division: Division(body: #"{"pid":8,"pl":[{"a":1},2]}"#, header: #"{"pid":8}"#),
        summary: Summary(
            event: #"{"tvp":"[root]","tr":{"vl":2.5},"k":"a"}"#,
            values: ["target=[root]", "value=2.5", "key=a"]
        ),
        phrased: [
            { #"{"ea":10,"tvp":\#($0),"fd":\#($0)}"# }, { #"{"ea":4,"st":\#($0),"cv":{"1":{\#($0):\#($0)}}}"# },
        ],
        sample: Sample(
            name: "flick",
            header: #"{"pid":8,"uid":"ac1529a7-59f6-49d9-b254-6f0a22f57284","dt":4,"os":"13.1","l":"en_US","#
                + #""tz":"Europe/Paris","now":1522159618000,"to":{"an":"shop","st":"sdk-ios","sf":"release"},"#
                + #""r":{"w":1080,"h":1920,"d":1.5}}"#,
            event: { id, milliseconds in
                #"{"upt":1522,"euid":"\#(id)","url":"app-ios://shop/Home?title=Home","scn":0,"c":1,"o":0,"#
                    + #""vo":{"sv":"1.1.0","sb":4,"av":"2","af":"release","ab":1},"sn":3,"t":\#(milliseconds),"#
                    + #""ea":10,"tvp":"[root]>UIView:eq(0)","tvid":"photo","fd":3,"tvd":260,"tvv":740}"#
            },
            change: (#""tvv":740"#, #""tvv":99"#),
            flaw: "gesture_class",
            condition: "tvv == 740",
            line: ["velocity=740"]
        ),
        recording: Recording(
            launch: ["0", "1"],
            hasTouches: true,
            encoder: {
                var encoder = ContentsquareEncoder()
                let context = ContentsquareContext(
                    appID: "shop",
                    device: ClickstreamClient.Device(
                        platform: "iOS",
                        networkType: "WIFI",
                        screenWidth: 393,
                        screenHeight: 852
                    ),
                    session: Session(
                        number: 1,
                        uniqueID: "dc7a7a18",
                        at: Moment(wall: Timestamp(milliseconds: 1_000_000), steady: 0)
                    )
                )
                return { encoder.encode($0, in: context) }
            },
            names: ["tap", "flick"],
            // A drag of 48.5 dp has the truncated distance 48.
            findings: ["gesture_threshold"],
            texts: [#""tvp""#],
            hidden: ["Buy", "carl"]
        ),
        script: Script(
            settings: "{ projectId: 8 }",
            visit: ["0", "1", "4", "6", "2"],
            screens: ["0", "1", "4", "4", "2"],
            body: #"{"pid":1,"uid":""#
        ),
        commandLine: CommandLine(
            generated: ["0}", "1}", "2}", "4,", "6,", "8,", "10,", "16,", "19,"].map { #""ea":"# + $0 },
            hostileBodies: ["long header of many events", "header of many members", "combining marks"],
            shortHostileBodies: ["header of many members"],
            invalidVariable: (
                "CLICKSTREAM_CONTENTSQUARE_ENDPOINT", "http://127.0.0.1:1/c", "'contentsquare.projectId' is missing: "
            )
        ),
        column: .contentsquare
    )
}
