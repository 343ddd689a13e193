package import AcctPorts
import CLinux
import Glibc
import PrivateFiles

extension Machine {
  /// The libraries that acct loads when it needs them.
  private static let loaded = "libcurl.so.4 libexpat.so.1 libpq.so.5 libqrencode.so.4 libsecret-1.so.0"

  /// Asks the kernel and the loader, which then has the libraries.
  package static func live() -> Machine {
    var name = utsname()
    guard unsafe uname(&name) == 0 else { return Machine() }
    return unsafe Machine(
      kernel: text(name.release),
      architecture: text(name.machine),
      distribution: ["/etc/os-release", "/usr/lib/os-release"].lazy.compactMap(contents).first ?? "",
      libc: String(cString: acct_libc_version()),
      libraries: loaded.split(separator: " ").map { (String($0), file(of: String($0))) }
    )
  }

  /// A text in an array of C, which Swift sees as a tuple.
  private static func text(_ characters: some Any) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  private static func contents(_ path: String) -> String? {
    do {
      let file = try Descriptor.open(path, O_RDONLY)
      return try readAll(from: file.number, limit: 1 << 16).map { String(decoding: $0, as: UTF8.self) }
    } catch { return nil }
  }

  /// The name of a library's file, to which links of other names lead.
  private static func file(of name: String) -> String? {
    guard let place = unsafe acct_library_path(name), let path = unsafe realpath(place, nil) else { return nil }
    defer { unsafe free(path) }
    return unsafe String(cString: path).split(separator: "/").last.map(String.init)
  }
}
