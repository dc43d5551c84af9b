import Clickstream
import ClickstreamAudit
import GRDB

/// Types of these modules, without a module before a name: the file compiles only if no name is ambiguous.
func auditBesideGRDB() -> [Any.Type] {
    [
        Audit.self, Audit.Events.self, Audit.Scope.self, AuditError.self, EventConfiguration.self,
        AttributeValue.self, Attributes.self, ClickstreamAnalytics.self, ClickstreamAttribute.self,
        ClickstreamClient.self, ClickstreamClient.Configuration.self, ClickstreamClient.Device.self,
        ClickstreamClient.World.self, ClickstreamConfiguration.self, ConsentDecision.self, ConsentPurpose.self,
        DraftEvent.self, ErrorCode.self, FlushError.self, FlushReport.self, InitError.self, Notice.self,
        NoticeObserver.self, TransportError.self, Violation.self, (any AttributeValueConvertible).self,
        (any ClickstreamClient.Transport).self, (any ClickstreamEvent).self, (any CustomEventRepresentable).self,
        Column.self, ColumnDefinition.self, ColumnInfo.self, Configuration.self, Database.self, DatabaseError.self,
        DatabaseEvent.self, DatabaseMigrator.self, DatabasePool.self, DatabaseQueue.self, DatabaseRegion.self,
        DatabaseSnapshot.self, DatabaseValue.self, ForeignKey.self, IndexInfo.self, Inflections.self, Record.self,
        ResultCode.self, Row.self, SQL.self, Statement.self, StatementArguments.self, TableDefinition.self,
        (any FetchableRecord).self, (any PersistableRecord).self, (any TransactionObserver).self,
    ]
}
