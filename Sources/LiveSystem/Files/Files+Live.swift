import AcctModel
package import AcctPorts
import CLinux
import Glibc
import PrivateFiles
import Synchronization
import Text

extension Files {
  /// The files in these folders.
  package static func live(_ folders: Folders) -> Files {
    let watch = FolderWatch(folders)
    return Files(
      read: { file throws(FilesFailure) in
        let place = folders.place(of: file)
        // Each command looks for one.
        if file.isMark { return place.folder.has(place.name) ? [] : nil }
        do throws(PrivateFilesError) {
          // What was changed in settings is as long as those can be.
          return try place.folder.read(place.name, limit: file == .setups ? 16 * sizeLimit : sizeLimit)
        } catch {
          throw FilesFailure(error)
        }
      },
      replace: { file, bytes throws(FilesFailure) in
        let place = folders.place(of: file)
        do throws(PrivateFilesError) {
          try place.folder.replace(place.name, bytes.span, surviving: !file.mayBeLost)
        } catch {
          throw FilesFailure(error)
        }
      },
      remove: { file throws(FilesFailure) in
        let place = folders.place(of: file)
        do throws(PrivateFilesError) { try place.folder.remove(place.name, surviving: !file.mayBeLost) } catch {
          throw FilesFailure(error)
        }
      },
      accounts: { () throws(FilesFailure) in
        do throws(PrivateFilesError) {
          return try folders.accounts.names().compactMap(accountID)
        } catch {
          throw FilesFailure(error)
        }
      },
      eachAccount: { body throws(FilesFailure) in
        do throws(PrivateFilesError) {
          try folders.accounts.readEach(limit: sizeLimit, isAccountFile) { files in
            body(
              files.compactMap { name, contents in
                accountID(of: name).map { ($0, contents.mapError(FilesFailure.init)) }
              }
            )
          }
        } catch {
          throw FilesFailure(error)
        }
      },
      inspect: { file in
        let place = folders.place(of: file)
        let (text, isOwn) = place.folder.inspected(place.name, limit: sizeLimit)
        return (place.folder.path(of: place.name), text, isOwn)
      },
      lock: { lock, seconds throws(FilesFailure) in
        do throws(PrivateFilesError) {
          let held = try await folders.locks.lock(lock.name, seconds: seconds)
          return HeldLock(release: { held.release() })
        } catch {
          throw FilesFailure(error)
        }
      },
      fileSystem: { folder throws(FilesFailure) in try folders.fileSystem(of: folder) },
      changes: { watch.mark() }
    )
  }

  /// In bytes; the largest of these files, but for the record of setups, has a few thousand.
  private static let sizeLimit = 1 << 20

  /// `true` for a name that is as long as that of an account's file and ends like it.
  private static func isAccountFile(_ name: String) -> Bool { name.utf8.count == 41 && name.hasSuffix(".json") }

  private static func accountID(of name: String) -> AccountID? {
    guard isAccountFile(name), let id = try? AccountID(String(name.utf8.prefix(36)) ?? ""),
      name.hasPrefix(id.description)
    else { return nil }
    return id
  }
}

extension Folders {
  var accounts: PrivateFolder { data.subfolder("accounts") }
  /// Beside the kept files, not beside those of the session: a job without `XDG_RUNTIME_DIR` and a login must meet at
  /// the same lock, or both would use the same refresh token.
  var locks: PrivateFolder { state.subfolder("locks") }
  /// Files that are useful for minutes.
  var hints: [PrivateFolder] { [nonces, identities] }
  private var nonces: PrivateFolder { run.subfolder("nonces") }
  private var identities: PrivateFolder { run.subfolder("identities") }
  private var limits: PrivateFolder { state.subfolder("limits") }
  private var uses: PrivateFolder { state.subfolder("uses") }

  /// All folders that acct keeps files in, each of which the user may keep elsewhere, behind a link.
  var kept: [PrivateFolder] {
    [data, accounts, vault, shared, state, locks, limits, uses, sightings, run, tokenLocks] + hints
      + ["pending", "unopened", "removed"].map(shared.subfolder)
  }

  fileprivate func place(of file: StoredFile) -> (folder: PrivateFolder, name: String) {
    switch file {
    case .account(let id): (accounts, "\(id).json")
    case .active: (data, "active")
    case .places: (accounts, "places")
    case .deviceID: (data, "device-id")
    case .keyringDecision: (data, "keyring")
    case .nonce(let origin): (nonces, fileName("\(origin)"))
    case .identity(let did): (identities, fileName("\(did)"))
    case .limits(let id): (limits, "\(id).json")
    case .directories: (state, "directories.json")
    case .clients: (data, "clients.json")
    case .setups: (data, "setups.json")
    case .refusals: (state, "refusals.json")
    case .renewals: (state, "renewals.json")
    case .removals: (data, "removed.json")
    case .uses(let id): (uses, "\(id)")
    case .useMark(let id, let use): (uses, "\(id)-\(use)")
    }
  }
}

