#include "CClickstreamSQLite.h"

#include <stdatomic.h>
#include <stdlib.h>

// Functions of SQLite. The weak ones depend on options of its build, and are null if the library lacks them; all are, if
// the program contains no SQLite.
#define WEAK __attribute__((weak))

struct sqlite3_context;
struct sqlite3_index_info;
struct sqlite3_module;

typedef void (*preupdate_callback)(
    void *, struct sqlite3 *, int, char const *, char const *, long long, long long);

extern WEAK void *sqlite3_preupdate_hook(struct sqlite3 *, preupdate_callback, void *);
extern WEAK int sqlite3_preupdate_old(struct sqlite3 *, int, struct sqlite3_value **);
extern WEAK int sqlite3_preupdate_new(struct sqlite3 *, int, struct sqlite3_value **);
extern WEAK int sqlite3_preupdate_count(struct sqlite3 *);
extern WEAK const char *sqlite3_column_database_name(struct sqlite3_stmt *, int);
extern WEAK const char *sqlite3_column_table_name(struct sqlite3_stmt *, int);
extern WEAK const char *sqlite3_column_origin_name(struct sqlite3_stmt *, int);
extern WEAK int sqlite3_db_config(struct sqlite3 *, int, ...);
extern WEAK int sqlite3_get_autocommit(struct sqlite3 *);
extern WEAK int sqlite3_stmt_readonly(struct sqlite3_stmt *);
extern WEAK int sqlite3_trace_v2(struct sqlite3 *, unsigned, int (*)(unsigned, void *, void *, void *), void *);
extern WEAK int sqlite3_txn_state(struct sqlite3 *, const char *);
extern WEAK int sqlite3_declare_vtab(struct sqlite3 *, const char *);
extern WEAK int sqlite3_vtab_config(struct sqlite3 *, int, ...);
extern WEAK int sqlite3_create_module_v2(
    struct sqlite3 *, const char *, const struct sqlite3_module *, void *, void (*)(void *));

enum { TRACE_STATEMENT = 1, TRACE_PROFILE = 2, TRACE_ROW = 4 };

struct clickstream_generation {
    _Atomic uint64_t count;
};

clickstream_generation *clickstream_generation_new(void) {
    return calloc(1, sizeof(clickstream_generation));
}

void clickstream_generation_free(clickstream_generation *generation) {
    free(generation);
}

void clickstream_generation_increment(clickstream_generation *generation) {
    atomic_fetch_add_explicit(&generation->count, 1, memory_order_release);
}

uint64_t clickstream_generation_load(const clickstream_generation *generation) {
    return atomic_load_explicit(&generation->count, memory_order_acquire);
}

struct clickstream_connection {
    // The session extension takes the context of the hook that it replaces for its own session. Zeros are a disabled one.
    unsigned char session[512];
    struct sqlite3 *database;
    const clickstream_generation *generation;
    uint64_t seen;
    bool is_active;
    clickstream_ends ends;
    // True if the trace function is called at the end of statements.
    bool traces_ends;
    clickstream_callbacks callbacks;
    void *context;
};

clickstream_connection *clickstream_connection_new(
    struct sqlite3 *database, const clickstream_generation *generation, clickstream_callbacks callbacks, void *context)
{
    clickstream_connection *connection = calloc(1, sizeof *connection);
    if (!connection) abort();
    connection->database = database;
    connection->generation = generation;
    connection->callbacks = callbacks;
    connection->context = context;
    return connection;
}

void clickstream_connection_free(clickstream_connection *connection) {
    free(connection);
}

// MARK: Settings

bool clickstream_set_defensive(struct sqlite3 *database) {
    // SQLITE_DBCONFIG_DEFENSIVE
    enum { DEFENSIVE = 1010 };
    int is_defensive = 0;
    return sqlite3_db_config && sqlite3_db_config(database, DEFENSIVE, 1, &is_defensive) == 0 && is_defensive;
}

// MARK: Trace

static int trace(unsigned type, void *context, void *statement, void *text);

