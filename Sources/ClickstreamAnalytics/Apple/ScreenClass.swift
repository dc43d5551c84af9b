/// Decides which class of a view controller is a screen, and what the screen is called. Knows names only.
///
/// A container (navigation, tabs, pages, split view) holds screens and is none, and neither is a class derived from one.
/// Of the system's own classes none is a screen, but a SwiftUI hosting controller stands for the view that it shows.
package enum ScreenClass {
    /// What hold screens, on iOS and macOS.
    private static let containers: Set<String> = [
        "UINavigationController", "UITabBarController", "UIPageViewController", "UISplitViewController",
        "UISearchContainerViewController", "UIInputViewController", "UIAlertController", "UIActivityViewController",
        "NSTabViewController", "NSSplitViewController", "NSPageController",
    ]
    /// How the system's own classes begin, those of frameworks that apps show for a moment among them.
    private static let systemPrefixes = [
        "UI", "_UI", "NS", "_NS", "SF", "MF", "PU", "QL", "AV", "SK", "EK", "CN", "GK",
    ]
    /// Views that say nothing about what they show.
    private static let anonymousViews: Set<String> = [
        "AnyView", "EmptyView", "Never", "Text", "Group", "ModifiedContent",
    ]

    /// The screen's name; `nil` when the class is no screen.
    /// - Parameter ancestry: the names of the class and of those above it, as Swift writes them
    ///   (`Shop.BasketViewController`, `SwiftUI.UIHostingController<Shop.BasketView>`), the class itself first.
    package static func screenName(ancestry: [String]) -> String? {
        guard let name = ancestry.first, !ancestry.contains(where: { containers.contains(withoutModule($0)) }) else {
            return nil
        }
        let plain = withoutModule(name)
        if let view = hostedView(name) { return view }
        // A generic class, one of SwiftUI's, or one of the system's without a module.
        guard !plain.isEmpty, !name.contains("<"), !name.hasPrefix("SwiftUI."), name.contains(".") || !isSystem(plain)
        else { return nil }
        return plain
    }

    private static func isSystem(_ name: String) -> Bool {
        systemPrefixes.contains { prefix in
            // `UIThing` and `_UIThing`, not `UIler`.
            name.hasPrefix(prefix) && name.dropFirst(prefix.count).first?.isUppercase == true
        }
    }

    /// The view of a hosting controller that shows an app's own view and nothing around it.
    private static func hostedView(_ name: String) -> String? {
        guard withoutModule(String(name.prefix { $0 != "<" })).hasSuffix("HostingController"), name.hasSuffix(">"),
            let open = name.firstIndex(of: "<")
        else { return nil }
        let inside = name[name.index(after: open)...].dropLast()
        guard !inside.contains("<"), !inside.contains(","), !inside.hasPrefix("SwiftUI.") else { return nil }
        let view = withoutModule(String(inside))
        return view.isEmpty || anonymousViews.contains(view) ? nil : view
    }

    /// The last part of a dotted name; dots between angle brackets do not count.
    private static func withoutModule(_ name: String) -> String {
        let plain = name.prefix { $0 != "<" }
        return plain.split(separator: ".").last.map(String.init) ?? ""
    }
}
