import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Synchronization

/// Shows the prompts of a sign-in while it waits; on standard error, `--quiet` or not.
final class SignInPrompts: Sendable {
  private let report: @Sendable (String) -> Void
  private let link: (@Sendable (HTTPURL) -> Void)?
  /// Hands a text to the terminal's clipboard; `nil` where no person could press the key for it.
  private let copy: (@Sendable (String) -> Void)?
  private let waits: LongWaits?
  /// The address or the code that was shown last, and its name.
  private let shown = Mutex<(text: String, name: String)>(("", ""))
  private let wait = Mutex<(@Sendable () -> Void)?>(nil)
  private let qrCode: QRCode
  private let columns: Int?

  init(_ context: Context) {
    report = context.world.report
    link = context.takesLinks ? context.world.streams.link : nil
    copy = context.takesLinks && context.canAsk ? context.world.streams.copy : nil
    waits = context.waits
    qrCode = context.world.qrCode
    columns = context.world.errorColumns
  }

  /// Shows one prompt; an address or a code to be copied has a line of its own.
  @Sendable func show(_ prompt: SignInPrompt) {
    switch prompt {
    case .address(let address):
      shown.withLock { $0 = (address, "address") }
      report("acct: sign in at this address (Ctrl-C to cancel):")
      report(address)
    case .browserOpened(let origin):
      report(
        "acct: it is open in your browser, at \(origin.authority): sign in there\(copying("; c copies the address"))"
      )
    case .notices(let notices): for notice in notices { report("acct: \(words(for: notice))") }
    case .signInOnlyAt(let origin): report("acct: sign in at \(origin.authority) alone: no other host may ask you to")
    case .openYourself:
      report(
        "acct: open it in a browser; then come back, or paste the address that it was redirected to\(copying(Self.lineCopies))"
      )
    case .waiting(let action, let seconds): begin(action, seconds)
    case .ended: wait.withLock { $0.take() }?()
    case .copy: copyShown()
    case .unwantedNotEnded(let person, let cause):
      report("acct: the server did not end the unwanted session of \(printable(person)): \(words(for: cause))")
    case .addressEnds(let seconds, let canBeRenewed):
      report(
        "acct: the address is valid for \(validity(seconds))" + (canBeRenewed ? "; press Enter for a new one" : "")
      )
    case .wrongPaste: report("acct: this is not the callback of this sign-in; paste the whole address")
    case .pasteCallback:
      report(
        "acct: if the browser can't open the address that it was redirected to, paste that address here"
          + copying(Self.lineCopies)
      )
    case .callbackRefused(.page):
      report("acct: refused a callback that a web page loaded in the background; still waiting")
    case .callbackRefused: report("acct: refused a callback from a program that is not this user's; still waiting")
    case .callbackUnproven(let error?):
      let words = [error.code, error.description].compactMap(\.self).map(printable).joined(separator: ": ")
      report("acct: refused a callback without this sign-in's state (\(words)); still waiting")
    case .callbackUnproven(nil): report("acct: refused a callback without an answer; still waiting")
    case .told(let text): report("acct: \(text)")
    case .device(let flow): show(flow)
    }
  }

  private func show(_ flow: DeviceFlow) {
    let code = printable(flow.userCode)
    shown.withLock { $0 = (code, "code") }
    report("acct: on any device, open this address:")
    report((flow.verificationURL).description)
    report("acct: and enter this code (Ctrl-C to cancel\(copying(", c to copy it"))):")
    report(code)
    if let address = flow.completeURL, address != flow.verificationURL {
      report("acct: or open this one, which has the code in it:")
      if let link { link(address) } else { report(address.description) }
    }
    // With the code in it nothing has to be typed; without, there is still no address to copy.
    let address = flow.completeURL ?? flow.verificationURL
    guard let modules = qrCode.modules(address.description) else { return }
    let lines = qrCodeText(modules)
    // One that the terminal breaks can't be scanned.
    guard columns.map({ lines.first?.count ?? 0 < $0 }) ?? true else { return }
    report("acct: or scan this:")
    for line in lines { report(line) }
  }

  private static let lineCopies = "; c and Enter copy the one above"

  /// The words about the key that copies; none where it has no effect.
  private func copying(_ words: String) -> String { copy == nil ? "" : words }

  /// Shows the time left on the terminal; where a callback can be pasted, in the place of the prompt for it.
  private func begin(_ action: AwaitedAction, _ seconds: Int64) {
    let end = waits?.begin(seconds) { left in
      switch action {
      case .browser: "waiting for the browser: \(left)"
      case .paste: "callback address (\(left)): "
      case .device: "waiting for the code to be entered: \(left)"
      }
    }
    wait.withLock { $0 = end }
  }

  private func copyShown() {
    guard let copy else { return }
    let (text, name) = shown.withLock { $0 }
    copy(text)
    report("acct: the \(name) is on the clipboard, if this terminal allows that")
  }
}

extension Context {
  /// `true` if a terminal on standard error may be sent more than plain text, and can be expected to skip a link if
  /// it does not know what one is; the kernel's own console shows parts of it.
  fileprivate var takesLinks: Bool {
    let variable = world.environment.variable
    return !options.noColor && variable("NO_COLOR") == nil && !world.terminalIsDumb && variable("TERM") != "linux"
  }
}

/// Draws a QR code with half blocks, two rows of modules on a line.
///
/// Light modules are drawn and dark ones left out, since most terminals are dark; scanners read
/// the code on a light one, where it comes out inverted, as well. The margin of two modules is
/// less than the standard's four, which costs two lines more and no scanner needs.
///
/// - Parameter modules: Row by row; `true` is dark.
/// - Returns: The lines.
package func qrCodeText(_ modules: [[Bool]]) -> [String] {
  let margin = 2
  let width = (modules.first?.count ?? 0) + 2 * margin
  let light = [Bool](repeating: false, count: width)
  let sides = [Bool](repeating: false, count: margin)
  let edge = Array(repeating: light, count: margin)
  let rows = edge + modules.map { sides + $0 + sides } + edge
  return stride(from: 0, to: rows.count, by: 2).map { index in
    // A code has an odd number of rows; the last line is made full by more margin.
    let lower = index + 1 < rows.count ? rows[index + 1] : light
    return String(zip(rows[index], lower).map(halfBlock))
  }
}

private func halfBlock(upperIsDark: Bool, lowerIsDark: Bool) -> Character {
  switch (upperIsDark, lowerIsDark) {
  case (false, false): "█"
  case (false, true): "▀"
  case (true, false): "▄"
  case (true, true): " "
  }
}
