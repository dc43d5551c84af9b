import ClickstreamAnalytics
import Testing

@Suite("Mapping of classes to screens")
struct ScreenClassTests {
    @Test(
        "depends on the names of the class and its superclasses",
        arguments: [
            (["Shop.BasketViewController", "UIViewController", "UIResponder", "NSObject"], "BasketViewController"),
            (["Shop.Outer.Basket", "UIViewController"], "Basket"),
            // Written in Objective-C: no module.
            (["SHPBasketViewController", "UIViewController"], "SHPBasketViewController"),
            (["UIlerScreen", "UIViewController"], "UIlerScreen"),
            (["Shop.UITestScreen", "UIViewController"], "UITestScreen"),
            (["Shop.Table", "UITableViewController", "UIViewController"], "Table"),
            (["Shop.Inspector", "NSViewController"], "Inspector"),
            // Containers, and what derives from them.
            (["UINavigationController", "UIViewController"], nil),
            (["UITabBarController", "UIViewController"], nil),
            (["UIPageViewController", "UIViewController"], nil),
            (["UISplitViewController", "UIViewController"], nil),
            (["NSSplitViewController", "NSViewController"], nil),
            (["NSTabViewController", "NSViewController"], nil),
            (["Shop.MainTabs", "Shop.BaseTabs", "UITabBarController", "UIViewController"], nil),
            (["Shop.Keyboard", "UIInputViewController", "UIViewController"], nil),
            // The system's own.
            (["UIViewController"], nil),
            (["UIAlertController", "UIViewController"], nil),
            (["_UIRemoteInputViewController", "UIViewController"], nil),
            (["SFSafariViewController", "UIViewController"], nil),
            // SwiftUI.
            (["SwiftUI.UIHostingController<Shop.BasketView>", "UIViewController"], "BasketView"),
            (["SwiftUI.NSHostingController<Shop.BasketView>", "NSViewController"], "BasketView"),
            (["Shop.BasketHost", "SwiftUI.UIHostingController<Shop.BasketView>", "UIViewController"], "BasketHost"),
            (["SwiftUI.UIHostingController<SwiftUI.AnyView>", "UIViewController"], nil),
            (["SwiftUI.UIHostingController<SwiftUI.ModifiedContent<Shop.A, SwiftUI.B>>", "UIViewController"], nil),
            (["SwiftUI.NavigationStackHostingController<SwiftUI.AnyView>", "UIViewController"], nil),
            (["SwiftUI.NotifyingMulticolumnSplitViewController", "UISplitViewController"], nil),
            (["SwiftUI.PresentationHostingController<SwiftUI.AnyView>", "UIViewController"], nil),
            (["Shop.Wrapper<Shop.A>", "UIViewController"], nil),
            ([""], nil), ([], nil),
        ] as [([String], String?)]
    )
    func names(ancestry: [String], expected: String?) {
        #expect(ScreenClass.screenName(ancestry: ancestry) == expected)
    }
}
