import CLinux
import Glibc
import Synchronization

/// A folder that only its owner can touch, and the files in it.
///
/// The folder's own name and everything below it are opened step by step, and each step must belong
/// to the effective user and be closed to other writers. A step may be a link of this user's to a
/// folder of theirs, as tools make it that keep settings elsewhere; a file is never one. The folders
/// above it are the system's and the user's: they may be links, and are created (0700) where they
/// are missing.
///
/// Nothing is created by reading. A folder of our own that others may *read* is tightened to 0700
/// before something is written to it, since a careless umask is the usual cause and refusing would
/// only lock its owner out; one that others may *write* to is refused, since they may already have
/// used it.
package struct PrivateFolder: Sendable {
  /// The path as people know it; the files are reached through descriptors.
  package let path: String
  /// The folder that is opened as any path is; always `/`-terminated, or empty.
  let base: String
  /// The names below `base`, each opened without following another user's link.
  let chain: [String]
  /// Returns the random part of a temporary file's name.
  let suffix: @Sendable () -> String

  /// Names a folder; nothing is opened or created yet.
  ///
  /// - Parameters:
  ///   - path: The folder; a trailing slash is ignored.
  ///   - suffix: The random part of a temporary file's name; 64 random bits if not given.
  package init(
    at path: String,
    suffix: @escaping @Sendable () -> String = { String(UInt64.random(in: .min ... .max), radix: 16) }
  ) {
    // As String: to append a substring, the run-time searches every conformance in the binary.
    let parts = path.split(separator: "/").map(String.init)
    self.path = path
    base = (path.hasPrefix("/") ? "/" : "") + parts.dropLast().reduce("") { $0 + $1 + "/" }
    chain = [parts.last ?? "."]
    self.suffix = suffix
  }

  private init(_ parent: PrivateFolder, _ name: String) {
    path = parent.path(of: name)
    base = parent.base
    chain = parent.chain + [name]
    suffix = parent.suffix
  }

  /// Names a folder inside this one.
  package func subfolder(_ name: String) -> PrivateFolder { PrivateFolder(self, name) }

  /// The path of the first folder that is opened step by step: this one, or one above it that is acct's as well.
  package var outermost: String { base + (chain.first ?? "") }

  /// The path of a file in this folder, for people.
  package func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  /// Checks that a name stays within this folder and is not that of a temporary file.
  func check(_ name: String) throws(PrivateFilesError) {
    let isUsable =
      !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
      && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
      && !name.hasPrefix(Self.temporaryPrefix)
    guard isUsable else { throw .failed(path: path(of: name), reason: "not usable as a file name") }
  }

  /// The prefix of a file's name while it is being written.
  static let temporaryPrefix = ".tmp-"

  /// Reads the files that a name is wanted for, in no order, and on several threads if there are
  /// hundreds.
  ///
  /// The folder is opened and checked once for all of them, each file as by ``read(_:limit:)``.
  ///
  /// - Parameters:
  ///   - limit: The most bytes that each may have.
  ///   - isWanted: Returns `true` if the file of a name is to be read.
  ///   - body: Takes some of the files, each with its contents or the error in reading it: one at a time, but if
  ///     there are hundreds dozens, and on several threads at once. A file that has gone since it was listed is left
  ///     out. Returns whether to go on; work that other threads have begun then comes to its end.
  /// - Throws: ``PrivateFilesError`` if the folder can't be listed.
  package func readEach(
    limit: Int,
    _ isWanted: (String) -> Bool,
    _ body: @Sendable ([(name: String, contents: Result<[UInt8], PrivateFilesError>)]) -> Bool
  ) throws(PrivateFilesError) {
    guard let folder = try opened() else { return }
    let names = try at(path) { () throws(FileError) in try folder.names().filter(isWanted) }
    let workers = Self.workers(for: names.count)
    // So few that all threads end together, so many that they seldom meet.
    let portion = workers == 0 ? 1 : 32
    let next = Atomic(0)
    withWorkerThreads(workers) {
      while true {
        let first = next.add(portion, ordering: .relaxed).oldValue
        guard first < names.count else { return }
        let files = names[first..<min(first + portion, names.count)].compactMap { name in
          read(name, in: folder, limit: limit).map { (name, $0) }
        }
        guard body(files) else {
          next.store(names.count, ordering: .relaxed)
          return
        }
      }
    }
  }

  /// Reads one of many; `nil` if it has gone since it was listed.
  private func read(
    _ name: String,
    in folder: borrowing Descriptor,
    limit: Int
  ) -> Result<[UInt8], PrivateFilesError>? {
    do throws(FileError) {
      return .success(try folder.open(name, O_RDONLY).genuineBytes(limit: limit))
    } catch {
      guard error != .notThere else { return nil }
      let path = path(of: name)
      return .failure(PrivateFilesError(path, folder.told(error, of: name, path)))
    }
  }

  /// The number of threads that are worth their start: 256 files are about a millisecond's work, and more than 8
  /// threads only wait for each other in the kernel.
  private static func workers(for count: Int) -> Int {
    count < 512 ? 0 : min(count / 256, Int(acct_usable_cores()), 8) - 1
  }

  /// Replaces a file atomically and durably, creating the folder if it is missing.
  ///
  /// A reader sees the old file or the new one, whole; so does the next start after a loss of
  /// power. A link that stands at the name is itself replaced, not followed.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - bytes: Its new contents.
  ///   - surviving: `true` if it has to survive a loss of power. A file that can be made again need not, and is
  ///     written many times faster; its reader has to know damage when it sees it.
  /// - Throws: ``PrivateFilesError``; the old file is then still there.
  package func replace(_ name: String, _ bytes: Span<UInt8>, surviving: Bool = true) throws(PrivateFilesError) {
    try check(name)
    let folder = try created()
    try at(path(of: name)) { () throws(FileError) in
      try folder.replace(name, bytes, by: Self.temporaryPrefix + suffix(), surviving: surviving)
    }
  }

  /// Removes a file; one that is not there is no error.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - surviving: `true` if it must not be there again after a loss of power.
  /// - Throws: ``PrivateFilesError``.
  package func remove(_ name: String, surviving: Bool = true) throws(PrivateFilesError) {
    try check(name)
    guard let folder = try opened() else { return }
    try at(path(of: name)) { () throws(FileError) in
      guard unsafe unlinkat(folder.number, name, 0) == 0 else {
        if errno == ENOENT { return }
        throw .last
      }
      if surviving { try folder.synchronize() }
    }
  }

  /// Makes sure that a file of `size` bytes could be written now, creating the folder if it is
  /// missing.
  ///
  /// - Throws: ``PrivateFilesError``, such as for a full or a read-only disk.
  package func checkWritable(size: Int) throws(PrivateFilesError) {
    let folder = try created()
    try at(path) { () throws(FileError) in
      let temporary = Self.temporaryPrefix + suffix()
      try folder.write([UInt8](repeating: 0, count: size).span, toNew: temporary)
      unsafe unlinkat(folder.number, temporary, 0)
    }
  }
}

