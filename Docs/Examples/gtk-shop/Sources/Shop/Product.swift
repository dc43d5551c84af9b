/// Article of the shop.
struct Product: Sendable, Equatable {
    var name: String
    /// The price in euros.
    var price: Int
    /// The category, of ``categories``.
    var category: String

    static let categories = ["All", "Shoes", "Socks", "Laces"]

    static let all: [Product] = (1...40).map { number in
        let category = categories[1 + number % 3]
        return Product(name: "\(category) No. \(number)", price: 5 + number * 3 % 50, category: category)
    }
}
