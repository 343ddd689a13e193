import Glibc
import PrivateFiles

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
    applications = UserFolder("applications", in: BaseFolder("XDG_DATA_HOME", ".local/share", variable))
    configuration = UserFolder(BaseFolder("XDG_CONFIG_HOME", ".config", variable))
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
