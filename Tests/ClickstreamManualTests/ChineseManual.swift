// swift-format-ignore-file
// Snippets of the Chinese manual (seed 001), each with its body as printed there; imports are at the top.
import Clickstream

#if canImport(UIKit)
import UIKit
#endif

enum ChineseManual {
    // Seed 001, line 65: "Initialize the SDK". The line of three dots replaces the rest of the file.
    final class AppDelegate: AppDelegateParent {
        func application(_ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?) -> Bool {
            // Override point for customization after application launch.
            do {
                try ClickstreamAnalytics.initSDK()
            } catch {
                assertionFailure("无法初始化 ClickstreamAnalytics: \(error)")
            }
            return true
        }
    }

    // Seed 001, line 81: "Configure the SDK".
    static func configure() {
        // 在初始化后配置 SDK。
        do {
            var configuration = try ClickstreamAnalytics.getClickstreamConfiguration()
            configuration.appId = "应用ID"
            configuration.endpoint = "https://example.com/collect"
            configuration.authCookie = "您的身份验证Cookie"
            configuration.sessionTimeoutDuration = 1800000
            configuration.isLogEvents = true
            configuration.isCompressEvents = true    
            configuration.isLogEvents = true
        } catch {
            print("配置 ClickstreamAnalytics 失败: \(error)")
        }
    }

    // Seed 001, line 105: "Record event".
    static func recordEvents() {
        let attributes: ClickstreamAttribute = [
            "channel": "apple",
            "successful": true,
            "ProcessDuration": 12.33,
            "UserAge": 20,
        ]
        ClickstreamAnalytics.recordEvent(eventName: "testEvent", attributes: attributes)

        // 直接记录事件
        ClickstreamAnalytics.recordEvent(eventName: "button_click")
    }
}
