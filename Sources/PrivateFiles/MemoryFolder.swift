import CLinux
import Glibc
import Text

/// A folder in memory for the files of one process, which are to be gone with that process.
///
/// The process holds a lock on the folder (flock(2)), which the kernel frees when the process dies, whatever ends it: a
/// folder that no process locks is a leftover, which any later one deletes.
package final class MemoryFolder: Sendable {
  package let path: String
  /// Its name in the folder that it lies in.
  package let name: String
  private let place: Descriptor
  private let folder: Descriptor

  /// Makes a folder for this user alone, and locks it.
  ///
  /// - Parameter place: The path of the folder to make it in, which is in memory, and in which no other user but root can
  ///   replace it.
  /// - Throws: ``PrivateFilesError``.
  package init(in place: String) throws(PrivateFilesError) {
    let opened = try Self.open(place)
    while true {
      let name = Self.prefix + hex((0..<8).map { _ in UInt8.random(in: .min ... .max) })
      let made = try at(place) { () throws(FileError) in try Self.make(name, in: opened) }
      // Another process has taken it for a leftover in the moment before it was locked.
      guard let folder = made else { continue }
      (self.name, path) = (name, place.hasSuffix("/") ? place + name : "\(place)/\(name)")
      self.place = opened
      self.folder = folder
      return
    }
  }

  /// The open folder that it lies in, and itself, for a signal handler that deletes it.
  package var descriptors: (place: Int32, folder: Int32) { (place.number, folder.number) }

  /// Deletes the folder with all that is in it.
  package func remove() { unsafe acct_remove_folder(place.number, folder.number, name) }

  /// Deletes the folders that dead processes of this user have left in a place.
  ///
  /// - Parameter place: The path of the folder in which they were made; one that could not be used has none.
  /// - Returns: The number of deleted folders.
  package static func sweep(_ place: String) -> Int {
    do {
      let opened = try open(place)
      return try at(place) { () throws(FileError) in try opened.names() }.count { name in
        guard isName(name), let folder = leftover(name, in: opened) else { return false }
        return unsafe acct_remove_folder(opened.number, folder.number, name) == 0
      }
    } catch {
      return 0
    }
  }

  /// Opens and checks the folder for such folders.
  private static func open(_ place: String) throws(PrivateFilesError) -> Descriptor {
    try at(place) { () throws(FileError) in
      let trusted = try Descriptor.trusted(folder: place)
      var system = statfs()
      guard unsafe fstatfs(trusted.number, &system) == 0 else { throw .last }
      guard memory.contains(UInt32(truncatingIfNeeded: system.f_type)) else {
        throw .distrusted(reason: "it is not in memory (tmpfs)")
      }
      return try trusted.open(".", O_RDONLY | O_DIRECTORY)
    }
  }

  /// The kernel's numbers for the file systems tmpfs and ramfs (statfs(2)).
  private static let memory: [UInt32] = [0x0102_1994, 0x8584_58F6]

  private static func make(_ name: String, in place: borrowing Descriptor) throws(FileError) -> Descriptor? {
    guard unsafe mkdirat(place.number, name, 0o700) == 0 else { throw .last }
    return leftover(name, in: place)
  }

  /// Opens and locks a folder of the user's; `nil` if another process has it, or has deleted it.
  private static func leftover(_ name: String, in place: borrowing Descriptor) -> Descriptor? {
    do throws(FileError) {
      let folder = try place.open(name, O_RDONLY | O_DIRECTORY)
      let status = try folder.status()
      guard status.isOwn, flock(folder.number, LOCK_EX | LOCK_NB) == 0 else { return nil }
      guard try place.status(of: name)?.isSame(as: status) == true else { return nil }
      return folder
    } catch {
      return nil
    }
  }

  /// Of no other program's folders, since a sweep deletes what has such a name.
  private static let prefix = "acct-secrets-"

  private static func isName(_ name: String) -> Bool {
    name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 16
      && name.utf8.dropFirst(prefix.utf8.count).allSatisfy { $0.hexadecimalValue != nil && !$0.isASCIICapital }
  }
}
