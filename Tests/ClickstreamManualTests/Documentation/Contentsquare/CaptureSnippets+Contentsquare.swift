import Clickstream
import ClickstreamCapture
import ClickstreamCore
import ClickstreamSimulation
import Testing

extension CaptureSnippets {
    @Test("the landing page enables all formats")
    func landingPage() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            // snippet
            try ClickstreamAnalytics.initSDK()
            guard let client = ClickstreamAnalytics.client else { return }

            let capture = Capture(
                client: client,
                configuration: CaptureConfiguration(
                    autoEvents: [.viewController, .buttonClick, .scroll],
                    pulse: PulseSettings(endpoint: "https://example.com/pulse"),
                    contentsquare: ContentsquareSettings(endpoint: "https://example.com/contentsquare", projectID: 8)
                )
            )
            // end
            capture.appear(home)
        }
        try recorder.expectOrder("_app_start", "_screen_load", "_screen_view")
        let formats = recorder.notices.compactMap { notice -> FormatName? in
            if case .captured(let format, _) = notice { format } else { nil }
        }
        #expect(Set(formats) == [.pulse, .contentsquare])
    }
}