extension Descriptor {
  /// Replaces a file in this folder by a new one, which is written under another name first.
  func replace(
    _ name: String,
    _ bytes: Span<UInt8>,
    by temporary: String,
    mode: mode_t = 0o600,
    surviving: Bool
  ) throws(FileError) {
    try write(bytes, toNew: temporary, mode: mode, surviving: surviving)
    guard unsafe renameat(number, temporary, number, name) == 0 else {
      let fileError = FileError.last
      unsafe unlinkat(number, temporary, 0)
      throw fileError
    }
    if surviving { try synchronize() }
  }

  /// Writes a file that was not there before, and sees it onto the disk; nothing is left of it on
  /// failure.
  func write(
    _ bytes: Span<UInt8>,
    toNew name: String,
    mode: mode_t = 0o600,
    surviving: Bool = true
  ) throws(FileError) {
    let file = try open(name, O_WRONLY | O_CREAT | O_EXCL)
    do throws(FileError) {
      try writeAll(bytes, to: file.number)
      // Of the open file: its name may lead elsewhere by now.
      if mode != 0o600, fchmod(file.number, mode) != 0 { throw .last }
      if surviving { try file.synchronize() }
    } catch {
      unsafe unlinkat(number, name, 0)
      throw error
    }
  }
}

extension PrivateFolder {
  /// Makes sure that the folder is there, and its owner's alone.
  package func prepare() throws(PrivateFilesError) { _ = try created() }

  /// Listens on a unix socket of that name (0600), creating the folder if it is missing.
  ///
  /// An existing file of that name is replaced, also a socket without a listener: a lock has to
  /// exclude other listeners.
  ///
  /// - Parameter name: The socket's name in the folder.
  /// - Returns: The listening socket.
  /// - Throws: ``PrivateFilesError``.
  package func listen(_ name: String) throws(PrivateFilesError) -> Descriptor {
    try check(name)
    let folder = try created()
    return try at(path(of: name)) { () throws(FileError) in
      guard unsafe unlinkat(folder.number, name, 0) == 0 || errno == ENOENT else { throw .last }
      let socket = try Descriptor.unixSocket()
      try unsafe socket.call(folder, path(of: name), name) { unsafe bind($0, $1, $2) }
      // No other user gets into the folder; the mode is for tools that check it.
      guard unsafe fchmodat(folder.number, name, 0o600, 0) == 0, Glibc.listen(socket.number, 16) == 0
      else { throw .last }
      return socket
    }
  }

  /// Connects to a unix socket of that name, if this user's own process listens on it.
  ///
  /// - Parameter name: The socket's name in the folder.
  /// - Returns: The connection, or `nil` if no process listens.
  /// - Throws: ``PrivateFilesError``; also where another user listens.
  package func connect(_ name: String) throws(PrivateFilesError) -> Descriptor? {
    try check(name)
    guard let folder = try opened() else { return nil }
    return try at(path(of: name)) { () throws(FileError) in
      let socket = try Descriptor.unixSocket()
      do throws(FileError) {
        try unsafe socket.call(folder, path(of: name), name) { unsafe Glibc.connect($0, $1, $2) }
      } catch {
        guard error == .notThere || error == .system(ECONNREFUSED) else { throw error }
        return nil
      }
      guard socket.isFromOwnUser else { throw .distrusted(reason: "another user listens there") }
      return socket
    }
  }
}

