import ClickstreamAnalytics
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

@Suite("Host properties")
struct HostDeviceTests {
    private static func device(
        _ tree: [String: String],
        environment: [String: String] = [:],
        executable: String = "/usr/bin/shop",
        zoneOffset: Int = 0
    ) throws -> ClickstreamClient.Device {
        let files = MemoryFileSystem()
        for (path, text) in tree {
            let full = "/machine" + path
            try files.createFolder(String(full[..<(full.lastIndex(of: "/") ?? full.startIndex)]))
            try files.replace(full, with: Array(text.utf8), durably: false)
        }
        return HostDevice.read(
            root: "/machine",
            environment: environment,
            executable: executable,
            zoneOffset: zoneOffset,
            from: files
        )
    }

    @Test("are read from a complete machine")
    func laptop() throws {
        let device = try Self.device(
            [
                "/etc/os-release": "NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n",
                "/sys/class/dmi/id/sys_vendor": "LENOVO\n",
                "/sys/class/dmi/id/board_vendor": "LENOVO board\n",
                "/sys/class/dmi/id/product_name": "20XWCTO1WW\n",
                "/sys/class/drm/card0-DP-1/modes": "", "/sys/class/drm/card0-DP-1/status": "disconnected\n",
                "/sys/class/drm/card0-eDP-1/modes": "1920x1200\n1920x1080\n",
                "/sys/class/drm/card0-eDP-1/status": "connected\n",
                "/sys/class/net/wlan0/uevent": "DEVTYPE=wlan\nINTERFACE=wlan0\n",
                "/proc/net/route": """
                Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
                wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
                wlan0\t0001A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0\t0\t0
                """,
            ],
            environment: ["LANG": "de_AT.UTF-8", "TZ": "GMT+1"],
            zoneOffset: 7_200_000
        )
        #expect(
            device
                == ClickstreamClient.Device(
                    platform: "Linux",
                    osVersion: "12",
                    make: "LENOVO",
                    brand: "LENOVO board",
                    model: "20XWCTO1WW",
                    locale: "de_AT",
                    language: "de",
                    country: "AT",
                    networkType: "WIFI",
                    screenWidth: 1_920,
                    screenHeight: 1_200,
                    zoneOffset: 7_200_000,
                    app: ClickstreamClient.Device.App(package: "shop", title: "shop", version: "")
                )
        )
    }

    @Test("are UNKNOWN where a container hides them")
    func nothing() throws {
        #expect(
            try Self.device([:], executable: "")
                == ClickstreamClient.Device(
                    platform: "Linux",
                    osVersion: "UNKNOWN",
                    make: "UNKNOWN",
                    brand: "UNKNOWN",
                    model: "UNKNOWN",
                    locale: "en",
                    language: "en",
                    country: "UNKNOWN"
                )
        )
    }

    @Test(
        "contain the system's version",
        arguments: [
            (["/etc/os-release": "VERSION_ID=\"22.04\"\n"], "22.04"), (["/etc/os-release": "VERSION_ID='9'"], "9"),
            (["/etc/os-release": "VERSION_ID=38\n", "/usr/lib/os-release": "VERSION_ID=1"], "38"),
            (["/usr/lib/os-release": "ID=x\nVERSION_ID=40\n"], "40"),
            (["/etc/os-release": "ID=arch\n", "/proc/sys/kernel/osrelease": "6.6.1-arch1-1\n"], "6.6.1-arch1-1"),
            (["/etc/os-release": "VERSION_ID=\"\"\n"], "UNKNOWN"),
        ]
    )
    func osVersion(tree: [String: String], version: String) throws {
        #expect(try Self.device(tree).osVersion == version)
    }

    @Test(
        "ignore placeholders of manufacturers",
        arguments: ["To Be Filled By O.E.M.", "System manufacturer", "Default string", "", "  ", "None", "0123456789"]
    )
    func placeholders(text: String) throws {
        let device = try Self.device([
            "/sys/class/dmi/id/sys_vendor": text + "\n", "/sys/class/dmi/id/board_vendor": "ASRock\n",
            "/sys/class/dmi/id/product_name": text, "/proc/device-tree/model": "Raspberry Pi 5\u{0}",
        ])
        #expect([device.make, device.brand, device.model] == ["ASRock", "ASRock", "Raspberry Pi 5"])
    }

    @Test(
        "contain the language of the first variable that is set",
        arguments: [
            (["LANG": "en_US.UTF-8"], ["en_US", "en", "US"]), (["LANG": "zh_CN"], ["zh_CN", "zh", "CN"]),
            (["LANG": "fr"], ["fr", "fr", "UNKNOWN"]), (["LANG": "sr_RS@latin"], ["sr_RS", "sr", "RS"]),
            (["LANG": "en_US.UTF-8", "LC_MESSAGES": "pt_BR"], ["pt_BR", "pt", "BR"]),
            (["LANG": "en_US", "LC_MESSAGES": "pt_BR", "LC_ALL": "ja_JP.eucJP"], ["ja_JP", "ja", "JP"]),
            (["LC_ALL": "", "LANG": "it_IT"], ["it_IT", "it", "IT"]),
            (["LC_ALL": "C", "LANG": "it_IT"], ["en", "en", "UNKNOWN"]),
            (["LANG": "C.UTF-8"], ["en", "en", "UNKNOWN"]), (["LANG": "POSIX"], ["en", "en", "UNKNOWN"]),
            (["LANG": "_"], ["en", "en", "UNKNOWN"]),
            (["LANG": "zh_Hans_CN.UTF-8"], ["zh_Hans_CN", "zh", "CN"]), (["LANG": "en-US"], ["en_US", "en", "US"]),
            (["LANG": "es_419"], ["es_419", "es", "419"]), (["LANG": "sr_Latn"], ["sr_Latn", "sr", "UNKNOWN"]),
            (["LC_ALL": "\n", "LANG": " de_AT\n"], ["de_AT", "de", "AT"]), (["LANG": "C\n"], ["en", "en", "UNKNOWN"]),
            (["LANG": "de_at"], ["de_at", "de", "AT"]), (["LANG": "C.UTF-8@x"], ["en", "en", "UNKNOWN"]),
            ([:], ["en", "en", "UNKNOWN"]),
        ]
    )
    func language(environment: [String: String], expected: [String]) throws {
        let device = try Self.device([:], environment: environment)
        #expect([device.locale, device.language, device.country] == expected)
    }

    private static let header = "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n"

    @Test(
        "contain the network type of the default route's interface",
        arguments: [
            (["/proc/net/route": header + "wlp2s0 00000000 01 0003 0 0 600 00000000 0 0 0"], "WIFI"),
            (["/proc/net/route": header + "eth0 00000000 01 0003 0 0 100 00000000 0 0 0"], "UNKNOWN"),
            (["/proc/net/route": header + "wwan0 00000000 01 0003 0 0 700 00000000 0 0 0"], "Mobile"),
            (["/proc/net/route": header + "usb9 00000000 01 0003 0 0 700 00000000 0 0 0"], "Mobile"),
            (
                [
                    "/proc/net/route": header + "wlp2s0 00000000 01 0003 0 0 600 00000000 0 0 0\n"
                        + "eth0 00000000 01 0003 0 0 100 00000000 0 0 0"
                ], "UNKNOWN"
            ),
            (
                [
                    "/proc/net/route": header + "eth0 00000000 01 0003 0 0 900 00000000 0 0 0\n"
                        + "wlp2s0 00000000 01 0003 0 0 600 00000000 0 0 0"
                ], "WIFI"
            ),
            // A network of its own, a route that is down, a table without routes, a line that is torn.
            (["/proc/net/route": header + "wlp2s0 0001A8C0 00 0001 0 0 600 00FFFFFF 0 0 0"], "UNKNOWN"),
            (["/proc/net/route": header + "wlp2s0 00000000 01 0002 0 0 600 00000000 0 0 0"], "UNKNOWN"),
            (["/proc/net/route": header], "UNKNOWN"),
            (["/proc/net/route": header + "wlp2s0 00000000"], "UNKNOWN"),
            (
                [
                    "/proc/net/route": header,
                    "/proc/net/ipv6_route": """
                    00000000000000000000000000000000 00 00000000000000000000000000000000 00 00 ffffffff 1 0 00200200 lo
                    00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe 00000258 1 0 00000003 wlp2s0
                    """,
                ], "WIFI"
            ),
        ]
    )
    func network(tree: [String: String], type: String) throws {
        let interfaces = [
            "/sys/class/net/wlp2s0/wireless/status": "", "/sys/class/net/eth0/uevent": "INTERFACE=eth0\n",
            "/sys/class/net/usb9/uevent": "DEVTYPE=wwan\n",
        ]
        #expect(try Self.device(tree.merging(interfaces) { given, _ in given }).networkType == type)
    }

    @Test(
        "contain the screen size",
        arguments: [
            (["/sys/class/graphics/fb0/virtual_size": "1024,768\n"], [1_024, 768]),
            (["/sys/class/drm/card0-HDMI-A-1/modes": "1920x1080i\n"], [1_920, 1_080]),
            (
                [
                    "/sys/class/drm/a/modes": "1x1\n", "/sys/class/drm/b/modes": "2x2\n",
                    "/sys/class/drm/b/status": "connected",
                ], [2, 2]
            ),
            (
                [
                    "/sys/class/drm/a/modes": "1x1\n", "/sys/class/drm/a/status": "disconnected\n",
                    "/sys/class/graphics/fb0/virtual_size": "1024,768\n",
                ], [1_024, 768]
            ),
            (
                [
                    "/sys/class/drm/a/modes": "1x1\n", "/sys/class/drm/a/status": "disconnected\n",
                    "/sys/class/drm/b/modes": "2x2\n", "/sys/class/drm/b/status": "unknown\n",
                ], [2, 2]
            ),
            (["/sys/class/drm/a/modes": "wide\n", "/sys/class/graphics/fb0/virtual_size": "x"], [0, 0]),
        ]
    )
    func screen(tree: [String: String], size: [Int]) throws {
        let device = try Self.device(tree)
        #expect([device.screenWidth, device.screenHeight] == size)
    }

    @Test(
        "contain the vendor of a board without DMI tables",
        arguments: [
            ("raspberrypi,5-model-b\u{0}brcm,bcm2712\u{0}", "raspberrypi"), ("nothing", "UNKNOWN"), ("", "UNKNOWN"),
        ]
    )
    func board(compatible: String, make: String) throws {
        let device = try Self.device(["/proc/device-tree/compatible": compatible])
        #expect([device.make, device.brand] == [make, make])
    }

    @Test("describe this machine")
    func current() {
        let device = HostDevice.current()
        #expect(!device.platform.isEmpty)
        #expect(!device.osVersion.isEmpty)
        #expect(!device.app.package.isEmpty)
        #expect(["WIFI", "Mobile", "UNKNOWN"].contains(device.networkType))
        #expect(abs(device.zoneOffset) <= 15 * 3_600_000)
        #expect(device.deviceID == nil)
    }
}
