import Glibc
import PrivateFiles

/// A folder of the user's that other programs use as well, such as that of desktop entries.
///
/// Unlike for ``PrivateFolder``, it does not matter who can read it, and it may contain links:
/// users keep such files elsewhere.
struct UserFolder: Sendable {
  let path: String
  /// The folder that must be there; those below it are made if they are missing.
  private let root: String

  init(_ name: String, in base: BaseFolder) {
    path = "\(base.path)/\(name)"
    root = base.root
  }

  /// One of the user's folders by the XDG Base Directory specification.
  init(_ base: BaseFolder) {
    path = base.path
    root = base.root
  }

  /// A folder that is only read.
  init(at path: String) {
    self.path = path
    root = path
  }

  /// The names in it; none if it is not there.
  func names() -> [String] {
    guard let stream = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      unsafe names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        }
      )
    }
    return names
  }

  /// A file's text; `nil` if it is not there.
  func read(_ name: String) throws(FileError) -> String? {
    do throws(FileError) {
      let file = try Descriptor.open("\(path)/\(name)", O_RDONLY | O_NONBLOCK)
      try file.status().checkRegular()
      guard let bytes = try readAll(from: file.number, limit: 1 << 20) else { throw .system(EFBIG) }
      guard let text = String(validating: bytes, as: UTF8.self) else { throw .system(EILSEQ) }
      return text
    } catch {
      guard error == .notThere else { throw error }
      return nil
    }
  }

  /// Replaces a file atomically; a link to a file stays one, and the file's mode is kept.
  func replace(_ name: String, _ text: String) throws(FileError) {
    try make()
    let target = resolved("\(path)/\(name)") ?? "\(path)/\(name)"
    var status = stat()
    let mode = unsafe stat(target, &status) == 0 ? status.st_mode & 0o777 : 0o600
    let temporary = "\(target).acct-\(getpid())"
    let number = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .last }
    do throws(FileError) {
      defer { close(number) }
      try writeAll(Array(text.utf8).span, to: number)
      guard fchmod(number, mode) == 0, fsync(number) == 0 else { throw .last }
      guard unsafe rename(temporary, target) == 0 else { throw .last }
    } catch {
      unsafe unlink(temporary)
      throw error
    }
  }

  /// Removes a file; one that is not there is no error.
  func remove(_ name: String) { unsafe unlink("\(path)/\(name)") }

  /// The folders that are missing, outermost first.
  func missing() -> [String] {
    var missing: [String] = []
    var place = root
    for part in path.dropFirst(root.utf8.count).split(separator: "/") {
      place += "/\(part)"
      if unsafe access(place, F_OK) != 0 { missing.append(place) }
    }
    return missing
  }

  private func make() throws(FileError) {
    for place in missing() {
      guard unsafe mkdir(place, 0o700) == 0 || errno == EEXIST else { throw .last }
    }
  }
}

/// `$XDG_DATA_HOME` or its like, which may be missing where `root` must not.
struct BaseFolder: Sendable {
  let path: String
  let root: String

  /// - Parameters:
  ///   - name: The variable, which counts only with an absolute path.
  ///   - fallback: The path below the user's home without that.
  ///   - variable: Returns an environment variable.
  init(_ name: String, _ fallback: String, _ variable: (_ name: String) -> String?) {
    if let path = absoluteOnly(variable(name)) {
      self.path = path
      root = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    } else {
      root = home(variable)
      path = "\(root)/\(fallback)"
    }
  }
}
