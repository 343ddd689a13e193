import Glibc

/// The paths that a test process needs: the package's products, and files of its tree.
package enum Product {
  /// The path of a product.
  ///
  /// `acct` is the release binary, which is the one that is shipped, or the one that `ACCT_BINARY` names.
  /// Other products lie beside the test bundle.
  package static func executable(_ name: String) -> String {
    guard name == "acct" else { return "\(productFolder)/\(name)" }
    if let path = unsafe getenv("ACCT_BINARY") { return unsafe String(cString: path) }
    return source(".build/release/acct")
  }

  /// The path of a file in the package's tree, such as `Examples/verify_proof.py`.
  package static func source(_ path: String) -> String {
    // Tests/AcctTestSupport/Processes/Product.swift stands four levels below the root.
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    return "/\(root)/\(path)"
  }

  /// `true` if `.ci/sanitize` runs the tests: a sanitizer has memory of its own, and holds back what is freed.
  package static var isSanitized: Bool { unsafe getenv("ACCT_SANITIZE") != nil }

  /// The folder of the test bundle.
  private static let productFolder: String = {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return own.split(separator: "/").dropLast().reduce(into: "") { $0 += "/\($1)" }
  }()
}
