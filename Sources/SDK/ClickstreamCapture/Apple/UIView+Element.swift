#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
import UIKit

extension Capture.ElementPath {
    /// The path to a view from the root view of its page, or from its window if it is on no page.
    @MainActor
    init(to view: UIView) {
        let page = view.page
        self.init(page: page.map { InstanceID($0) })
        var views: [UIView] = []
        var next: UIView? = view
        while let current = next, !(current is UIWindow) {
            views.append(current)
            next = current === page?.viewIfLoaded ? nil : current.superview
        }
        links = views.reversed().map { current in
            let siblings = current === page?.viewIfLoaded ? [] : current.superview?.subviews ?? []
            let earlier = siblings.prefix { $0 !== current }.count { type(of: $0) == type(of: current) }
            return Link(Capture.Element(current, isTarget: current === view), ordinal: earlier)
        }
    }
}

extension Capture.Element {
    /// - Parameter isTarget: true for the element of an event, false for one of its ancestors, whose content is not
    ///   read.
    @MainActor
    init(_ view: UIView, isTarget: Bool) {
        let isCell = view is UITableViewCell || view is UICollectionViewCell
        self.init(
            id: InstanceID(view),
            className: String(describing: Swift.type(of: view)),
            type: Capture.ElementType(view),
            content: isTarget ? Content(view) : .none,
            accessibilityID: view.accessibilityIdentifier,
            restorationID: view.restorationIdentifier,
            tag: view.tag == 0 ? nil : view.tag,
            frame: Capture.Frame(view.convert(view.bounds, to: nil)),
            responds: view.handlesPress,
            isSecure: (view as? any UITextInputTraits)?.isSecureTextEntry ?? false,
            masking: view.pa_masking,
            optBehavior: isTarget ? view.capturedOptBehavior : nil,
            // The value of a cell is the first text in it.
            children: isTarget && isCell ? view.subviews.map { Capture.Element(label: $0) } : []
        )
        if let source = view.pa_autoEventDataSource { apply(source, for: view) }
    }

    /// View in a cell, with the views in it.
    @MainActor
    private init(label view: UIView) {
        self.init(
            className: String(describing: Swift.type(of: view)),
            content: Content(view),
            isSecure: (view as? any UITextInputTraits)?.isSecureTextEntry ?? false,
            masking: view.pa_masking,
            children: view.subviews.map { Capture.Element(label: $0) }
        )
    }
}

extension Capture.Element.Content {
    @MainActor
    fileprivate init(_ view: UIView) {
        let text: String? =
            switch view {
            case let button as UIButton: button.currentTitle ?? button.currentImage?.accessibilityIdentifier
            case let segments as UISegmentedControl: segments.selectedTitle
            case let label as UILabel: label.text
            default: nil
            }
        self =
            switch view {
            case let field as UITextField: .input(length: field.text?.count ?? 0)
            case let field as UITextView where field.isEditable: .input(length: field.text.count)
            default: text.map { .text($0) } ?? .none
            }
    }
}

extension Capture.ElementType {
    @MainActor
    fileprivate init?(_ view: UIView) {
        switch view {
        case is UIButton: self = .button
        case is UISwitch: self = .toggle
        case is UISlider: self = .slider
        case is UIStepper: self = .stepper
        case is UISegmentedControl: self = .segment
        // A table view and a collection view have the type of their items.
        case is UITableViewCell, is UITableView: self = .tableViewCell
        case is UICollectionViewCell, is UICollectionView: self = .collectionViewCell
        case is UIScrollView: self = .scrollView
        default: return nil
        }
    }
}

extension UIView {
    /// True for an enabled control with actions, a cell, and a view with a recognizer of taps or long presses.
    fileprivate var handlesPress: Bool {
        if let control = self as? UIControl { return control.isEnabled && !control.allControlEvents.isEmpty }
        if self is UITableViewCell || self is UICollectionViewCell { return true }
        return (gestureRecognizers ?? []).contains {
            $0.isEnabled && ($0 is UITapGestureRecognizer || $0 is UILongPressGestureRecognizer)
                && !isOfSystem($0, except: [UITapGestureRecognizer.self, UILongPressGestureRecognizer.self])
        }
    }
}

extension UISegmentedControl {
    fileprivate var selectedTitle: String? {
        selectedSegmentIndex == UISegmentedControl.noSegment ? nil : titleForSegment(at: selectedSegmentIndex)
    }
}

extension Capture.Frame {
    init(_ rect: CGRect) {
        self.init(
            x: Double(rect.origin.x),
            y: Double(rect.origin.y),
            width: Double(rect.size.width),
            height: Double(rect.size.height)
        )
    }
}

extension Capture.Point {
    init(_ point: CGPoint) {
        self.init(x: Double(point.x), y: Double(point.y))
    }
}
#endif
