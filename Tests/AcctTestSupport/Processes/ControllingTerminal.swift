import Glibc
import Synchronization

/// A terminal that controls a child, with a test at the keyboard that can also close the window.
package final class ControllingTerminal: Sendable {
  /// What the keyboard and the screen are connected to; `nil` once the window is closed.
  private let master: Mutex<Int32?>
  private let device: String
  private let written = Mutex<[UInt8]>([])

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
    controlled.arguments = ["-c", #"exec setsid --ctty --wait "$@" <"$0""#, device, child.program] + child.arguments
    return controlled
  }

  /// Gives the window a size, without which a program can't draw in it.
  package func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    master.withLock { descriptor in
      if let descriptor { _ = unsafe ioctl(descriptor, UInt(TIOCSWINSZ), &size) }
    }
  }

  /// Everything that programs have written to the terminal itself so far.
  package var screen: String {
    master.withLock { descriptor in
      guard let descriptor else { return }
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      var chunk = [UInt8](repeating: 0, count: 4096)
      while unsafe poll(&request, 1, 0) == 1, request.revents & Int16(POLLIN) != 0 {
        let count = unsafe read(descriptor, &chunk, chunk.count)
        guard count > 0 else { break }
        written.withLock { $0 += chunk.prefix(count) }
      }
    }
    return written.withLock { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether the terminal's own line editor, echo and signal keys are all on.
  package var isOrdinary: Bool {
    let ordinary = tcflag_t(ICANON | ECHO | ISIG)
    return master.withLock { descriptor in
      var mode = termios()
      guard let descriptor, unsafe tcgetattr(descriptor, &mode) == 0 else { return false }
      return mode.c_lflag & ordinary == ordinary
    }
  }

  /// Presses keys, such as `\u{3}` for Ctrl-C.
  ///
  /// A terminal that takes none, as one can be whose program has just ended, gets none: a blocking
  /// write(2) would wait for ever.
  package func press(_ keys: String) {
    let bytes = Array(keys.utf8)
    master.withLock { descriptor in
      guard let descriptor else { return }
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard unsafe poll(&request, 1, 10_000) == 1, request.revents & Int16(POLLOUT) != 0 else { return }
      _ = unsafe write(descriptor, bytes, bytes.count)
    }
  }

  /// Closes the window, upon which the kernel sends SIGHUP.
  package func closeWindow() {
    master.withLock { descriptor in
      if let open = descriptor.take() { close(open) }
    }
  }
}
