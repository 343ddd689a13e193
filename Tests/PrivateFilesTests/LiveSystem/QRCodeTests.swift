import AcctPorts
import Glibc
import LiveSystem
import Testing

@Suite("The live QR code")
struct QRCodeTests {
  private func modules(_ environment: [String: String], on error: Int32) -> [[Bool]]? {
    QRCode.live(error: error) { environment[$0] }.modules("https://issuer.example/device?c=A-B")
  }

  @Test(
    "A QR code for a terminal in UTF-8 is square and has its three finders",
    arguments: [["LANG": "C.UTF-8"], ["LANG": "C", "LC_CTYPE": "de_DE.utf8@euro"], ["LC_ALL": "en_GB.UTF-8"]]
  )
  func made(_ environment: [String: String]) throws {
    let terminal = try OpenTerminal()
    let code = try #require(modules(environment, on: terminal.descriptor))
    #expect(code.allSatisfy { $0.count == code.count })
    // A code of version n has 17 + 4n modules a side (ISO/IEC 18004, section 6.3.2).
    #expect(code.count % 4 == 1 && code.count >= 21)
    let finder = (0..<7).map { row in
      (0..<7).map { column in
        let ring = max(abs(row - 3), abs(column - 3))
        return ring != 2
      }
    }
    let far = code.count - 7
    for (top, left) in [(0, 0), (0, far), (far, 0)] {
      #expect(code[top..<top + 7].map { Array($0[left..<left + 7]) } == finder)
    }
  }

  @Test(
    "A QR code is not made if the terminal can't show it",
    arguments: [
      [:], ["LANG": "C"], ["LANG": "de_DE.ISO-8859-1"], ["LANG": "C.UTF-8", "LC_ALL": "POSIX"],
      ["LANG": "C.UTF-8", "TERM": "dumb"],
    ]
  )
  func unshowable(_ environment: [String: String]) throws {
    let terminal = try OpenTerminal()
    #expect(modules(environment, on: terminal.descriptor) == nil)
  }

  @Test("A QR code is not made if standard error is not a terminal")
  func noTerminal() throws {
    let null = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(null) }
    #expect(modules(["LANG": "C.UTF-8"], on: null) == nil)
  }
}

/// A terminal as a program has it, without input.
private final class OpenTerminal {
  private let keyboard: PseudoTerminal
  let descriptor: Int32

  init() throws {
    keyboard = try PseudoTerminal()
    descriptor = unsafe open(keyboard.device, O_RDWR | O_NOCTTY | O_CLOEXEC)
  }

  deinit { close(descriptor) }
}
