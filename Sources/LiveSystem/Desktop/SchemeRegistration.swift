import AcctModel
import Glibc
import PrivateFiles
import Text

/// Desktop entries of acct's own, and the defaults that point to them.
///
/// Other programs' entries stay unchanged: the entry has a name of acct's own, and `mimeapps.list`
/// gets it before the existing default. The rest of a killed process is removed at the next use.
struct SchemeRegistration: Sendable {
  private let applications: UserFolder
  private let configuration: UserFolder
  private let program: String

  /// - Parameters:
  ///   - program: The absolute path of acct.
  ///   - variable: Returns an environment variable.
  init(program: String, _ variable: (_ name: String) -> String?) {
    self.program = program
    applications = UserFolder("XDG_DATA_HOME", ".local/share", variable).subfolder("applications")
    configuration = UserFolder("XDG_CONFIG_HOME", ".config", variable)
  }

  /// A registration that has to be undone.
  struct Change: Sendable {
    fileprivate let entry: String
    fileprivate let madeFolders: [String]
    /// The list before and as it was written; `nil` before if there was none.
    fileprivate let list: (before: String?, after: String)?
  }

  /// Makes acct the handler of a scheme.
  ///
  /// - Parameters:
  ///   - scheme: Of an app.
  ///   - folder: The folder in which the waiting process listens.
  /// - Returns: The change for ``undo(_:)``.
  /// - Throws: ``FileError``; nothing is left of it then.
  func register(_ scheme: String, folder: String) throws(FileError) -> Change {
    let entry = DesktopEntry(scheme: scheme, program: program, folder: folder)
    guard let text = entry.text else { throw .distrusted(reason: "its path can't be written") }
    if let there = try applications.read(entry.name), DesktopEntry.folder(in: there) == nil {
      throw .distrusted(reason: "\(entry.name) was not written by acct")
    }
    let made = applications.missing() + configuration.missing()
    var change = Change(entry: entry.name, madeFolders: made, list: nil)
    do throws(FileError) {
      try applications.replace(entry.name, text)
      change = Change(entry: entry.name, madeFolders: made, list: try prefer(entry))
    } catch {
      undo(change)
      throw error
    }
    return change
  }

  private func prefer(_ entry: DesktopEntry) throws(FileError) -> (before: String?, after: String) {
    let before = try configuration.read(Self.listName)
    var list = MimeApps(before ?? "")
    list.prefer(entry.name, for: entry.type)
    try configuration.replace(Self.listName, list.text)
    return (before, list.text)
  }

  /// Restores the previous state.
  func undo(_ change: Change) {
    if let list = change.list, (try? configuration.read(Self.listName)) == list.after {
      // No other program has changed it meanwhile: restored byte for byte.
      if let before = list.before {
        try? configuration.replace(Self.listName, before)
      } else {
        configuration.remove(Self.listName)
      }
    }
    forget(change.entry)
    for folder in change.madeFolders.reversed() { unsafe rmdir(folder) }
  }

  /// Removes the entries that ended processes left.
  ///
  /// - Parameter isAlive: Returns `true` if a process listens for a scheme in a folder.
  func clean(_ isAlive: (_ scheme: String, _ folder: String) -> Bool) {
    for name in applications.names() {
      guard let scheme = DesktopEntry.scheme(ofFile: name), let text = try? applications.read(name),
        let folder = DesktopEntry.folder(in: text), !isAlive(scheme, folder)
      else { continue }
      forget(name)
    }
  }

  /// The entry goes last: a default without one means nothing, but would never be found again.
  private func forget(_ entry: String) {
    if let text = try? configuration.read(Self.listName) {
      var list = MimeApps(text)
      list.remove(entry)
      if list.text != text {
        if list.isVoid {
          configuration.remove(Self.listName)
        } else {
          try? configuration.replace(Self.listName, list.text)
        }
      }
    }
    applications.remove(entry)
  }

  private static let listName = "mimeapps.list"
}

/// The desktop entry that makes acct the handler of an app's scheme (freedesktop.org's
/// "Desktop Entry Specification").
struct DesktopEntry: Equatable {
  let scheme: String
  /// The program that it runs.
  let program: String
  /// The folder with the socket of the waiting process.
  let folder: String

  /// The file's name; every name that begins and ends like this is acct's own.
  var name: String { "\(Self.prefix)\(scheme)\(Self.suffix)" }

  private static let prefix = "acct-callback-"
  private static let suffix = ".desktop"

