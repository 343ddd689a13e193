import Glibc
import Testing

/// A folder of a test's own, removed with all that is in it when the test is done.
final class ScratchFolder: Sendable {
  let path: String

  init(in place: String = "/tmp") throws {
    var template = Array("\(place)/acct-files-XXXXXX".utf8CString)
    let made = unsafe mkdtemp(&template) != nil
    try #require(made)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { removeTree(path) }

  func path(of name: String) -> String { "\(path)/\(name)" }

  /// Writes a file as any program would, with exactly this mode.
  @discardableResult
  func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
    let descriptor = unsafe open(path(of: name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    let count = unsafe Glibc.write(descriptor, bytes, bytes.count)
    try #require(count == bytes.count && fchmod(descriptor, mode) == 0)
    return path(of: name)
  }

  @discardableResult
  func makeFolder(_ name: String, mode: mode_t = 0o700) throws -> String {
    let made = unsafe mkdir(path(of: name), 0o700) == 0 && chmod(path(of: name), mode) == 0
    try #require(made)
    return path(of: name)
  }

  /// Plants a symbolic link.
  func link(_ name: String, to target: String) throws {
    let made = unsafe symlink(target, path(of: name)) == 0
    try #require(made)
  }

  func makeFIFO(_ name: String) throws {
    let made = unsafe mkfifo(path(of: name), 0o600) == 0
    try #require(made)
  }

  func delete(_ name: String) throws {
    let deleted = unsafe unlink(path(of: name)) == 0
    try #require(deleted)
  }

  /// Gives a file to another user, as only root can.
  func giveAway(_ name: String) throws {
    let given = unsafe chown(path(of: name), 12_345, 12_345) == 0
    try #require(given)
  }

  /// The bytes at a path, links followed.
  func text(of name: String) -> String? {
    let descriptor = unsafe open(path(of: name), O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// The permission bits of a path, links not followed; `nil` if nothing is there.
  func mode(of name: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(path(of: name), &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  /// What is in a folder, hidden files too.
  func entries(of name: String = "") -> Set<String> { Set(listing(path(of: name))) }
}

private func listing(_ path: String) -> [String] {
  guard let stream = unsafe opendir(path) else { return [] }
  defer { unsafe closedir(stream) }
  var names: [String] = []
  while let entry = unsafe readdir(stream) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
      unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names
}

private func removeTree(_ path: String) {
  for name in listing(path) {
    let below = "\(path)/\(name)"
    if unsafe unlink(below) != 0 { removeTree(below) }
  }
  unsafe rmdir(path)
}
