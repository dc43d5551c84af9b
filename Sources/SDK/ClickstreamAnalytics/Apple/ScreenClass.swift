/// Mapping from view controller classes to screen names, based on class names only.
///
/// Containers (navigation, tabs, pages, split view) and their subclasses are not screens. Of the system's own classes,
/// only a SwiftUI hosting controller is a screen, named after the view that it shows.
package enum ScreenClass {
    /// Container classes of iOS and macOS.
    private static let containers: Set<String> = [
        "UINavigationController", "UITabBarController", "UIPageViewController", "UISplitViewController",
        "UISearchContainerViewController", "UIInputViewController", "UIAlertController", "UIActivityViewController",
        "NSTabViewController", "NSSplitViewController", "NSPageController",
    ]
    /// Prefixes of the system's own classes, including frameworks that apps present temporarily.
    private static let systemPrefixes = [
        "UI", "_UI", "NS", "_NS", "SF", "MF", "PU", "QL", "AV", "SK", "EK", "CN", "GK",
    ]
    /// Views whose name does not describe their content.
    private static let anonymousViews: Set<String> = [
        "AnyView", "EmptyView", "Never", "Text", "Group", "ModifiedContent",
    ]

    /// Returns the screen's name; `nil` if the class is not a screen.
    /// - Parameter ancestry: the names of the class and its superclasses in Swift notation
    ///   (`Shop.BasketViewController`, `SwiftUI.UIHostingController<Shop.BasketView>`), the class itself first.
    package static func screenName(ancestry: [String]) -> String? {
        guard let name = ancestry.first, !ancestry.contains(where: { containers.contains(withoutModule($0)) }) else {
            return nil
        }
        let plain = withoutModule(name)
        if let view = hostedView(name) { return view }
        // Rejects generic classes, classes of SwiftUI, and system classes without a module.
        guard !plain.isEmpty, !name.contains("<"), !name.hasPrefix("SwiftUI."), name.contains(".") || !isSystem(plain)
        else { return nil }
        return plain
    }

    private static func isSystem(_ name: String) -> Bool {
        systemPrefixes.contains { prefix in
            // Matches `UIThing` and `_UIThing`, but not `UIler`.
            name.hasPrefix(prefix) && name.dropFirst(prefix.count).first?.isUppercase == true
        }
    }

    /// Returns the view of a hosting controller whose root is an app's own view without wrappers.
    private static func hostedView(_ name: String) -> String? {
        guard withoutModule(String(name.prefix { $0 != "<" })).hasSuffix("HostingController"), name.hasSuffix(">"),
            let open = name.firstIndex(of: "<")
        else { return nil }
        let inside = name[name.index(after: open)...].dropLast()
        guard !inside.contains("<"), !inside.contains(","), !inside.hasPrefix("SwiftUI.") else { return nil }
        let view = withoutModule(String(inside))
        return view.isEmpty || anonymousViews.contains(view) ? nil : view
    }

    /// Returns the last component of a dotted name, ignoring dots between angle brackets.
    private static func withoutModule(_ name: String) -> String {
        let plain = name.prefix { $0 != "<" }
        return plain.split(separator: ".").last.map(String.init) ?? ""
    }
}
