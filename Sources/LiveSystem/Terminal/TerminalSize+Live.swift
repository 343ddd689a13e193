import AcctPorts
import Glibc

/// The size of a terminal's window now (TIOCGWINSZ); `nil` where there is none, or it is not known.
func terminalSize(_ descriptor: Int32) -> TerminalSize? {
  var size = winsize()
  guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
  return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
}
