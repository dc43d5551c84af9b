#if canImport(SwiftUI)
public import SwiftUI

extension View {
    /// Reports the screens and clicks of this view and of the views in it to an object. Not compiled on Linux, where
    /// this repository is built.
    public func capture(_ capture: Capture) -> some View {
        environment(\.capture, capture)
    }

    /// Reports a view as a page: `page_load` and `page_view` when it appears, as of a view controller.
    /// - Parameters:
    ///   - name: the class name of the page, such as `BasketView`.
    ///   - data: additional data; its element name is the page's custom id.
    public func captureScreen(
        _ name: String,
        title: String? = nil,
        data: AutoTrackableEventData = AutoTrackableEventData()
    ) -> some View {
        modifier(CapturedScreen(name: name, title: title, data: data))
    }

    /// Reports a tap on a view as a `click`.
    /// - Parameters:
    ///   - name: the custom name of the element.
    ///   - value: its title or the name of its image.
    ///   - type: the auto-event type of the click, which determines the type of the element.
    public func captureClick(
        _ name: String,
        value: String? = nil,
        type: AutoEventType = .buttonClick,
        data: AutoTrackableEventData = AutoTrackableEventData()
    ) -> some View {
        modifier(CapturedClick(name: name, value: value, type: type, data: data))
    }
}

/// Identity of a page while its view exists.
@MainActor
private final class ScreenInstance {
    private var capture: Capture?

    var id: InstanceID { InstanceID(UInt64(UInt(bitPattern: ObjectIdentifier(self)))) }

    func appear(_ page: Capture.Page, in capture: Capture) {
        self.capture = capture
        capture.appear(page)
    }

    func disappear() {
        capture?.disappear(id)
    }

    deinit { capture?.unload(InstanceID(UInt64(UInt(bitPattern: ObjectIdentifier(self))))) }
}

private struct CapturedScreen: ViewModifier {
    let name: String
    let title: String?
    let data: AutoTrackableEventData
    @Environment(\.capture) private var capture
    @State private var instance = ScreenInstance()

    func body(content: Content) -> some View {
        content
            .environment(\.capturedPage, instance.id)
            .onAppear {
                guard let capture else { return }
                instance.appear(Capture.Page(id: instance.id, className: name, title: title, data: data), in: capture)
            }
            .onDisappear { instance.disappear() }
    }
}

private struct CapturedClick: ViewModifier {
    let name: String
    let value: String?
    let type: AutoEventType
    let data: AutoTrackableEventData
    @Environment(\.capture) private var capture
    @Environment(\.capturedPage) private var page

    func body(content: Content) -> some View {
        content.simultaneousGesture(TapGesture().onEnded { capture?.click(path) })
    }

    private var path: Capture.ElementPath {
        var data = data
        data.elementName = name
        let element = Capture.Element(
            className: "View",
            type: Capture.ElementType.allCases.first { $0.click == type },
            content: value.map { .text($0) } ?? .none,
            responds: true,
            data: data
        )
        return Capture.ElementPath(page: page, links: [.init(element, ordinal: 0)])
    }
}

extension EnvironmentValues {
    /// The receiver of screens and clicks.
    fileprivate var capture: Capture? {
        get { self[CaptureKey.self] }
        set { self[CaptureKey.self] = newValue }
    }

    /// The page that contains a view.
    fileprivate var capturedPage: InstanceID? {
        get { self[CapturedPageKey.self] }
        set { self[CapturedPageKey.self] = newValue }
    }
}

private struct CaptureKey: EnvironmentKey {
    static let defaultValue: Capture? = nil
}

private struct CapturedPageKey: EnvironmentKey {
    static let defaultValue: InstanceID? = nil
}
#endif
