import AcctTestSupport
import Glibc
import Synchronization

/// The machine of a long run: its clock, which jumps, and its disk, which fills up.
///
/// `SOAK_DISK` is a folder on a small file system of its own, as `make soak-machine` makes it; without it the disk is the
/// machine's, and does not fill up.
final class SoakMachine: Sendable {
  private let ahead = Atomic(0)
  let disk = unsafe getenv("SOAK_DISK").map { unsafe String(cString: $0) }

  /// How far the clock is ahead of the servers'.
  var secondsAhead: Int {
    get { ahead.load(ordering: .relaxed) }
    set { ahead.store(newValue, ordering: .relaxed) }
  }

  /// Fills the disk up to the last byte.
  func fill() {
    guard let disk else { return }
    let file = unsafe open(disk + "/filling", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    for size in [1 << 20, 1 << 12, 1] {
      let bytes = [UInt8](repeating: 0, count: size)
      while unsafe write(file, bytes, size) == size {}
    }
  }

  /// Frees the disk again.
  func free() {
    guard let disk else { return }
    unsafe unlink(disk + "/filling")
  }
}
