import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges
import ClickstreamSimulation
import FormatFixtures
import Testing

@Suite("Privacy of capture")
struct CapturePrivacyTests {
    private static let secret = "4111 1111"

    /// Element whose text must not be captured.
    struct Hidden: Sendable, CustomTestStringConvertible {
        var reason: String
        var element: Capture.Element
        var parent: Capture.Element?
        var page = CaptureDevice.detail
        var testDescription: String { reason }

        init(
            _ reason: String,
            parent: Capture.Element? = nil,
            isPageMasked: Bool = false,
            className: String = "UIButton",
            change: (inout Capture.Element) -> Void = { _ in }
        ) {
            self.reason = reason
            self.parent = parent
            element = Capture.Element(
                id: InstanceID(10),
                className: className,
                type: .button,
                content: .text(CapturePrivacyTests.secret),
                localizedKey: CapturePrivacyTests.secret,
                frame: Capture.Frame(x: 0, y: 0, width: 100, height: 40),
                responds: true
            )
            change(&element)
            page.isMasked = isPageMasked
            if isPageMasked { page.title = CapturePrivacyTests.secret }
        }

        var path: Capture.ElementPath {
            Capture.ElementPath(
                page: page.id,
                links: [parent, element].compactMap { $0.map { .init($0, ordinal: 0) } }
            )
        }
    }

    static let hidden = [
        Hidden("secure") { $0.isSecure = true },
        Hidden("masked") { $0.masking = .instance },
        Hidden("in a masked subtree", parent: Capture.Element(className: "UIView", masking: .subtree)),
        Hidden("of a masked class", className: "CardLabel"),
        Hidden("on a masked page", isPageMasked: true),
        Hidden("opted out") { $0.optBehavior = .autoOptOut },
        Hidden("of an opted-out class", className: "CardButton"),
        Hidden("a cell with a secure label") { cell in
            cell.type = .tableViewCell
            cell.children = [Capture.Element(className: "UILabel", content: cell.content, isSecure: true)]
            cell.content = .none
            cell.localizedKey = nil
        },
        Hidden("entered text", change: { $0.content = .input(length: 9) }),
    ]

    @Test("has no format, request or file with the text of an element that is hidden", arguments: hidden)
    func secrets(hidden: Hidden) async throws {
        var hidden = hidden
        if case .input = hidden.element.content { hidden.element.localizedKey = nil }
        let device = try CaptureDevice { settings in
            settings.classRules = ClassRules(optBehavior: ["CardButton": .autoOptOut], masked: ["CardLabel"])
        }
        let (capture, path) = (device.capture, hidden.path)
        capture.appear(CaptureDevice.home)
        capture.appear(hidden.page)
        capture.click(path)
        capture.gesture(.tap(at: Capture.Point(x: 1, y: 1), fingers: 1), on: path)
        capture.touch(Capture.Touch(.down, at: Capture.Point(x: 1, y: 1))) { _ in path }
        capture.touch(Capture.Touch(.up, at: Capture.Point(x: 1, y: 1))) { _ in path }
        let disk = device.recorder.disk
        var contents = disk.paths.compactMap { disk[$0] }
        device.client.background()
        contents += disk.paths.compactMap { disk[$0] }
        for notice in device.recorder.notices {
            switch notice {
            case .recorded(_, _, let line, _), .captured(_, let line): contents.append(line)
            default: contents.append(Array(notice.description.utf8))
            }
        }
        #expect(contents.count > 10)
        #expect(contents.contains { $0.contains(Array("HomeViewController".utf8)) })
        let secret = Array(Self.secret.utf8)
        for content in contents {
            #expect(!content.contains(secret), "\(String(decoding: content, as: UTF8.self))")
        }
    }

    @Test("has no element value and no user in the formats whose documents have none")
    func formats() async throws {
        let device = try CaptureDevice()
        device.client.setUserID("carl")
        await device.showPages()
        let path = device.path("UIButton", .button, .text("Buy"))
        let count = device.recorder.notices.count
        device.capture.click(path)
        await device.touch(0, in: 80)
        let events = device.events(since: count)
        func text(_ format: CapturedFormat) -> String {
            events.filter { $0.format == format }.map { $0.event.description }.joined()
        }
        #expect(text(.clickstream).contains("carl") && text(.clickstream).contains("Buy"))
        for fixture in FormatFixture.all {
            let text = text(fixture.format)
            #expect(fixture.recording.texts.allSatisfy { text.contains($0) }, "\(fixture): \(text)")
            #expect(fixture.recording.hidden.allSatisfy { !text.contains($0) }, "\(fixture): \(text)")
        }
    }

    @Test("records nothing of input while recording is disabled")
    func disabled() async throws {
        let device = try CaptureDevice()
        await device.showPages()
        device.client.disable()
        let count = device.recorder.notices.count
        device.capture.appear(CaptureDevice.home)
        device.capture.click(device.path("UIButton", .button, .text("Buy")))
        await device.touch(0, in: 80)
        device.capture.revenue(.purchase)
        #expect(device.events(since: count).isEmpty)
    }
}

extension [UInt8] {
    /// Returns true if the bytes contain others in a row.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        count >= part.count
            && indices.dropLast(part.count - 1).contains { self[$0..<($0 + part.count)].elementsEqual(part) }
    }
}