static void install_trace(clickstream_connection *connection, bool traces_ends) {
    connection->traces_ends = traces_ends;
    unsigned mask = TRACE_STATEMENT;
    if (connection->is_active) mask |= TRACE_ROW;
    if (traces_ends) mask |= TRACE_PROFILE;
    if (sqlite3_trace_v2) sqlite3_trace_v2(connection->database, mask, trace, connection);
}

// True if a statement within a transaction may be its end: it changes no row, and is none of SELECT, SAVEPOINT, WITH,
// VALUES and PRAGMA. A comment before the statement counts as an end.
static bool may_end_transaction(struct sqlite3_stmt *statement, const char *text) {
    if (!sqlite3_stmt_readonly(statement)) return false;
    switch (text ? text[0] | 0x20 : 0) {
    case 's': case 'w': case 'v': case 'p': return false;
    default: return true;
    }
}

// Reports ends outside transactions only. A setting applies to the statements that begin later: it changes with the
// last statement of a transaction. After one that fails and rolls back, it changes one statement later.
static void follow_transaction(clickstream_connection *connection, struct sqlite3_stmt *statement, const char *text) {
    bool traces_ends = sqlite3_get_autocommit(connection->database) || may_end_transaction(statement, text);
    if (traces_ends != connection->traces_ends) install_trace(connection, traces_ends);
}

static int trace(unsigned type, void *context, void *statement, void *text) {
    clickstream_connection *connection = context;
    if (type == TRACE_ROW) {
        connection->callbacks.on_row(connection->context, statement);
        return 0;
    }
    if (type == TRACE_PROFILE) {
        if (connection->is_active) connection->callbacks.on_statement_end(connection->context);
        return 0;
    }
    if (!connection->is_active && clickstream_generation_load(connection->generation) == connection->seen) {
        if (connection->ends == CLICKSTREAM_ENDS_OUTSIDE_TRANSACTIONS) follow_transaction(connection, statement, text);
        return 0;
    }
    // The beginning of a trigger has a comment instead of the statement's text.
    const char *comment = text;
    if (comment && comment[0] == '-' && comment[1] == '-' && comment[2] == ' ') {
        // A statement may begin with a comment too: that of a trigger is its name alone.
        const char *end = comment;
        while (*end && *end != '\n') end++;
        if (!*end) return 0;
    }
    connection->callbacks.on_statement(connection->context, statement);
    return 0;
}

void clickstream_connection_trace(
    clickstream_connection *connection, bool is_active, clickstream_ends ends, uint64_t seen)
{
    connection->seen = seen;
    connection->is_active = is_active;
    connection->ends = ends;
    install_trace(connection, is_active || ends != CLICKSTREAM_ENDS_NONE);
}

void clickstream_connection_pause(clickstream_connection *connection) {
    if (sqlite3_trace_v2) sqlite3_trace_v2(connection->database, 0, NULL, NULL);
}

// MARK: Changes

bool clickstream_has_preupdate_hook(void) {
    return sqlite3_preupdate_hook && sqlite3_preupdate_old && sqlite3_preupdate_new && sqlite3_preupdate_count;
}

bool clickstream_has_column_origins(void) {
    return sqlite3_column_database_name && sqlite3_column_table_name && sqlite3_column_origin_name;
}

static void changed(
    void *context, struct sqlite3 *database, int operation, char const *name, char const *table, long long old_row,
    long long new_row)
{
    clickstream_connection *connection = context;
    (void)database;
    connection->callbacks.on_change(connection->context, operation, name, table, old_row, new_row);
}

void *clickstream_connection_hook(clickstream_connection *connection, bool is_active) {
    if (!sqlite3_preupdate_hook) return NULL;
    return is_active ? sqlite3_preupdate_hook(connection->database, changed, connection)
                     : sqlite3_preupdate_hook(connection->database, NULL, NULL);
}

struct sqlite3_value *clickstream_preupdate_old(clickstream_connection *connection, int column) {
    struct sqlite3_value *value = NULL;
    return sqlite3_preupdate_old(connection->database, column, &value) == 0 ? value : NULL;
}

