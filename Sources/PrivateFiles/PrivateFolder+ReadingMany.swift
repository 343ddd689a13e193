import CLinux
import Glibc
import Synchronization

extension PrivateFolder {
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
}
