import Clickstream
import SwiftUINames
import UIKitNames

/// Types of these modules, without a module before a name: the file compiles only if no name is ambiguous.
func analyticsBesideSwiftUI() -> [Any.Type] {
    [
        AttributeValue.self, Attributes.self, ClickstreamAnalytics.self, ClickstreamAttribute.self,
        ClickstreamClient.self, ClickstreamClient.Configuration.self, ClickstreamClient.Device.self,
        ClickstreamClient.World.self, ClickstreamConfiguration.self, ConsentDecision.self, ConsentPurpose.self,
        DraftEvent.self, ErrorCode.self, FlushError.self, FlushReport.self, InitError.self, Notice.self,
        NoticeObserver.self, TransportError.self, Violation.self, (any AttributeValueConvertible).self,
        (any ClickstreamClient.Transport).self, (any ClickstreamEvent).self,
        Alignment.self, Anchor.self, Angle.self, Animation.self, Axis.self, Binding.self, Button.self, Canvas.self,
        Capsule.self, Circle.self, Color.self, ContentMode.self, Divider.self, DragGesture.self, Edge.self,
        Environment.self, EnvironmentValues.self, EventModifiers.self, Font.self, Form.self, GeometryProxy.self,
        Group.self, Image.self, KeyPress.self, Label.self, Link.self, List.self, LongPressGesture.self,
        MagnifyGesture.self, Material.self, Menu.self, Namespace.self, NavigationPath.self, NavigationStack.self,
        Path.self, Picker.self, Rectangle.self, RotateGesture.self, ScenePhase.self, ScrollPhase.self,
        ScrollPosition.self, ScrollView.self, Section.self, SecureField.self, Settings.self, Slider.self,
        Spacer.self, State.self, Stepper.self, Tab.self, TabView.self, Table.self, TapGesture.self, Text.self,
        TextField.self, TimelineView.self, Toggle.self, Transaction.self, Visibility.self, Window.self,
        WindowGroup.self, UIApplication.self, UIBarButtonItem.self, UIButton.self, UIColor.self, UIControl.self,
        UIDevice.self, UIEvent.self, UIFont.self, UIGestureRecognizer.self, UIImage.self, UILabel.self, UIScene.self,
        UIScreen.self, UIScrollView.self, UISwitch.self, UITableView.self, UITouch.self, UIView.self,
        UIViewController.self, UIWindow.self, (any App).self, (any Scene).self, (any View).self,
        (any ViewModifier).self, (any Shape).self, (any Gesture).self, (any Layout).self, (any ButtonStyle).self,
        (any DynamicProperty).self, (any PreviewProvider).self, (any VisualEffect).self,
        (any UIApplicationDelegate).self, (any UISceneDelegate).self,
    ]
}