extension Lock {
  fileprivate var name: String {
    switch self {
    case .account(let id): "account-\(id)"
    case .book: "book"
    case .limits(let id): "limits-\(id)"
    case .deviceID: "device-id"
    case .clients: "clients"
    case .setups: "setups"
    case .renewals: "renewals"
    case .uses: "uses"
    }
  }

  /// The lock that a file of this name belongs to.
  init?(named name: String) {
    if let lock = [Lock.book, .deviceID, .clients, .setups, .renewals, .uses].first(where: { $0.name == name }) {
      self = lock
    } else if name.hasPrefix("account-"), let id = try? AccountID(String(name.dropFirst(8))) {
      self = .account(id)
    } else if name.hasPrefix("limits-"), let id = try? AccountID(String(name.dropFirst(7))) {
      self = .limits(id)
    } else {
      return nil
    }
  }
}

extension FilesFailure {
  init(_ error: PrivateFilesError) {
    self =
      switch error {
      case .failed(let path, let reason): .failed(path: path, reason: reason)
      case .unsafe(let path, let reason): .unsafe(path: path, reason: reason)
      case .busy: .busy
      }
  }
}

/// An origin as a file name: a character other than a letter, a digit, `-` or `.` is written as `%` and two digits,
/// so that no two origins share a file and none leads out of the folder.
private func fileName(_ origin: String) -> String {
  percentEncoded(origin) { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
}

/// Notices changes of the files that accounts and the vault are made of (inotify(7)).
///
/// The kernel queues an event before the system call that makes the change returns, so a look at the queue sees all
/// that any process has done before. The kind of an event does not matter: all is read anew after any.
final class FolderWatch: Sendable {
  private struct State: ~Copyable {
    var queue: Descriptor?
    var count: UInt64 = 0
    /// No new attempt is made before, where the last one failed.
    var pause: ContinuousClock.Instant?
  }

  private let folders: Folders
  private let state = Mutex(State())

  /// Names the folders to watch; none is watched before the first ``mark()``.
  init(_ folders: Folders) { self.folders = folders }

  /// A mark that is another one after each change; `nil` where the folders can't be watched.
  func mark() -> ChangeMark? {
    state.withLock { state in
      switch Self.look(into: state.queue) {
      case .quiet: return ChangeMark(state.count)
      case .changed:
        state.count += 1
        return ChangeMark(state.count)
      case .over:
        state.count += 1
        state.queue = nil
        if let pause = state.pause, ContinuousClock.now < pause { return nil }
        state.queue = begun()
        state.pause = state.queue == nil ? ContinuousClock.now + .seconds(1) : nil
        return state.queue == nil ? nil : ChangeMark(state.count)
      }
    }
  }

  private enum Look { case quiet, changed, over }

  /// Empties the queue.
  private static func look(into queue: borrowing Descriptor?) -> Look {
    switch queue {
    case .none: return .over
    case .some(let queue):
      let number = queue.number
      var result = Look.quiet
      return unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { room in
        while true {
          let count = unsafe read(number, room.baseAddress, room.count)
          guard count > 0 else {
            if count < 0, errno == EINTR { continue }
            return count < 0 && errno == EAGAIN ? result : .over
          }
          if unsafe isOver(room, count) {
            result = .over
          } else if result == .quiet {
            result = .changed
          }
        }
      }
    }
  }

  /// `true` if an event means that other folders have to be watched; each is a head of 16 bytes and a name.
  private static func isOver(_ events: UnsafeMutableRawBufferPointer, _ count: Int) -> Bool {
    var offset = 0
    while offset + 16 <= count {
      if acct_watch_is_over(unsafe events.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)) != 0 {
        return true
      }
      offset += 16 + Int(unsafe events.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
    }
    return false
  }

  /// A queue with all folders in it, from the outermost on: a change in the meantime is in the queue then.
  ///
  /// - Returns: `nil` if one can't be watched, or another machine may change it unseen; or if it is a link, which may be
  ///   led elsewhere unseen.
  private func begun() -> Descriptor? {
    do {
      guard try folders.fileSystem(of: .data)?.reach == .machine else { return nil }
      let watched = [folders.data.path, folders.accounts.path, folders.vault.path]
      guard !([folders.data.outermost] + watched).contains(where: isLink) else { return nil }
      let queue = try Descriptor.watchQueue()
      var above = folders.data.path[...]
      while let slash = above.lastIndex(of: "/"), slash > above.startIndex {
        above = above[..<slash]
        // One that may not be read can't be watched, and few may rename it.
        _ = unsafe acct_watch_place(queue.number, String(above))
      }
      for path in watched.dropLast() {
        guard unsafe acct_watch_folder(queue.number, path) >= 0 else { return nil }
      }
      // Without one there is nothing to watch, and it is made within the first of these.
      guard unsafe acct_watch_folder(queue.number, folders.vault.path) >= 0 || errno == ENOENT else { return nil }
      return queue
    } catch {
      return nil
    }
  }
}

private func isLink(_ path: String) -> Bool {
  var target: CChar = 0
  return unsafe readlink(path, &target, 1) > 0
}
