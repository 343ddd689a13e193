import CLinux
import Glibc

extension Descriptor {
  /// Opens a file that acct obeys, if no other user can have written it or put it there.
  ///
  /// The path is walked from the root, a name at a time. Every folder, and every link and the folders that it leads
  /// through, belongs to this user or to root, and only these two can change what is in it. So nothing that was checked
  /// can be replaced before it is used; the file itself is checked by its descriptor.
  ///
  /// A pipe that the caller opened (`<(…)`, `/dev/fd/N`) is the user's own. A FIFO in a folder is only a
  /// ``FileRule/input`` or a ``FileRule/secretInput``: elsewhere it must not hold the process up.
  ///
  /// - Parameters:
  ///   - path: The file; a relative one begins at the working directory.
  ///   - rule: What is demanded of the file.
  /// - Returns: The file, open for reading; a ``FileRule/program`` only for reference (`O_PATH`).
  /// - Throws: ``FileError``.
  package static func trusted(_ path: String, _ rule: FileRule) throws(FileError) -> Descriptor {
    var walk = try TrustedPath(path)
    while true {
      if let file = try walk.file(rule) { return file }
    }
  }

  /// Reads a file that acct obeys.
  ///
  /// - Parameters:
  ///   - path: As in ``trusted(_:_:)``.
  ///   - rule: What is demanded of the file.
  ///   - limit: The most bytes it may have.
  /// - Returns: Its bytes, which may be a secret.
  /// - Throws: ``FileError``.
  package static func trustedBytes(_ path: String, _ rule: FileRule, limit: Int) throws(FileError) -> [UInt8] {
    let file = try trusted(path, rule)
    guard let bytes = try readAll(from: file.number, limit: limit) else { throw .system(EFBIG) }
    return bytes
  }

  /// Opens a folder in which no other user than root can replace a file of this user's: a sticky one may be written by
  /// others.
  ///
  /// - Parameter path: As in ``trusted(_:_:)``.
  /// - Returns: The folder, to open other names in, not to read (`O_PATH`).
  /// - Throws: ``FileError``.
  static func trusted(folder path: String) throws(FileError) -> Descriptor {
    var walk = try TrustedPath(path)
    while try walk.enterNext() {}
    return walk.reached()
  }

  /// The names in a folder in which only this user and root put files.
  ///
  /// - Throws: ``FileError``, `ENOENT` among them.
  package static func trustedNames(in path: String) throws(FileError) -> [String] {
    var walk = try TrustedPath(path)
    while try walk.enterNext() {}
    return try walk.contents()
  }
}

/// A path on the way to its end, link by link.
private struct TrustedPath: ~Copyable {
  /// The folder that is reached.
  private var folder: Descriptor
  /// Its path without links, and without the slash at its end.
  private var place = ""
  /// The names that are left, the next one last.
  private var names: [String]
  private var links = 0
  /// The owner of `/`: root, whose number is another one where a user namespace has no root.
  private let administrator: UInt32

  init(_ path: String) throws(FileError) {
    guard !path.isEmpty else { throw .notThere }
    var start = path
    if !path.hasPrefix("/") {
      guard let directory = unsafe getcwd(nil, 0) else { throw .last }
      defer { unsafe free(directory) }
      start = unsafe "\(String(cString: directory))/\(path)"
    }
    let root = try Descriptor.open("/", ACCT_O_PATH | O_DIRECTORY)
    let status = try root.status()
    try status.checkFolder("/", administrator: status.owner)
    names = Self.names(of: start)
    administrator = status.owner
    folder = root
  }

  private static func names(of path: String) -> [String] {
    path.split(separator: "/").reversed().filter { $0 != "." }.map(String.init)
  }

  /// Takes one step; returns the file at the end.
  mutating func file(_ rule: FileRule) throws(FileError) -> Descriptor? {
    guard names.count == 1, let name = names.last, name != ".." else {
      guard try enterNext() else { throw .notRegular }
      return nil
    }
    if try isOfDescriptors { return try opened(name, rule) }
    let path = "\(place)/\(name)"
    let entry = try folder.open(name, ACCT_O_PATH)
    let status = try entry.status()
    if status.kind == .link {
      names = []
      try follow(entry, status, path)
      return nil
    }
    if !rule.acceptsFIFO || !status.isFIFO { try status.checkRegular() }
    // Before it is opened: to open a device or a FIFO has effects.
    try status.check(rule, path)
    if rule == .program { return entry }
    let file: Descriptor
    if status.isFIFO {
      // Until a program writes to it.
      file = try folder.openWaiting(name, O_RDONLY | O_NOFOLLOW)
    } else {
      file = try folder.open(name, O_RDONLY)
    }
    try file.status().check(rule, path)
    return file
  }

