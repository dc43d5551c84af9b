import ClickstreamCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Process that withdraws consent, to be killed in the middle of it.
enum Withdrawal {
    static func run(_ client: ClickstreamClient, events: Int) {
        client.perform { recorder, moment in
            recorder.access.open(
                Destination(format: SecondFormat(), appID: "shop", endpoint: "http://inbox.test/second")
            )
            for number in 0..<events {
                recorder.record("tap", ["number": number], [], at: moment)
                let json = Array(#"{"event_id":"second-\#(number)"}"#.utf8)
                recorder.access.store(json, partition: nil, format: SecondFormat.name, at: moment)
            }
        }
        print("ready")
        fflush(nil)
        client.setConsent(.denied, for: .analytics)
        print("withdrawn")
        fflush(nil)
        while true { pause() }
    }
}

/// Format of the events of a second queue: that of the clickstream server, under another name.
struct SecondFormat: WireFormat {
    static let name = FormatName(rawValue: "second")
    var name: FormatName { Self.name }

    func batch(_ configuration: ClickstreamClient.Configuration) -> BatchForm {
        ClickstreamFormat().batch(configuration)
    }

    func request(for batch: Batch, _ attempt: DeliveryAttempt) -> UploadRequest {
        ClickstreamFormat().request(for: batch, attempt)
    }
}
