import AcctModel
package import AcctPorts
import CLinux
import Glibc

extension QRCode {
  /// Codes made by libqrencode, where standard error is a terminal that shows UTF-8.
  ///
  /// - Parameters:
  ///   - error: The descriptor of standard error.
  ///   - variable: Returns an environment variable, and `nil` for one that is empty.
  /// - Returns: The maker of codes.
  package static func live(
    error: Int32 = STDERR_FILENO,
    _ variable: @escaping @Sendable (_ name: String) -> String?
  ) -> QRCode {
    QRCode { address in
      guard isatty(error) == 1, variable("TERM") != "dumb", localeIsUTF8(variable) else { return nil }
      guard let code = unsafe acct_qrcode_make(address) else { return nil }
      defer { unsafe acct_qrcode_free(code) }
      let width = Int(unsafe code.pointee.width)
      let modules = unsafe UnsafeBufferPointer(start: code.pointee.modules, count: width * width)
      return (0..<width).map { row in (0..<width).map { column in unsafe modules[row * width + column] & 1 == 1 } }
    }
  }
}
