import ClickstreamCapture
import ClickstreamCore

/// An app with automatic capture on its home page.
struct CaptureSample {
    let capture: Capture
    /// A button in two views.
    let button: Capture.ElementPath

    init(_ client: ClickstreamClient, _ configure: (inout CaptureConfiguration) -> Void = { _ in }) {
        var configuration = CaptureConfiguration(autoEvents: AutoEventType.all)
        configure(&configuration)
        capture = Capture(client: client, configuration: configuration)
        let page = Capture.Page(
            id: InstanceID(1),
            className: "HomeViewController",
            data: AutoTrackableEventData(elementName: "Home")
        )
        capture.appear(page)
        let frame = Capture.Frame(x: 0, y: 0, width: 300, height: 400)
        let views = [
            Capture.Element(
                className: "UIView",
                frame: frame,
                children: [
                    Capture.Element(
                        className: "UIStackView",
                        frame: frame,
                        children: [
                            Capture.Element(
                                id: InstanceID(2),
                                className: "UIButton",
                                type: .button,
                                content: .text("Add to cart"),
                                frame: frame,
                                responds: true,
                                data: AutoTrackableEventData(elementName: "add_to_cart")
                            )
                        ]
                    )
                ]
            )
        ]
        button = Capture.ElementPath(to: Capture.Point(x: 10, y: 10), in: views, page: page.id)
    }

    func click() {
        capture.click(button)
    }

    /// Moves of one finger.
    func move(_ count: Int) {
        capture.touch(Capture.Touch(.down, at: Capture.Point(x: 0, y: 0))) { _ in button }
        for number in 0..<count {
            capture.touch(Capture.Touch(.move, at: Capture.Point(x: Double(number & 31), y: 0))) { _ in button }
        }
        capture.touch(Capture.Touch(.cancel, at: Capture.Point(x: 0, y: 0))) { _ in button }
    }
}
