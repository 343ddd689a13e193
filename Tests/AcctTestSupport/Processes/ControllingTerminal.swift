import Glibc
import Synchronization

/// A terminal that controls a child, with a test at the keyboard that can also close the window.
package final class ControllingTerminal: Sendable {
  /// What the keyboard and the screen are connected to; `nil` once the window is closed.
  private let master: Mutex<Int32?>
  private let device: String

  package init() throws(ProcessFailure) {
    let descriptor = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(call: "open /dev/ptmx", code: errno) }
    // What unlockpt(3) and ptsname(3) do, which Swift's Glibc does not offer.
    var locked: Int32 = 0
    var number: UInt32 = 0
    let unlocked = unsafe ioctl(descriptor, 0x4004_5431, &locked) == 0
    let named = unsafe ioctl(descriptor, 0x8004_5430, &number) == 0
    guard unlocked && named else { throw .system(call: "ioctl", code: errno) }
    master = Mutex(descriptor)
    device = "/dev/pts/\(number)"
  }

  deinit { closeWindow() }

  /// The same program with this terminal as its standard input, leading a session that it controls.
  package func controlling(_ child: ChildProcess) -> ChildProcess {
    var controlled = child
    controlled.program = "sh"
    controlled.arguments =
      ["-c", #"exec setsid --ctty --wait "$@" <"$0""#, device, child.program] + child.arguments
    return controlled
  }

  /// Presses keys, such as `\u{3}` for Ctrl-C.
  package func press(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = master.withLock { $0.map { unsafe write($0, bytes, bytes.count) } }
  }

  /// Closes the window, upon which the kernel sends SIGHUP.
  package func closeWindow() {
    master.withLock { descriptor in
      if let open = descriptor.take() { close(open) }
    }
  }
}
