import TestSupport

/// Declared types of columns, with literals of the values that occur in them.
enum ColumnType: String, CaseIterable {
    case integer = "INTEGER"
    case text = "TEXT"
    case varchar = "VARCHAR(20)"
    case real = "REAL"
    case boolean = "BOOLEAN"
    case date = "DATE"
    case datetime = "DATETIME"
    case decimal = "DECIMAL(10,2)"
    case numeric = "NUMERIC"
    case json = "JSON"
    case uuid = "UUID"
    case blob = "BLOB"
    case untyped = ""

    var literals: [String] {
        switch self {
        // Beyond the largest rowid SQLite picks random ones: the twin would have others.
        case .integer: ["0", "1", "2", "3", "4", "5", "-7", "9007199254740993"]
        case .text, .varchar:
            ["'a'", "'b'", "'c'", "'d'", "'e'", "''", "'it''s \"q\"'", "'tab\tline\n\u{1}'", "'Zoë 漢字 🙂'", "'12'"]
        case .real: ["0.5", "-2.25", "3.0", "0.1", "1e300", "7"]
        case .boolean: ["0", "1", "TRUE", "FALSE"]
        case .date: ["'2024-02-29'", "'1969-12-31'", "'2038-01-19'", "'0999-01-02'"]
        case .datetime:
            [
                "'2024-02-29 10:11:12.345'", "'2024-02-29 10:11:12'", "'2024-02-29T10:11:12.345Z'", "1709201472",
                "1709201472.25", "-1", "0",
            ]
        case .decimal, .numeric: ["1.5", "3", "-0.25", "'12.50'", "100"]
        case .json:
            [
                #"'{"a":[1,2.5,null],"b":{"c":"ö \" 1"}}'"#, "'[]'", #"'["x",true]'"#, "'{}'", "'null'", #"'"text"'"#,
                "'{broken'",
            ]
        case .uuid: ["x'00112233445566778899aabbccddeeff'", "x'ffffffffffffffffffffffffffffffff'"]
        case .blob: ["x'00ff'", "x''", "x'01'", "zeroblob(3)"]
        case .untyped: ["1", "2", "'a'", "'b'", "1.5"]
        }
    }
}

struct RandomColumn {
    var name: String
    var type: ColumnType
    var isNotNull = false
    /// Expression of a generated column.
    var generated: (expression: String, isStored: Bool)?
    /// Table whose key the column contains.
    var target: Int?

    var sql: String { quoted(name) }
}

struct RandomTable {
    enum Key: CaseIterable {
        case integer
        case autoincrement
        case text
        case composite
        case textWithoutRowID
        case compositeWithoutRowID
        case uuid
        case none
    }

    var name: String
    var key: Key
    var keyColumns: [String]
    var columns: [RandomColumn]
    /// Constraints and clauses of the table.
    var constraints: [String] = []

    var sql: String { quoted(name) }
    var hasRowID: Bool { key != .textWithoutRowID && key != .compositeWithoutRowID }
    var hasIntegerKey: Bool { key == .integer || key == .autoincrement }
    var settable: [RandomColumn] { columns.filter { $0.generated == nil } }

    func column(_ name: String) -> RandomColumn? { columns.first { $0.name == name } }
}

struct RandomView {
    var name: String
    /// Base table; the columns of the view are columns of it under the same names.
    var table: Int
    var columns: [String]
    /// True if the view has INSTEAD OF triggers.
    var isWritable: Bool

    var sql: String { quoted(name) }
}

func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}

/// Random schema: tables, views and triggers with the statements that create them.
struct RandomSchema {
    var tables: [RandomTable] = []
    var views: [RandomView] = []
    var triggers: [String] = []
    /// Indices beside those of constraints.
    var indices: [String] = []

    init(_ random: inout SplitMix) {
        let names = ["person", "Order", "item \"x\"", "maß", "log'"].shuffled(using: &random)
        for number in 0..<Int.random(in: 1...3, using: &random) {
            tables.append(table(number, name: names[number], &random))
        }
        for number in tables.indices where random.chance(0.4) { addView(of: number, &random) }
        for number in tables.indices where random.chance(0.4) { addTrigger(on: number, &random) }
        for number in tables.indices where random.chance(0.3) {
            let column = tables[number].settable.randomElement(using: &random)!
            let unique = random.chance(0.5) ? "UNIQUE " : ""
            indices.append("CREATE \(unique)INDEX ix\(number) ON \(tables[number].sql)(\(column.sql))")
        }
    }

