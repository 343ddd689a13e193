/// Makes QR codes for the terminal at standard error.
package struct QRCode: Sendable {
  /// The modules of a code for an address, row by row, without a margin; `true` is dark.
  ///
  /// `nil` where no terminal could show them, or the system has no library that makes them.
  package var modules: @Sendable (_ address: String) -> [[Bool]]?

  package init(modules: @escaping @Sendable (_ address: String) -> [[Bool]]?) { self.modules = modules }

  /// Shows none.
  package static let none = QRCode { _ in nil }
}
