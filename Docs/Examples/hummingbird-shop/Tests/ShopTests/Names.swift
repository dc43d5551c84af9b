import ClickstreamServer
import Hummingbird
import HummingbirdCore

/// Types of these modules, without a module before a name: the file compiles only if no name is ambiguous.
func serverBesideHummingbird() -> [Any.Type] {
    [
        AttributeValue.self, Attributes.self, ClickstreamClient.self, ClickstreamClient.Configuration.self,
        ClickstreamClient.Device.self, ClickstreamConfiguration.self, FlushError.self, FlushReport.self,
        InitError.self, Notice.self, NoticeObserver.self, ServerAccounts.self, ServerEvents.self,
        ServerPressure.self, SessionTable.self, StoreError.self, Timestamp.self, Violation.self, Visitor.self,
        (any AttributeValueConvertible).self, (any ClickstreamClient.Transport).self,
        ApplicationConfiguration.self, BasicRequestContext.self, BindAddress.self, ByteBuffer.self,
        CacheControl.self, Cookie.self, Cookies.self, Environment.self, FileIO.self, HTTPError.self,
        LocalFileSystem.self, MediaType.self, Request.self, RequestBody.self, Response.self, ResponseBody.self,
        Router<BasicRequestContext>.self, RouterPath.self, ServerConfiguration.self, URI.self,
        (any RequestContext).self, (any ResponseGenerator).self,
    ]
}
