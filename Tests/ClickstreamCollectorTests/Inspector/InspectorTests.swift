#if Collector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("The inspector's page")
struct InspectorTests {
    /// The folder of the page.
    private static let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Inspector").standardized

    private static func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: source.path).filter { $0.hasSuffix(".js") }
    }

    @Test("has a policy that allows only its own script and style, by their hashes, and what that script loads")
    func policy() async throws {
        try await withCollector { collector in
            let response = try await collector.get("/")
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == "text/html; charset=utf-8")
            #expect(response.headers["x-content-type-options"] == "nosniff")
            #expect(response.headers["referrer-policy"] == "no-referrer")
            #expect(response.headers["cross-origin-opener-policy"] == "same-origin")
            #expect(response.headers["cross-origin-resource-policy"] == "same-origin")
            let script = try source(of: content(of: response.text, in: "script type=\"module\""))
            let style = try source(of: content(of: response.text, in: "style"))
            #expect(
                response.headers["content-security-policy"]
                    == "default-src 'none'; script-src \(script) 'strict-dynamic'; style-src \(style); connect-src 'self'; img-src data:; "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                    + "require-trusted-types-for 'script'; trusted-types 'none'"
            )
            #expect(!response.text.contains("src=\"http"))
            #expect(!response.text.contains("@style"))
            #expect(!response.text.contains("@loader"))
            #expect(!response.text.contains("@policy"))
        }
    }

    @Test("contains the path and every code of the table, without text that ends its element")
    func facts() async throws {
        let path = "/a</script><script>b"
        try await withCollector(CollectorConfiguration(appIDs: ["shop", "<app>"], path: path)) { collector in
            let page = try await collector.get("/").text
            let text = try content(of: page, in: "script type=\"application/json\" id=\"facts\"")
            #expect(!text.contains("<"))
            let facts = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            #expect(facts["path"] as? String == path)
            #expect(facts["appIds"] as? [String] == ["<app>", "shop"])
            let formats = try #require(facts["formats"] as? [[String: Any]])
            #expect(formats.map { $0["name"] as? String } == CapturedFormat.captured.map(\.rawValue))
            #expect(formats.map { $0["path"] as? String } == CapturedFormat.captured.map(\.path))
            #expect(formats.map { $0["module"] as? String } == CapturedFormat.captured.map(Inspector.moduleName))
            let rules = try #require(facts["rules"] as? [String: [String: Any]])
            let captured = CapturedFormat.captured.flatMap { form in
                CapturedRule.all.filter { $0.forms.contains(form) }.map { $0.code(form) }
            }
            let own = Rules.all.map(\.code.description) + ServerRule.all.map(\.code)
            #expect(Set(rules.keys) == Set(own + captured + PlanCode.allCases.map(\.rawValue)))
            #expect(facts["hasPlan"] as? Bool == false)
            #expect(rules["pulse_missing_field"]?["title"] as? String == "Missing field")
            #expect(rules["2001"]?["limit"] as? String == "50 characters")
            #expect(rules["2001"]?["effect"] as? String == "discard the attribute")
        }
    }

    @Test("has the files of the folder Inspector as modules, under a path that a browser can keep")
    func modules() async throws {
        try await withCollector { collector in
            let page = try await collector.get("/").text
            let text = try content(of: page, in: "script type=\"application/json\" id=\"facts\"")
            let facts = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            let folder = try #require(facts["folder"] as? String)
            #expect(folder.wholeMatch(of: /inspector\/[0-9a-f]{16}/) != nil)
            #expect(try facts["modules"] as? [String] == Self.files().filter { $0 != "Loader.js" }.sorted())
            for name in try #require(facts["modules"] as? [String]) {
                let response = try await collector.get("/\(folder)/\(name)")
                #expect(response.status == 200)
                let file = try Data(contentsOf: Self.source.appendingPathComponent(name))
                #expect(Data(response.body) == file, "\(name)")
                #expect(response.headers["content-type"] == "text/javascript; charset=utf-8")
                #expect(response.headers["cache-control"] == "max-age=31536000, immutable")
                #expect(response.headers["x-content-type-options"] == "nosniff")
                #expect(response.headers["cross-origin-resource-policy"] == "same-origin")
            }
            for (method, path, status) in [
                ("HEAD", "\(folder)/Feed.js", 200), ("POST", "\(folder)/Feed.js", 405),
                ("GET", "\(folder)/Loader.js", 403), ("GET", "\(folder)/../Feed.js", 403), ("GET", folder, 403),
                ("GET", "inspector/0000000000000000/Feed.js", 403),
            ] {
                #expect(try await collector.send(method, "/\(path)").status == status, "\(method) \(path)")
            }
        }
    }

    @Test("draws a captured format by the file of its name, if there is one", arguments: CapturedFormat.allCases)
    func drawn(_ form: CapturedFormat) throws {
        let file = try Self.files().first { $0.lowercased() == "\(form.rawValue).js" }
        // Audit.js is a view of the page, not of a format among others.
        #expect(Inspector.moduleName(of: form) == (form.list == .captured ? file : nil))
        var invented = form
        invented.name = FormatName(rawValue: "invented")
        #expect(Inspector.moduleName(of: invented) == nil)
    }

    @Test("is served for GET and HEAD", arguments: [("GET", 200), ("HEAD", 200), ("POST", 405), ("DELETE", 405)])
    func methods(method: String, status: Int) async throws {
        try await withCollector { collector in
            let response = try await collector.send(method, "/")
            #expect(response.status == status)
            if method == "HEAD" { #expect(response.body.isEmpty) }
        }
    }

    /// Text between a start tag, written as `tag`, and its end tag.
    func content(of page: String, in tag: String) throws -> String {
        let start = try #require(page.range(of: "<\(tag)>"))
        let end = try #require(page[start.upperBound...].range(of: "</\(tag.prefix { $0 != " " })>"))
        return String(page[start.upperBound..<end.lowerBound])
    }

    func source(of content: String) -> String {
        "'sha256-\(Data(SHA256.digest(of: Array(content.utf8))).base64EncodedString())'"
    }
}
#endif