extension Descriptor {
  /// Takes the next connection that waits; never waits itself for longer than that takes.
  ///
  /// - Returns: The connection.
  /// - Throws: The error of accept(2).
  package func accept() throws(FileError) -> Descriptor { try Self.retrying { acct_accept(number) } }

  /// `true` if the process at the other end of a unix socket is the same user's (`SO_PEERCRED`).
  package var isFromOwnUser: Bool { acct_peer_is_own(number) != 0 }

  fileprivate static func unixSocket() throws(FileError) -> Descriptor {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    return try retrying { socket(AF_UNIX, type, 0) }
  }

  /// Makes a call with the address of a name in an open folder, whose path is of use only where there is no /proc.
  fileprivate func call(
    _ folder: borrowing Descriptor,
    _ place: String,
    _ name: String,
    _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(FileError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // By way of the descriptor: a path may be longer than the 107 bytes that fit here.
    let hasProc = unsafe access("/proc/self/fd", F_OK) == 0
    let path = Array((hasProc ? "/proc/self/fd/\(folder.number)/\(name)" : place).utf8)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .system(ENAMETOOLONG) }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe body(number, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw .last }
  }
}

/// Why a file can't be used, without saying which file.
package enum FileError: Error, Equatable, Sendable {
  /// The kernel's answer, an `errno`.
  case system(Int32)
  /// The file could be used, and can't be trusted.
  case distrusted(reason: String)
  /// As ``distrusted(reason:)``, by a mode; `chmod` is the line that mends it, `nil` where the user can't.
  case exposed(reason: String, chmod: String?)

  /// The error that the call before left in `errno`.
  package static var last: FileError { .system(errno) }

  package static let notThere = FileError.system(ENOENT)
  static let exists = FileError.system(EEXIST)
  static let notRegular = FileError.distrusted(reason: "it is not a regular file")
  package static let isLink = FileError.distrusted(reason: "it is a symbolic link")

  /// In words that follow a path and a colon, such as "no space left on device".
  package var reason: String {
    switch self {
    case .distrusted(let reason), .exposed(let reason, nil): return reason
    case .exposed(let reason, let chmod?): return "\(reason): run `\(chmod)`"
    case .system(let number):
      let words = unsafe String(cString: strerror(number))
      return words.prefix(1).lowercased() + words.dropFirst()
    }
  }
}

/// Why a private file could not be used.
package enum PrivateFilesError: Error, Equatable, Sendable {
  /// The system refused, in its own words.
  case failed(path: String, reason: String)
  /// Another user owns the place, can change it, or has put a link there.
  case unsafe(path: String, reason: String)
  /// Another process held the lock for too long.
  case busy(path: String)

  init(_ path: String, _ fileError: FileError) {
    self =
      switch fileError {
      case .system: .failed(path: path, reason: fileError.reason)
      // Of this user's own file: only its mode is wrong.
      case .exposed(let reason, chmod: nil):
        .unsafe(path: path, reason: "\(reason): run `chmod go-w \(shellWord(path))`")
      case .distrusted, .exposed: .unsafe(path: path, reason: fileError.reason)
      }
  }
}

/// Names the file that `body` fails at.
func at<Result: ~Copyable>(_ path: String, _ body: () throws(FileError) -> Result) throws(PrivateFilesError) -> Result {
  do { return try body() } catch { throw PrivateFilesError(path, error) }
}

/// Replaces a file that any user may read, such as one with metrics, atomically.
///
/// The folder may be one that other users write to, too. All is done in the open folder and to the open file: nothing
/// that others put at a name, before or meanwhile, is followed or gets another mode.
///
/// - Parameters:
///   - path: The file. A link that stands there is itself replaced.
///   - bytes: Its new contents.
/// - Throws: ``PrivateFilesError``, also for a folder whose files others can replace, and for a file of another user.
package func publish(_ path: String, _ bytes: Span<UInt8>) throws(PrivateFilesError) {
  let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
  let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
  guard !name.isEmpty, name != ".", name != ".." else { throw PrivateFilesError(path, .system(EISDIR)) }
  try at(path) { () throws(FileError) in
    let folder = try Descriptor.trusted(folder: slash.map { String(path[...$0]) } ?? ".")
    if let there = try folder.status(of: name), !there.isOwn {
      throw .distrusted(reason: "it belongs to another user")
    }
    let temporary = PrivateFolder.temporaryPrefix + String(UInt64.random(in: .min ... .max), radix: 16)
    // The next run makes it again.
    try folder.replace(name, bytes, by: temporary, mode: 0o644, surviving: false)
  }
}