  /// The scheme that a file is for, if it is one of acct's by its name.
  static func scheme(ofFile name: String) -> String? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix), name.utf8.count > prefix.utf8.count + suffix.utf8.count
    else { return nil }
    return String(name.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
  }

  /// The folder in which the author of an entry listens, if it is one of acct's by its content.
  static func folder(in text: String) -> String? {
    for line in text.split(separator: "\n") where line.hasPrefix("\(folderKey)=") {
      return String(line.dropFirst(folderKey.utf8.count + 1))
    }
    return nil
  }

  private static let folderKey = "X-Acct-Folder"

  var type: String { "x-scheme-handler/\(scheme)" }

  /// The file; `nil` where a path can't be written in it.
  var text: String? {
    let (program, argument): (String, String)
    do {
      (program, argument) = (
        try OutputFormat.desktopArgument.written(self.program), try OutputFormat.desktopArgument.written(folder)
      )
    } catch { return nil }
    return """
      [Desktop Entry]
      Type=Application
      Name=acct
      Comment=Takes the callback of the sign-in that waits in a terminal
      Exec=\(program) callback --folder \(argument) -- %u
      Terminal=false
      NoDisplay=true
      StartupNotify=false
      MimeType=\(type);
      \(Self.folderKey)=\(folder)

      """
  }
}

/// The text of a `mimeapps.list`, changed by one association and back (freedesktop.org's
/// "Association between MIME types and applications").
///
/// Ours goes first in an existing list: when it is removed, or its desktop entry is missing, the
/// previous default applies again.
struct MimeApps {
  private(set) var text: String

  init(_ text: String) { self.text = text }

  private static let section = "[Default Applications]"

  /// Puts a desktop entry first among those that open a type.
  mutating func prefer(_ entry: String, for type: String) {
    remove(entry)
    var lines = lines
    guard let header = lines.firstIndex(where: { $0[...].trimmed == Self.section }) else {
      let gap = text.isEmpty || text.hasSuffix("\n") ? "" : "\n"
      text += "\(gap)\(Self.section)\n\(type)=\(entry);\n"
      return
    }
    let end = lines[(header + 1)...].firstIndex { $0[...].trimmed.hasPrefix("[") } ?? lines.endIndex
    if let found = lines[header..<end].firstIndex(where: { $0.key == type }) {
      lines[found] = "\(type)=\(([entry] + lines[found].entries).joined(separator: ";"));"
    } else {
      lines.insert("\(type)=\(entry);", at: header + 1)
    }
    text = lines.joined(separator: "\n")
  }

  /// Removes a desktop entry from every list; a list that had nothing else is removed with it.
  mutating func remove(_ entry: String) {
    text = lines.compactMap { line in
      guard line.entries.contains(entry), let key = line.key else { return line }
      let rest = line.entries.filter { $0 != entry }
      return rest.isEmpty ? nil : "\(key)=\(rest.joined(separator: ";"));"
    }.joined(separator: "\n")
  }

  /// `true` if it has nothing but blank lines and the section's header.
  var isVoid: Bool { lines.map { $0[...].trimmed }.allSatisfy { $0.isEmpty || $0 == Self.section } }

  private var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
}

extension String {
  fileprivate var key: String? {
    guard !self[...].trimmed.hasPrefix("#"), let mark = firstIndex(of: "=") else { return nil }
    return String(self[..<mark].trimmed)
  }

  fileprivate var entries: [String] {
    guard key != nil, let mark = firstIndex(of: "=") else { return [] }
    return self[mark...].dropFirst().split(separator: ";").map { String($0.trimmed) }.filter { !$0.isEmpty }
  }
}

/// A folder of the user's that other programs use as well, such as that of desktop entries.
///
/// Unlike for ``PrivateFolder``, it does not matter who can read it, and it may contain links:
/// users keep such files elsewhere.
struct UserFolder: Sendable {
  private(set) var path: String
  /// The folder that must be there; those below it are made if they are missing.
  private let root: String

  /// `$XDG_DATA_HOME` or its like, by the XDG Base Directory specification.
  ///
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

  func subfolder(_ name: String) -> UserFolder {
    var folder = self
    folder.path += "/\(name)"
    return folder
  }

  /// A folder that is only read.
  init(at path: String) {
    self.path = path
    root = path
  }

  /// The names in it; none if it is not there.
  func names() -> [String] { PrivateFiles.names(in: path) ?? [] }

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
    try replaceFile(target, Array(text.utf8).span, mode: mode)
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
