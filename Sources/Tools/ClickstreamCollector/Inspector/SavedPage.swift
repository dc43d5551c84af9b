#if Collector
/// Shell of a saved file: the document of the page with its style, and with all modules as one script, as a page on disk cannot import
/// modules. The page adds its facts and what it saves.
///
/// Its policy allows no request, and only this script and style.
enum SavedPage {
    /// File name in the folder of the modules.
    static let name = "saved.html"

    static let document: [UInt8] = {
        let script = Array(ModuleBundle(Inspector.modules, main: "Inspector.js").script.utf8)
        let policy = """

            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src \(Inspector.source(script)); \
            style-src \(Inspector.source(Inspector.style)); img-src data:; base-uri 'none'; form-action 'none'; \
            require-trusted-types-for 'script'; trusted-types 'none'">
            <meta name="referrer" content="no-referrer">
            """
        return Inspector.document(
            with: [("@policy", Array(policy.utf8)), ("@style", Inspector.style), ("@loader", script)]
        )
    }()
}

/// Modules of the page as one script: a function for each, which is called once and returns the exports.
///
/// An import is a line `import { … } from "./NAME.js";`, an export the first line of a declaration of one name. `import(` becomes
/// the reading of a module that has run.
struct ModuleBundle {
    /// Names of the modules, each after those that it imports; the last one begins the page.
    private(set) var order: [String] = []
    private(set) var script = """
        const savedModules = {};
        const importSaved = async (path) => savedModules[path.slice(2)];

        """

    private static let call = Array("import(".utf8)

    /// - Parameter main: the module that imports others by `import(`, which all run before it.
    init(_ contents: [String: [UInt8]], main: String) {
        for name in contents.keys.sorted() where name != main { add(name, of: contents) }
        add(main, of: contents)
    }

    /// Adds a module after those that it imports, unless it was added before.
    private mutating func add(_ name: String, of contents: [String: [UInt8]]) {
        guard !order.contains(name), let content = contents[name] else { return }
        var body = ""
        var exports: [String] = []
        for line in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            // Other lines remain, and are many.
            guard line.starts(with: "import ".utf8) || line.starts(with: "export ".utf8) || line.contains(Self.call)
            else {
                body += String(decoding: line, as: UTF8.self) + "\n"
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            if let found = text.wholeMatch(of: /import (\{ .* \}) from "\.\/(\w+\.js)";/) {
                add(String(found.2), of: contents)
                body += "const \(found.1) = savedModules[\"\(found.2)\"];\n"
            } else if let found = text.wholeMatch(of: /export ((?:async )?(?:const|class|function\*?) ([\w$]+).*)/) {
                exports.append(String(found.2))
                body += found.1.replacing("import(", with: "importSaved(") + "\n"
            } else {
                body += text.replacing("import(", with: "importSaved(") + "\n"
            }
        }
        order.append(name)
        script += "savedModules[\"\(name)\"] = (() => {\n\(body)return { \(exports.joined(separator: ", ")) };\n})();\n"
    }
}
#endif
