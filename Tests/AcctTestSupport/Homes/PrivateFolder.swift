import Glibc

/// A folder of a test's own, in the system's place for temporary files.
///
/// Its path is short: a socket's may have no more than 107 bytes.
package struct PrivateFolder: Sendable {
  package let path: String

  /// Makes the folder, with mode 0700.
  package init() throws(HarnessFailure) {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/acct-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw HarnessFailure("mkdtemp: errno \(errno)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Makes a folder in it, with mode 0700, and returns its path.
  package func subfolder(_ name: String) throws(HarnessFailure) -> String {
    let subfolder = "\(path)/\(name)"
    guard unsafe mkdir(subfolder, 0o700) == 0 else { throw HarnessFailure("mkdir: errno \(errno)") }
    return subfolder
  }

  /// Writes a file in it, with mode 0600, and returns its path.
  package func file(_ name: String, _ text: String) throws(HarnessFailure) -> String {
    let file = "\(path)/\(name)"
    let descriptor = unsafe creat(file, 0o600)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else {
      throw HarnessFailure("cannot write \(file): errno \(errno)")
    }
    return file
  }

  /// Removes it with all that is in it.
  package func remove() {
    // What cannot be removed is left to the system, as any temporary file.
    _ = try? Daemon.run(["rm", "-rf", "--", path], environment: [:])
  }
}

/// A test's surroundings could not be set up.
package struct HarnessFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
