import Glibc

/// The paths that a test process needs: the package's products, and files of its tree.
package enum Product {
  /// The path of an executable that was built together with these tests; of `acct`, the one that
  /// `ACCT_BINARY` names, if it does.
  package static func executable(_ name: String) -> String {
    if name == "acct", let path = unsafe getenv("ACCT_BINARY") {
      return unsafe String(cString: path)
    }
    return "\(productFolder)/\(name)"
  }

  /// The path of a file in the package's tree, such as `Examples/verify_proof.py`.
  package static func source(_ path: String) -> String {
    // Tests/AcctTestSupport/Processes/Product.swift stands four levels below the root.
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    return "/\(root)/\(path)"
  }

  /// The test bundle lies beside the products.
  private static let productFolder: String = {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(
      decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)),
      as: UTF8.self
    )
    return own.split(separator: "/").dropLast().reduce(into: "") { $0 += "/\($1)" }
  }()
}