    /// Replaces the action SET NULL: SQLite omits the check of such a foreign key in a statement whose last compiled trigger
    /// is that action, and thus rejects rows with triggers that it accepts without. `TriggerTests` shows it.
    mutating func avoidUncheckedKeys() {
        for table in tables.indices {
            tables[table].constraints = tables[table].constraints.map { $0.replacing("SET NULL", with: "CASCADE") }
        }
    }

    /// Replaces RAISE(FAIL) where foreign keys have actions: after such a failure within an action SQLite undoes the
    /// statement only if its table has a trigger. `TriggerTests` shows it.
    mutating func avoidFailuresInActions() {
        guard tables.contains(where: { $0.constraints.contains { $0.contains("CASCADE") } }) else { return }
        triggers = triggers.map { $0.replacing("RAISE(FAIL", with: "RAISE(ABORT") }
    }

    /// Replaces OR IGNORE in triggers, and ON CONFLICT of tables without rowid: which of several rows an UPDATE then changes
    /// depends on their order, which NOT INDEXED cannot set there.
    mutating func avoidOrders() {
        triggers = triggers.map { $0.replacing("UPDATE OR IGNORE", with: "UPDATE OR ABORT") }
        for table in tables.indices where !tables[table].hasRowID {
            tables[table].constraints = tables[table].constraints.map {
                $0.replacing(" ON CONFLICT IGNORE", with: "").replacing(" ON CONFLICT REPLACE", with: "")
            }
        }
    }

    var statements: [String] {
        tables.map { table in
            let columns = table.columns.map { column -> String in
                var text = column.sql + (column.type == .untyped ? "" : " " + column.type.rawValue)
                if table.hasIntegerKey && column.name == table.keyColumns[0] {
                    text += " PRIMARY KEY" + (table.key == .autoincrement ? " AUTOINCREMENT" : "")
                }
                if column.isNotNull { text += " NOT NULL" }
                if let (expression, isStored) = column.generated {
                    text += " GENERATED ALWAYS AS (\(expression)) \(isStored ? "STORED" : "VIRTUAL")"
                }
                return text
            }
            let parts = (columns + table.constraints).joined(separator: ", ")
            return "CREATE TABLE \(table.sql) (\(parts))" + (table.hasRowID ? "" : " WITHOUT ROWID")
        }
            + views.map { view in
                let columns = view.columns.map(quoted).joined(separator: ", ")
                return "CREATE VIEW \(view.sql) AS SELECT \(columns) FROM \(tables[view.table].sql)"
            } + triggers + indices
    }

    private func table(_ number: Int, name: String, _ random: inout SplitMix) -> RandomTable {
        let key = RandomTable.Key.allCases.randomElement(using: &random)!
        var table = RandomTable(name: name, key: key, keyColumns: [], columns: [])
        switch key {
        case .integer, .autoincrement: table.columns = [RandomColumn(name: "id", type: .integer)]
        case .text: table.columns = [RandomColumn(name: "code", type: .text)]
        case .textWithoutRowID: table.columns = [RandomColumn(name: "code", type: .text, isNotNull: true)]
        case .uuid: table.columns = [RandomColumn(name: "uuid", type: .uuid)]
        case .composite, .compositeWithoutRowID:
            table.columns = [RandomColumn(name: "k 1", type: .text), RandomColumn(name: "k2", type: .integer)]
        case .none: break
        }
        table.keyColumns = table.columns.map(\.name)
        let keyList = table.keyColumns.map(quoted).joined(separator: ", ")
        let names = ["name", "value", "group", "ä b", "Key"].shuffled(using: &random)
        for index in 0..<Int.random(in: 1...4, using: &random) {
            var column = RandomColumn(name: names[index], type: ColumnType.allCases.randomElement(using: &random)!)
            column.isNotNull = random.chance(0.1)
            table.columns.append(column)
        }
        // The key's place differs from the first one in some tables.
        if random.chance(0.25) { table.columns.shuffle(using: &random) }
        addReference(to: &table, number: number, &random)
        if let base = table.columns.first(where: { $0.type == .text || $0.type == .integer }), random.chance(0.25) {
            let column = RandomColumn(
                name: "gen",
                type: base.type,
                generated: ("\(base.sql) || '!'", random.chance(0.5))
            )
            table.columns.insert(column, at: Int.random(in: 1...table.columns.count, using: &random))
        }
        if !table.hasIntegerKey && key != .none {
            table.constraints.insert("PRIMARY KEY (\(keyList))", at: 0)
        }
        if random.chance(0.3) {
            let column = table.settable.randomElement(using: &random)!
            let conflict = ["", " ON CONFLICT REPLACE", " ON CONFLICT IGNORE"].randomElement(using: &random)!
            table.constraints.append("UNIQUE (\(column.sql))\(conflict)")
        }
        if random.chance(0.2) {
            let column = table.settable.randomElement(using: &random)!
            table.constraints.append("CHECK (\(column.sql) IS NOT 5 AND \(column.sql) IS NOT 'e')")
        }
        // The constraint of a reference follows the others.
        for column in table.columns {
            guard let target = column.target else { continue }
            let referred = target == number ? table : tables[target]
            let actions = ["CASCADE", "SET NULL", "SET DEFAULT", "RESTRICT", "NO ACTION"]
            let deferred = random.chance(0.3) ? " DEFERRABLE INITIALLY DEFERRED" : ""
            table.constraints.append(
                "FOREIGN KEY (\(column.sql)) REFERENCES \(referred.sql)(\(quoted(referred.keyColumns[0])))"
                    + " ON DELETE \(actions.randomElement(using: &random)!)"
                    + " ON UPDATE \(actions.randomElement(using: &random)!)\(deferred)"
            )
        }
        return table
    }

