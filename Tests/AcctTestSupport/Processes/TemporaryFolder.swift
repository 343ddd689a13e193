import Glibc

/// A private folder (mode 0700) that is deleted, with everything in it, when this is released.
package final class TemporaryFolder: Sendable {
  /// Its absolute path.
  ///
  /// Short, because a unix socket's path may have 107 bytes only.
  package let path: String

  package init(in place: String = "/tmp") throws(ProcessFailure) {
    var template = Array("\(place)/acct-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw .system(call: "mkdtemp", code: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    // `rm` knows how to walk a tree that is being written to; what it cannot remove it says itself.
    guard let id = try? spawn(ChildProcess("rm", ["-rf", "--", path]), files: []) else { return }
    while waitpid(id, nil, 0) == -1, errno == EINTR {}
  }

  /// Makes a folder in it, with mode 0700, and returns its path.
  package func folder(_ name: String) throws(ProcessFailure) -> String {
    let made = "\(path)/\(name)"
    guard unsafe mkdir(made, 0o700) == 0 else { throw .system(call: "mkdir \(made)", code: errno) }
    return made
  }

  /// Writes a file in it, with mode 0600, and returns its path.
  package func file(_ name: String, containing bytes: [UInt8]) throws(ProcessFailure) -> String {
    let written = "\(path)/\(name)"
    let descriptor = unsafe creat(written, 0o600)
    guard descriptor >= 0 else { throw .system(call: "creat \(written)", code: errno) }
    defer { close(descriptor) }
    let count = unsafe write(descriptor, bytes, bytes.count)
    guard count == bytes.count else { throw .system(call: "write \(written)", code: errno) }
    return written
  }

  /// Makes a file of so many MiB of nothing, which takes no room on a disk, and returns its path.
  package func file(_ name: String, mebibytes: Int) throws(ProcessFailure) -> String {
    let made = try file(name, containing: [])
    guard unsafe truncate(made, mebibytes << 20) == 0 else { throw .system(call: "truncate \(made)", code: errno) }
    return made
  }

  /// Writes a text file in it, with mode 0600, and returns its path.
  package func file(_ name: String, containing text: String) throws(ProcessFailure) -> String {
    try file(name, containing: Array(text.utf8))
  }
}