  /// Goes into the next folder, or follows the link that has its name; `false` at the end.
  mutating func enterNext() throws(FileError) -> Bool {
    guard let name = names.popLast() else { return false }
    guard name != ".." else {
      // The folders above are those that were walked.
      folder = try folder.open("..", ACCT_O_PATH | O_DIRECTORY)
      place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
      return true
    }
    let path = "\(place)/\(name)"
    let next: Descriptor
    do throws(FileError) {
      // Only what must be a folder is mounted by autofs(5).
      next = try folder.open(name, ACCT_O_PATH | O_DIRECTORY)
    } catch {
      guard error == .isLink else { throw error }
      let link = try folder.open(name, ACCT_O_PATH)
      try follow(link, link.status(), path)
      return true
    }
    try next.status().checkFolder(path, administrator: administrator)
    folder = next
    place = path
    return true
  }

  /// Puts the names of a link's target before those that are left.
  private mutating func follow(_ link: borrowing Descriptor, _ status: FileStatus, _ path: String) throws(FileError) {
    try status.checkOwner("the link \(path)", administrator: administrator)
    links += 1
    guard links <= 40 else { throw .system(ELOOP) }
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlinkat(link.number, "", &target, target.count)
    guard count > 0, count < target.count else { throw count < 0 ? .last : .system(ENAMETOOLONG) }
    if target[0] == UInt8(ascii: "/") {
      folder = try Descriptor.open("/", ACCT_O_PATH | O_DIRECTORY)
      place = ""
    }
    names += Self.names(of: String(decoding: target[..<count], as: UTF8.self))
  }

  /// `true` in a folder such as `/proc/self/fd`, whose links are open files, and no paths.
  private var isOfDescriptors: Bool {
    get throws(FileError) {
      guard place.hasSuffix("/fd") else { return false }
      var system = statfs()
      guard unsafe fstatfs(folder.number, &system) == 0 else { throw .last }
      return system.f_type == 0x9FA0
    }
  }

  /// A file that a process has open: what this one was given is an input as standard input is.
  private func opened(_ name: String, _ rule: FileRule) throws(FileError) -> Descriptor {
    let file = try folder.openWaiting(name, O_RDONLY | O_NONBLOCK)
    let status = try file.status()
    let isGiven = rule.acceptsFIFO && place == "/proc/\(getpid())/fd"
    if try file.isPipe(status) || isGiven && rule == .input {
      try file.waitInReads()
      return file
    }
    // A FIFO has a name by which other programs can open it. A shell without /dev/fd makes one of `<(…)`.
    let waits = isGiven && status.isFIFO
    if !waits { try status.checkRegular() }
    try status.check(rule, "\(place)/\(name)")
    if waits { try file.waitInReads() }
    return file
  }

  /// The folder at the end.
  consuming func reached() -> Descriptor { folder }

  /// The names in the folder at the end.
  func contents() throws(FileError) -> [String] { try folder.open(".", O_RDONLY | O_DIRECTORY).names() }
}

extension Descriptor {
  /// Opens a name as `flags` say, and no otherwise.
  fileprivate func openWaiting(_ name: String, _ flags: Int32) throws(FileError) -> Descriptor {
    try Self.retrying { unsafe openat(number, name, flags | O_CLOEXEC | O_NOCTTY) }
  }

  /// Returns `true` for the user's own pipe without a name, as a shell makes it of `<(…)`.
  ///
  /// A FIFO in a folder is none: other programs can open it, and nothing may ever write to it.
  fileprivate func isPipe(_ status: FileStatus) throws(FileError) -> Bool {
    guard status.kind == .other, status.isOwn else { return false }
    var system = statfs()
    guard unsafe fstatfs(number, &system) == 0 else { throw .last }
    // The kernel's number for the file system of pipes (statfs(2)).
    return system.f_type == 0x5049_5045
  }

  /// Lets a read wait for what is written later.
  fileprivate func waitInReads() throws(FileError) {
    let flags = fcntl(number, F_GETFL)
    guard flags >= 0, fcntl(number, F_SETFL, flags & ~O_NONBLOCK) == 0 else { throw .last }
  }
}