    /// Adds a column with the key of an earlier table, or of the table itself.
    private func addReference(to table: inout RandomTable, number: Int, _ random: inout SplitMix) {
        guard random.chance(0.5) else { return }
        let own = table.keyColumns.count == 1 ? [number] : []
        let targets = tables.indices.filter { tables[$0].keyColumns.count == 1 } + own
        guard let target = targets.randomElement(using: &random) else { return }
        let referred = target == number ? table : tables[target]
        let type = referred.column(referred.keyColumns[0])!.type
        table.columns.append(RandomColumn(name: "ref", type: type, target: target))
    }

    private mutating func addView(of number: Int, _ random: inout SplitMix) {
        let table = tables[number]
        let columns = table.columns.map(\.name).filter { _ in random.chance(0.7) }
        guard !columns.isEmpty else { return }
        let view = RandomView(name: "view\(number)", table: number, columns: columns, isWritable: random.chance(0.6))
        views.append(view)
        guard view.isWritable else { return }
        let settable = columns.filter { table.column($0)?.generated == nil }
        guard let changed = settable.randomElement(using: &random) else { return }
        let list = settable.map(quoted).joined(separator: ", ")
        let new = settable.map { "NEW.\(quoted($0))" }.joined(separator: ", ")
        let same = columns.map { "\(quoted($0)) IS OLD.\(quoted($0))" }.joined(separator: " AND ")
        triggers += [
            """
            CREATE TRIGGER vi\(number) INSTEAD OF INSERT ON \(view.sql) BEGIN
            INSERT INTO \(table.sql)(\(list)) VALUES (\(new)); END
            """,
            """
            CREATE TRIGGER vu\(number) INSTEAD OF UPDATE ON \(view.sql) BEGIN
            UPDATE \(table.sql) SET \(quoted(changed)) = NEW.\(quoted(changed)) WHERE \(same); END
            """,
            """
            CREATE TRIGGER vd\(number) INSTEAD OF DELETE ON \(view.sql) BEGIN
            DELETE FROM \(table.sql) WHERE \(same); END
            """,
        ]
    }

    private mutating func addTrigger(on number: Int, _ random: inout SplitMix) {
        let table = tables[number]
        let other = tables.randomElement(using: &random)!
        let time = ["BEFORE", "AFTER"].randomElement(using: &random)!
        let operation = ["INSERT", "UPDATE", "DELETE"].randomElement(using: &random)!
        let column = other.settable.randomElement(using: &random)!
        let literal = column.type.literals.randomElement(using: &random)!
        let action = [
            "DELETE FROM \(other.sql) WHERE \(column.sql) = \(literal)",
            "UPDATE OR IGNORE \(other.sql) SET \(column.sql) = \(literal) WHERE \(column.sql) IS NULL",
            "INSERT OR IGNORE INTO \(other.sql)(\(column.sql)) VALUES (\(literal))",
            "SELECT RAISE(FAIL, 'refused') FROM \(other.sql) WHERE \(column.sql) = \(literal)",
        ].randomElement(using: &random)!
        // The update of a view updates its table once for each row: the rows would double each time.
        guard operation != "UPDATE" || other.name != table.name || !action.hasPrefix("INSERT") else { return }
        triggers.append(
            "CREATE TRIGGER tr\(number) \(time) \(operation) ON \(table.sql) BEGIN \(action); END"
        )
    }
}

extension SplitMix {
    /// True with the probability `probability`.
    mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }
}
