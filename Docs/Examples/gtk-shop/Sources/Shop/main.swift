import CGtk
import ClickstreamAnalytics
import Dispatch
import Glibc

// Settings come from amplifyconfiguration.json, or from the environment.
try ClickstreamAnalytics.initSDK()

setlocale(LC_ALL, "")
shop_bind_text_domain("gtk-shop", Shop.catalogs)

guard let application = gtk_application_new("org.example.Shop", G_APPLICATION_NON_UNIQUE) else {
    fatalError("No application")
}
let shop = Shop(application: application)
on(application, "activate") { shop.activate() }
let status = g_application_run(
    UnsafeMutablePointer(OpaquePointer(application)),
    CommandLine.argc,
    CommandLine.unsafeArgv
)

// Ends the visit, and sends what is queued, for two seconds at most; a later start sends the rest.
ClickstreamAnalytics.background()
let sent = DispatchSemaphore(value: 0)
Task.detached {
    _ = await ClickstreamAnalytics.flush(deadline: .seconds(2))
    sent.signal()
}
_ = sent.wait(timeout: .now() + 2)
ClickstreamAnalytics.shutdown()
exit(status)
