import ClickstreamAnalytics

let configuration = ClickstreamConfiguration()
configuration.appId = "shop"
configuration.endpoint = "http://127.0.0.1:9090/collect"
try ClickstreamAnalytics.initSDK(configuration)

ClickstreamAnalytics.record(Login(method: .appleId))
ClickstreamAnalytics.record(
    AddToCart(price: 12.5, currency: .eur, quantity: 2, items: [AddToCart.Item(id: "123", price: 6.25)])
)
ClickstreamAnalytics.record(LogOut())
ClickstreamAnalytics.shutdown()
