import Glibc

/// The contents of a folder, as a test sees them from outside.
extension AcctHome {
  /// The whole contents of a file below the home, or `nil` if there is none.
  package func contents(of name: String) -> [UInt8]? {
    let descriptor = unsafe open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var contents: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return count == 0 ? contents : nil }
      contents += buffer[..<count]
    }
  }

  /// The files below the home, by name; none in a home that is not there.
  package func files() async throws(ProcessFailure) -> [String] {
    let found = try await ChildProcess("find", [path, "-type", "f", "-printf", "%P\\n"]).run()
    return found.text.split(separator: "\n").map(String.init).sorted()
  }

  /// The files that hold text of a form (an extended regular expression).
  package func files(containing expression: String) async throws(ProcessFailure) -> [String] {
    let found = try await ChildProcess("grep", ["-rlaE", expression, path]).run()
    return found.text.split(separator: "\n").map(String.init)
  }
}
