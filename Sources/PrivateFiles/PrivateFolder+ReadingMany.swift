import Glibc
import Synchronization

extension PrivateFolder {
  /// Reads the files that a name is wanted for, in no order, and several at a time if there are
  /// hundreds.
  ///
  /// The folder is opened and checked once for all of them, each file as by ``read(_:limit:)``.
  ///
  /// - Parameters:
  ///   - limit: The most bytes that each may have.
  ///   - isWanted: Whether the file of a name is to be read; what it returns is handed on.
  ///   - body: Takes what `isWanted` made of the name and what was read or stood in the way, on
  ///     several threads at once if there are hundreds of files. What has gone since it was listed
  ///     is left out. Returns whether to go on; what others have begun then comes to its end.
  /// - Throws: ``PrivateFilesError`` if the folder can't be listed.
  package func readEach<Wanted>(
    limit: Int,
    _ isWanted: @Sendable (String) -> Wanted?,
    _ body: @Sendable (Wanted, Result<[UInt8], PrivateFilesError>) -> Bool
  ) throws(PrivateFilesError) {
    guard let folder = try opened() else { return }
    let names = try at(path) { () throws(Obstacle) in try folder.names() }
    let next = Atomic(0)
    withHelpingThreads(Self.helpers(for: names.count)) {
      while true {
        let first = next.add(Self.portion, ordering: .relaxed).oldValue
        guard first < names.count else { return }
        for name in names[first..<min(first + Self.portion, names.count)] {
          guard let wanted = isWanted(name) else { continue }
          guard let contents = read(name, in: folder, limit: limit) else { continue }
          guard body(wanted, contents) else {
            next.store(names.count, ordering: .relaxed)
            return
          }
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
    do throws(Obstacle) {
      return .success(try folder.open(name, O_RDONLY).genuineBytes(limit: limit))
    } catch {
      return error == .notThere ? nil : .failure(PrivateFilesError(path(of: name), error))
    }
  }

  /// How many names a thread takes at a time: so few that all end together, so many that they
  /// seldom meet.
  private static let portion = 32

  /// How many threads are worth their start: each has a fraction of a millisecond's work for 256
  /// files, and where the disk or the kernel is what is waited for, more than 8 don't help.
  private static func helpers(for count: Int) -> Int {
    guard count >= 512 else { return 0 }
    return min(count / 256, sysconf(Int32(_SC_NPROCESSORS_ONLN)), 8) - 1
  }
}