struct sqlite3_value *clickstream_preupdate_new(clickstream_connection *connection, int column) {
    struct sqlite3_value *value = NULL;
    return sqlite3_preupdate_new(connection->database, column, &value) == 0 ? value : NULL;
}

int clickstream_preupdate_count(clickstream_connection *connection) {
    return sqlite3_preupdate_count(connection->database);
}

// MARK: Transactions

// Types of SQLite's header for virtual tables, which is not included. `connection` is the table's own part.
struct sqlite3_vtab {
    const struct sqlite3_module *module;
    int references;
    char *message;
    clickstream_connection *connection;
};

struct sqlite3_vtab_cursor {
    struct sqlite3_vtab *table;
};

struct sqlite3_module {
    int version;
    int (*create)(struct sqlite3 *, void *, int, const char *const *, struct sqlite3_vtab **, char **);
    int (*connect)(struct sqlite3 *, void *, int, const char *const *, struct sqlite3_vtab **, char **);
    int (*best_index)(struct sqlite3_vtab *, struct sqlite3_index_info *);
    int (*disconnect)(struct sqlite3_vtab *);
    int (*destroy)(struct sqlite3_vtab *);
    int (*open)(struct sqlite3_vtab *, struct sqlite3_vtab_cursor **);
    int (*close)(struct sqlite3_vtab_cursor *);
    int (*filter)(struct sqlite3_vtab_cursor *, int, const char *, int, struct sqlite3_value **);
    int (*next)(struct sqlite3_vtab_cursor *);
    int (*eof)(struct sqlite3_vtab_cursor *);
    int (*column)(struct sqlite3_vtab_cursor *, struct sqlite3_context *, int);
    int (*rowid)(struct sqlite3_vtab_cursor *, long long *);
    int (*update)(struct sqlite3_vtab *, int, struct sqlite3_value **, long long *);
    int (*begin)(struct sqlite3_vtab *);
    int (*sync)(struct sqlite3_vtab *);
    int (*commit)(struct sqlite3_vtab *);
    int (*rollback)(struct sqlite3_vtab *);
    int (*find_function)(
        struct sqlite3_vtab *, int, const char *, void (**)(struct sqlite3_context *, int, struct sqlite3_value **),
        void **);
    int (*rename)(struct sqlite3_vtab *, const char *);
    // Members of later versions. SQLite 3.40 reads `savepoint` without regard to the version.
    int (*savepoint)(struct sqlite3_vtab *, int);
    int (*release)(struct sqlite3_vtab *, int);
    int (*rollback_to)(struct sqlite3_vtab *, int);
    int (*shadow_name)(const char *);
    int (*integrity)(struct sqlite3_vtab *, const char *, const char *, int, char **);
};

enum { SQLITE_DONE_OK = 0, SQLITE_FAILED = 1, SQLITE_NO_MEMORY = 7, SQLITE_CONSTRAINT_FAILED = 19 };

enum { VTAB_CONSTRAINT_SUPPORT = 1 };

static int table_connect(
    struct sqlite3 *database, void *context, int count, const char *const *arguments, struct sqlite3_vtab **result,
    char **message)
{
    (void)count;
    (void)arguments;
    (void)message;
    int status = sqlite3_declare_vtab(database, "CREATE TABLE x(x)");
    // For `INSERT OR IGNORE`, which then ignores that `table_update` refuses the row.
    if (status == SQLITE_DONE_OK) status = sqlite3_vtab_config(database, VTAB_CONSTRAINT_SUPPORT, 1);
    if (status != SQLITE_DONE_OK) return status;
    struct sqlite3_vtab *table = calloc(1, sizeof *table);
    if (!table) return SQLITE_NO_MEMORY;
    table->connection = context;
    *result = table;
    return SQLITE_DONE_OK;
}

static int table_best_index(struct sqlite3_vtab *table, struct sqlite3_index_info *index) {
    (void)table;
    (void)index;
    return SQLITE_DONE_OK;
}

static int table_disconnect(struct sqlite3_vtab *table) {
    free(table);
    return SQLITE_DONE_OK;
}

