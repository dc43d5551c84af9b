#if Collector
import Testing

@testable import ClickstreamCollector

@Suite("The shell of a saved file")
struct SavedPageTests {
    private let inspector = InspectorTests()

    @Test("has a policy that allows only its own script and style, by their hashes, and no request")
    func policy() async throws {
        try await withCollector { collector in
            let page = try await collector.get("/").text
            let folder = try #require(page.firstMatch(of: /"folder":"(inspector\\?\/[0-9a-f]{16})"/)).1
            let path = "/\(folder.replacing("\\", with: ""))/saved.html"
            let response = try await collector.get(path)
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == "text/plain; charset=utf-8")
            #expect(response.headers["x-content-type-options"] == "nosniff")
            #expect(response.headers["cache-control"] == "max-age=31536000, immutable")
            let posted = try await collector.send("POST", path)
            #expect(posted.status == 405)
            let script = try inspector.content(of: response.text, in: "script type=\"module\"")
            let style = try inspector.content(of: response.text, in: "style")
            let policy = """
                <meta charset="utf-8">
                <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src \(inspector.source(of: script)); \
                style-src \(inspector.source(of: style)); img-src data:; base-uri 'none'; form-action 'none'; \
                require-trusted-types-for 'script'; trusted-types 'none'">
                """
            #expect(response.text.contains(policy))
            #expect(response.text.contains(">@facts</script>"))
            #expect(!script.contains("<!--"))
            for mark in ["@policy", "@style", "@loader"] { #expect(!response.text.contains(mark), "\(mark)") }
        }
    }

    @Test("has each module after those that it imports, without imports and exports")
    func modules() throws {
        let bundle = ModuleBundle(Inspector.modules, main: "Inspector.js")
        #expect(bundle.order.sorted() == Inspector.modules.keys.sorted())
        #expect(bundle.order.last == "Inspector.js")
        for line in bundle.script.split(separator: "\n") {
            #expect(!line.hasPrefix("import ") && !line.hasPrefix("export "), "\(line)")
        }
        var exports: [Substring: Set<Substring>] = [:]
        let form = /savedModules\["(\w+\.js)"\] = \(\(\) => \{\n(?s:(.*?))return \{ (.*) \};\n\}\)\(\);\n/
        for part in bundle.script.matches(of: form) {
            for line in part.2.matches(of: /const \{ (.*) \} = savedModules\["(\w+\.js)"\];/) {
                let names = line.1.split(separator: ", ")
                #expect(exports[line.2]?.isSuperset(of: names) == true, "\(part.1) imports \(line.1) from \(line.2)")
            }
            exports[part.1] = Set(part.3.split(separator: ", "))
        }
        #expect(exports.count == bundle.order.count)
    }

    @Test("makes a function of a module")
    func functions() {
        let contents = [
            "A.js": """
            import { first, second } from "./B.js";
            const { view } = await import(`./${first}`);

            """,
            "B.js": """
            // A comment.
            export const first = (a) => a;
            export async function second() {
            }
            export class Third {}
            const own = "export const none";

            """,
            "C.js": "export function* all() {}\n",
        ]
        let bundle = ModuleBundle(contents.mapValues { Array($0.utf8) }, main: "A.js")
        #expect(bundle.order == ["B.js", "C.js", "A.js"])
        #expect(
            bundle.script == """
                const savedModules = {};
                const importSaved = async (path) => savedModules[path.slice(2)];
                savedModules["B.js"] = (() => {
                // A comment.
                const first = (a) => a;
                async function second() {
                }
                class Third {}
                const own = "export const none";

                return { first, second, Third };
                })();
                savedModules["C.js"] = (() => {
                function* all() {}

                return { all };
                })();
                savedModules["A.js"] = (() => {
                const { first, second } = savedModules["B.js"];
                const { view } = await importSaved(`./${first}`);

                return {  };
                })();

                """
        )
    }
}
#endif
