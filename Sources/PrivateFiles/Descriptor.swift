import CLinux
import Glibc

/// An open file or folder, closed when it goes out of scope.
package struct Descriptor: ~Copyable {
  package let number: Int32

  private init(owning number: Int32) { self.number = number }

  deinit { close(number) }

  /// Opens a path as any program does; the descriptor is not handed to child processes.
  ///
  /// - Parameters:
  ///   - path: The path; links in it are followed unless `flags` say otherwise.
  ///   - flags: As for open(2); `O_CLOEXEC` and `O_NOCTTY` are added.
  /// - Returns: The open file.
  /// - Throws: The error of open(2).
  package static func open(_ path: String, _ flags: Int32) throws(FileError) -> Descriptor {
    try retrying { unsafe openat(AT_FDCWD, path, flags | O_CLOEXEC | O_NOCTTY) }
  }

  /// Opens a name in this folder, never through a link.
  ///
  /// - Parameters:
  ///   - name: One name, without a slash.
  ///   - flags: As for open(2); `O_NOFOLLOW`, `O_CLOEXEC`, `O_NOCTTY` and `O_NONBLOCK` (a FIFO
  ///     must not hold the process up) are added. What is created gets mode 0600.
  /// - Returns: The open file.
  /// - Throws: The error of open(2); a link is reported as such.
  package func open(_ name: String, _ flags: Int32) throws(FileError) -> Descriptor {
    let all = flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    do { return try Self.retrying { unsafe openat(number, name, all, 0o600) } } catch {
      // With `O_DIRECTORY` the kernel calls a link "not a directory".
      guard error == .system(ELOOP) || error == .system(ENOTDIR), try status(of: name)?.kind == .link
      else { throw error }
      throw .isLink
    }
  }

  /// Opens a queue of the changes of folders (inotify(7)), which is read without waiting.
  ///
  /// - Returns: The queue, with no folder in it.
  /// - Throws: The error of inotify_init1(2), such as that the user has too many.
  package static func watchQueue() throws(FileError) -> Descriptor { try retrying { acct_watch_queue() } }

  static func retrying(_ call: () -> Int32) throws(FileError) -> Descriptor {
    while true {
      let number = call()
      if number >= 0 { return Descriptor(owning: number) }
      guard errno == EINTR else { throw .last }
    }
  }

  /// Bounds how long one read from a socket waits; after that it fails with EAGAIN.
  ///
  /// - Parameter seconds: The time limit.
  package func setReadTimeout(seconds: Int) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Makes written data survive a loss of power.
  ///
  /// - Throws: The error of fsync(2), unless a file system cannot do this to a folder.
  package func synchronize() throws(FileError) {
    while fsync(number) < 0 {
      switch errno {
      case EINTR: continue
      case EINVAL: return
      default: throw .last
      }
    }
  }
}
