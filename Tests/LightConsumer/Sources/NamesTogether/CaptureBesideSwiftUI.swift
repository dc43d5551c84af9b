import ClickstreamCapture
import SwiftUINames

/// Types of both modules, without a module before a name: the file compiles only if no name is ambiguous.
func captureBesideSwiftUI() -> [Any.Type] {
    [
        AutoEventType.self, AutoTrackableEventData.self, Capture.self, Capture.Currency.self, Capture.Element.self,
        Capture.ElementPath.self, Capture.ElementType.self, Capture.Frame.self, Capture.Masking.self,
        Capture.Page.self, Capture.Point.self, Capture.ScrollPosition.self, Capture.Touch.self,
        Capture.Transaction.self, CaptureConfiguration.self, ClassRules.self,
        CustomVariable.self, DynamicVariable.self, InstanceID.self, OptBehavior.self,
        RecognizedGesture.self, RevenueKind.self, VisibleItems.self,
        (any AutoTrackableElement).self, (any AutoTrackableEventDataSource).self, (any ItemsViewDataSource).self,
        Alignment.self, Anchor.self, Angle.self, Animation.self, Axis.self, Binding.self, Button.self, Canvas.self,
        Capsule.self, Circle.self, Color.self, ContentMode.self, Divider.self, DragGesture.self, Edge.self,
        Environment.self, EnvironmentValues.self, EventModifiers.self, Font.self, Form.self, GeometryProxy.self,
        Group.self, Image.self, KeyPress.self, Label.self, Link.self, List.self, LongPressGesture.self,
        MagnifyGesture.self, Material.self, Menu.self, Namespace.self, NavigationPath.self, NavigationStack.self,
        Path.self, Picker.self, Rectangle.self, RotateGesture.self, ScenePhase.self, ScrollPhase.self,
        ScrollPosition.self, ScrollView.self, Section.self, SecureField.self, Settings.self, Slider.self,
        Spacer.self, State.self, Stepper.self, Tab.self, TabView.self, Table.self, TapGesture.self, Text.self,
        TextField.self, TimelineView.self, Toggle.self, Transaction.self, Visibility.self, Window.self,
        WindowGroup.self, (any App).self, (any Scene).self, (any View).self, (any ViewModifier).self,
        (any Shape).self, (any Gesture).self, (any Layout).self, (any ButtonStyle).self, (any DynamicProperty).self,
        (any PreviewProvider).self, (any VisualEffect).self,
    ]
}
