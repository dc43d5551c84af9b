#ifndef CLICKSTREAM_SQLITE_H
#define CLICKSTREAM_SQLITE_H

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;
struct sqlite3_value;

/// Changes of a counter that all observed connections compare with: scopes begin and end. Atomic.
typedef struct clickstream_generation clickstream_generation;

clickstream_generation *clickstream_generation_new(void);
void clickstream_generation_free(clickstream_generation *generation);
void clickstream_generation_increment(clickstream_generation *generation);
uint64_t clickstream_generation_load(const clickstream_generation *generation);

/// Enables the defensive mode of a connection: no SQL, also not that of the schema, changes the file other than by rows and
/// definitions of tables.
/// - returns: false if the SQLite library has no such mode.
bool clickstream_set_defensive(struct sqlite3 *database);

/// Callbacks of an observed connection. Called on the thread that uses the connection, within a call of SQLite.
typedef struct {
    void (*on_statement)(void *context, struct sqlite3_stmt *statement);
    /// The end of a statement that began while the connection was active, or that is one of `clickstream_ends`.
    void (*on_statement_end)(void *context);
    void (*on_row)(void *context, struct sqlite3_stmt *statement);
    void (*on_change)(
        void *context, int operation, const char *database, const char *table, int64_t old_row, int64_t new_row);
    /// A transaction that a virtual table belongs to is about to be committed, and is open yet: queries see its changes, and
    /// no other connection does. It may write to databases that the transaction has locked. Another status than 0 makes the
    /// commit fail with it, and rolls the transaction back. SQLite calls it again if the commit fails and is repeated.
    int (*on_commit)(void *context);
    /// A transaction that a virtual table belongs to has ended. May be called while the connection is closed.
    void (*on_transaction_end)(void *context, bool is_committed);
} clickstream_callbacks;

/// State of an observed connection that SQLite refers to.
typedef struct clickstream_connection clickstream_connection;

clickstream_connection *clickstream_connection_new(
    struct sqlite3 *database, const clickstream_generation *generation, clickstream_callbacks callbacks, void *context);
void clickstream_connection_free(clickstream_connection *connection);

/// Statements whose end is reported if they activate the connection. SQLite reports the end only of a statement that
/// began with this setting, and reads the clock twice for it.
typedef enum {
    CLICKSTREAM_ENDS_NONE,
    /// Statements that begin outside a transaction.
    CLICKSTREAM_ENDS_OUTSIDE_TRANSACTIONS,
    CLICKSTREAM_ENDS_ALL,
} clickstream_ends;

/// Installs the trace function: of the beginnings of statements that follow a change of the generation, or, if active, of
/// all beginnings, rows and ends.
/// - ends: the statements whose end is reported if they activate the connection.
/// - seen: the generation that the caller has handled.
void clickstream_connection_trace(
    clickstream_connection *connection, bool is_active, clickstream_ends ends, uint64_t seen);

/// Removes the trace function until it is installed again.
void clickstream_connection_pause(clickstream_connection *connection);

/// True if the SQLite library has the pre-update hook.
bool clickstream_has_preupdate_hook(void);
/// True if the SQLite library returns the origin of result columns.
bool clickstream_has_column_origins(void);

/// Installs or removes the pre-update hook.
/// - returns: the context of the hook that was installed before; that of this connection is `connection` itself.
void *clickstream_connection_hook(clickstream_connection *connection, bool is_active);

/// The values of the row before and after the change, during `on_change`; null on failure.
struct sqlite3_value *clickstream_preupdate_old(clickstream_connection *connection, int column);
struct sqlite3_value *clickstream_preupdate_new(clickstream_connection *connection, int column);
/// The number of columns of the row, during `on_change`.
int clickstream_preupdate_count(clickstream_connection *connection);

/// Creates the module of the connection's virtual table, which has no rows. A statement that writes to the table adds it to the
/// open transaction: SQLite then reports the end of the transaction, and calls `on_commit` where the table of a full-text
/// index writes its last changes, with statements of its own.
/// - returns: a status of SQLite.
int clickstream_connection_create_module(clickstream_connection *connection, const char *name);

typedef enum {
    CLICKSTREAM_TRANSACTION_NONE,
    CLICKSTREAM_TRANSACTION_READ,
    CLICKSTREAM_TRANSACTION_WRITE,
    /// There is no such database, or the SQLite library is older than 3.34.
    CLICKSTREAM_TRANSACTION_UNKNOWN,
} clickstream_transaction;

/// The lock that the connection has on one of its databases; without a name, the strongest on any.
clickstream_transaction clickstream_connection_transaction(clickstream_connection *connection, const char *database);

/// The origin of a result column; null for an expression.
const char *clickstream_column_database(struct sqlite3_stmt *statement, int column);
const char *clickstream_column_table(struct sqlite3_stmt *statement, int column);
const char *clickstream_column_origin(struct sqlite3_stmt *statement, int column);

#endif
