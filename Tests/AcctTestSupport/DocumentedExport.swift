import Glibc

/// The example in `Documentation/export-format.md`, made by another program than acct.
package struct DocumentedExport: Sendable {
  /// What opens it.
  package static let passphrase = "correct horse battery staple"
  /// The account in it, as its file says.
  package static let id = "3f0c1b6e-5a7d-4c9e-8b21-0d4e6f8a9c13"

  /// What is sealed in it.
  package let contents: String
  /// The file.
  package let file: String

  /// Reads it from the document.
  ///
  /// - Throws: ``ProcessFailure`` if the document is not there, or has no example.
  package init() throws(ProcessFailure) {
    let path = Product.source("Documentation/export-format.md")
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(call: "open \(path)", code: errno) }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe read(descriptor, &buffer, buffer.count)
    let text = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    let blocks = text.split(separator: "```json\n").dropFirst()
      .compactMap { $0.split(separator: "```").first.map(String.init) }
    guard blocks.count == 2 else { throw .system(call: "finding the example", code: ENOENT) }
    contents = String(blocks[0].dropLast())
    file = blocks[1]
  }
}
