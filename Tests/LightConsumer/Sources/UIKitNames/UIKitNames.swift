// Names that UIKit exports.
// The module is not called UIKit: `canImport` in the SDK would find it.

public protocol UIApplicationDelegate {}
public protocol UISceneDelegate {}

public struct UIApplication {}
public struct UIBarButtonItem {}
public struct UIButton {}
public struct UIColor {}
public struct UIControl {}
public struct UIDevice {}
public struct UIEvent {}
public struct UIFont {}
public struct UIGestureRecognizer {}
public struct UIImage {}
public struct UILabel {}
public struct UIScene {}
public struct UIScreen {}
public struct UIScrollView {}
public struct UISwitch {}
public struct UITableView {}
public struct UITouch {}
public struct UIView {}
public struct UIViewController {}
public struct UIWindow {}
