import Glibc
import Testing

/// A terminal with a test at the keyboard.
final class PseudoTerminal: Sendable {
  /// What the keyboard and the screen are connected to.
  private let master: Int32
  /// Kept open, so that the terminal keeps its mode between two questions.
  private let slave: Int32
  let device: String

  init() throws {
    master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
    // What unlockpt(3) and ptsname(3) do, which Swift's Glibc does not offer.
    var locked: Int32 = 0
    var number: UInt32 = 0
    let unlocked = unsafe ioctl(master, 0x4004_5431, &locked) == 0
    let named = unsafe ioctl(master, 0x8004_5430, &number) == 0
    try #require(unlocked && named)
    device = "/dev/pts/\(number)"
    slave = unsafe open(device, O_RDWR | O_NOCTTY)
    try #require(slave >= 0)
  }

  deinit {
    close(slave)
    close(master)
  }

  /// Gives the window a size.
  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe write(master, bytes, bytes.count)
  }

  /// Reads the screen until a text stands on it; what was read, or `nil` if it ended before.
  func screen(until text: String) -> String? {
    var seen: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(master, &byte, 1) == 1 {
      seen.append(byte)
      let screen = String(decoding: seen, as: UTF8.self)
      if screen.hasSuffix(text) { return screen }
    }
    return nil
  }

  var echoes: Bool {
    var mode = termios()
    return unsafe tcgetattr(slave, &mode) == 0 && mode.c_lflag & tcflag_t(ECHO) != 0
  }
}