static int table_open(struct sqlite3_vtab *table, struct sqlite3_vtab_cursor **result) {
    (void)table;
    *result = calloc(1, sizeof **result);
    return *result ? SQLITE_DONE_OK : SQLITE_NO_MEMORY;
}

static int table_close(struct sqlite3_vtab_cursor *cursor) {
    free(cursor);
    return SQLITE_DONE_OK;
}

static int table_filter(
    struct sqlite3_vtab_cursor *cursor, int number, const char *text, int count, struct sqlite3_value **values)
{
    (void)cursor;
    (void)number;
    (void)text;
    (void)count;
    (void)values;
    return SQLITE_DONE_OK;
}

static int table_next(struct sqlite3_vtab_cursor *cursor) {
    (void)cursor;
    return SQLITE_DONE_OK;
}

static int table_eof(struct sqlite3_vtab_cursor *cursor) {
    (void)cursor;
    return 1;
}

static int table_column(struct sqlite3_vtab_cursor *cursor, struct sqlite3_context *context, int column) {
    (void)cursor;
    (void)context;
    (void)column;
    return SQLITE_FAILED;
}

static int table_rowid(struct sqlite3_vtab_cursor *cursor, long long *result) {
    (void)cursor;
    (void)result;
    return SQLITE_FAILED;
}

static int table_update(struct sqlite3_vtab *table, int count, struct sqlite3_value **values, long long *rowid) {
    (void)table;
    (void)count;
    (void)values;
    (void)rowid;
    return SQLITE_CONSTRAINT_FAILED;
}

static int table_begin(struct sqlite3_vtab *table) {
    (void)table;
    return SQLITE_DONE_OK;
}

static int table_sync(struct sqlite3_vtab *table) {
    return table->connection->callbacks.on_commit(table->connection->context);
}

static int table_commit(struct sqlite3_vtab *table) {
    table->connection->callbacks.on_transaction_end(table->connection->context, true);
    return SQLITE_DONE_OK;
}

static int table_rollback(struct sqlite3_vtab *table) {
    table->connection->callbacks.on_transaction_end(table->connection->context, false);
    return SQLITE_DONE_OK;
}

static const struct sqlite3_module transaction_module = {
    .version = 1,
    // The same function: the table also exists in `main`, without being created.
    .create = table_connect,
    .connect = table_connect,
    .best_index = table_best_index,
    .disconnect = table_disconnect,
    .destroy = table_disconnect,
    .open = table_open,
    .close = table_close,
    .filter = table_filter,
    .next = table_next,
    .eof = table_eof,
    .column = table_column,
    .rowid = table_rowid,
    .update = table_update,
    .begin = table_begin,
    .sync = table_sync,
    .commit = table_commit,
    .rollback = table_rollback,
};

int clickstream_connection_create_module(clickstream_connection *connection, const char *name) {
    if (!sqlite3_create_module_v2 || !sqlite3_declare_vtab || !sqlite3_vtab_config) return SQLITE_FAILED;
    return sqlite3_create_module_v2(connection->database, name, &transaction_module, connection, NULL);
}

clickstream_transaction clickstream_connection_transaction(clickstream_connection *connection, const char *database) {
    if (!sqlite3_txn_state) return CLICKSTREAM_TRANSACTION_UNKNOWN;
    switch (sqlite3_txn_state(connection->database, database)) {
    case 0: return CLICKSTREAM_TRANSACTION_NONE;
    case 1: return CLICKSTREAM_TRANSACTION_READ;
    case 2: return CLICKSTREAM_TRANSACTION_WRITE;
    default: return CLICKSTREAM_TRANSACTION_UNKNOWN;
    }
}

// MARK: Origins

const char *clickstream_column_database(struct sqlite3_stmt *statement, int column) {
    return sqlite3_column_database_name ? sqlite3_column_database_name(statement, column) : NULL;
}

const char *clickstream_column_table(struct sqlite3_stmt *statement, int column) {
    return sqlite3_column_table_name ? sqlite3_column_table_name(statement, column) : NULL;
}

const char *clickstream_column_origin(struct sqlite3_stmt *statement, int column) {
    return sqlite3_column_origin_name ? sqlite3_column_origin_name(statement, column) : NULL;
}
