import CLinux
import Glibc

extension PrivateFolder {
  /// Opens the folder to read its files.
  ///
  /// - Returns: `nil` if it, or a folder above it, does not exist.
  /// - Throws: ``PrivateFilesError``.
  func opened() throws(PrivateFilesError) -> Descriptor? { try descend(creating: false) }

  /// Opens the folder to write in it: creates missing folders, and closes it to other readers.
  func created() throws(PrivateFilesError) -> Descriptor {
    guard let folder = try descend(creating: true) else { throw PrivateFilesError(path, .notThere) }
    return folder
  }

  /// Tells the folder from every other one of this machine, by any path; it is made if it is missing.
  package func identity() throws(PrivateFilesError) -> String {
    let folder = try created()
    return try at(path) { () throws(FileError) in try folder.status().identity }
  }

  private func descend(creating: Bool) throws(PrivateFilesError) -> Descriptor? {
    let basePath = base.isEmpty ? "." : base
    guard
      var folder = try at(basePath, { () throws(FileError) in try openBase(basePath, creating: creating) })
    else { return nil }
    var place = base
    for (depth, name) in chain.enumerated() {
      if depth > 0 { try check(name) }
      place += name
      guard
        let next = try at(
          place,
          { () throws(FileError) in try step(into: name, of: folder, place, creating: creating) }
        )
      else { return nil }
      folder = next
      place += "/"
    }
    return folder
  }
}

/// Opens the folders above: they may be reached through links, and are not acct's to judge.
private func openBase(_ path: String, creating: Bool) throws(FileError) -> Descriptor? {
  // `O_PATH`, since a base that can be passed through need not be readable.
  let flags = ACCT_O_PATH | O_DIRECTORY
  do { return try .open(path, flags) } catch {
    guard error == .notThere else { throw error }
    guard creating else { return nil }
  }
  var made = path.hasPrefix("/") ? "/" : ""
  for part in path.split(separator: "/") {
    made += part + "/"
    guard unsafe mkdir(made, 0o700) == 0 || errno == EEXIST else { throw .last }
  }
  return try .open(path, flags)
}

private func step(
  into name: String,
  of parent: borrowing Descriptor,
  _ path: String,
  creating: Bool
) throws(FileError) -> Descriptor? {
  guard let folder = try open(folder: name, in: parent, path, creating: creating) else { return nil }
  try folder.status().checkGenuine()
  if creating, try folder.status().mode & 0o077 != 0 {
    _ = fchmod(folder.number, 0o700)
    // Checked again, since some file systems accept a mode and ignore it.
    guard try folder.status().mode & 0o077 == 0 else { throw .distrusted(reason: "others can read it") }
  }
  return folder
}

private func open(
  folder name: String,
  in parent: borrowing Descriptor,
  _ path: String,
  creating: Bool
) throws(FileError) -> Descriptor? {
  do { return try parent.open(name, O_RDONLY | O_DIRECTORY) } catch {
    if error == .isLink { return try .linked(folder: path) }
    guard error == .notThere else { throw error }
    guard creating else { return nil }
  }
  if unsafe mkdirat(parent.number, name, 0o700) == 0 {
    // Opened anew, since a base that is held by `O_PATH` cannot be synchronized; where it cannot
    // be opened either, there is nothing more to do for it.
    if let readable = try? parent.open(".", O_RDONLY | O_DIRECTORY) { try readable.synchronize() }
  } else if errno != EEXIST {
    throw .last
  }
  return try parent.open(name, O_RDONLY | O_DIRECTORY)
}

extension Descriptor {
  /// Opens the folder that a link leads to, if only this user and root can have made the link, and can change the way.
  ///
  /// - Parameter path: The link, as in ``trusted(_:_:)``.
  /// - Returns: The folder, open for reading.
  /// - Throws: ``FileError``, ``FileError/distrusted(reason:)`` among them for a link to no folder.
  static func linked(folder path: String) throws(FileError) -> Descriptor {
    do throws(FileError) { return try trusted(folder: path).open(".", O_RDONLY | O_DIRECTORY) } catch {
      switch error {
      case .notThere: throw .distrusted(reason: "it is a link to a folder that does not exist")
      // Of a folder on the way, not of this one.
      case .exposed(let reason, chmod: nil): throw .distrusted(reason: reason)
      default: throw error
      }
    }
  }
}
