import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol

/// Shows the prompts of a sign-in while it waits; on standard error, `--quiet` or not.
struct SignInPrompts: Sendable {
  private let report: @Sendable (String) -> Void
  private let link: (@Sendable (HTTPURL) -> Void)?
  private let qrCode: QRCode
  private let columns: Int?

  init(_ context: Context) {
    report = context.world.report
    link = context.takesLinks ? context.world.streams.link : nil
    qrCode = context.world.qrCode
    columns = context.world.errorColumns
  }

  /// Shows one prompt; an address or a code to be copied has a line of its own.
  @Sendable func show(_ prompt: SignInPrompt) {
    switch prompt {
    case .browserOpened(let origin): report("acct: sign in at \(origin), in the browser window that opened")
    case .notices(let notices): for notice in notices { report("acct: \(words(for: notice))") }
    case .signInOnlyAt(let origin): report("acct: sign in at \(origin.authority) alone: no other host may ask you to")
    case .openYourself(let address):
      report("acct: open this address and sign in:")
      report(address)
      report("acct: then come back, or paste the address that the browser was redirected to")
    case .unwantedNotEnded(let person, let cause):
      report("acct: the server did not end the unwanted session of \(printable(person)): \(words(for: cause))")
    case .addressEnds(let seconds, let canBeRenewed):
      report(
        "acct: the address is valid for \(validity(seconds))" + (canBeRenewed ? "; press Enter for a new one" : "")
      )
    case .wrongPaste: report("acct: this is not the callback of this sign-in; paste the whole address")
    case .pasteCallback:
      report("acct: if the browser can't open the address that it was redirected to, paste that address here")
    case .wrongCallback(let flaw):
      report("acct: this is not the callback of this sign-in: \(words(for: flaw)); paste the whole address")
    case .callbackRefused(.page):
      report("acct: refused a callback that a web page loaded in the background; still waiting")
    case .callbackRefused: report("acct: refused a callback from a program that is not this user's; still waiting")
    case .schemeNotRegistered(let scheme, let failure):
      report("acct: the desktop can't deliver \(scheme): addresses: \(words(for: failure))")
    case .notConfirmed(let error):
      report("acct: the session could not be checked yet: \(ErrorMessage(error).text)")
    case .device(let flow):
      report("acct: on any device, open this address:")
      report((flow.verificationURL).description)
      report("acct: and enter this code:")
      report(printable(flow.userCode))
      if let address = flow.completeURL, address != flow.verificationURL {
        report("acct: or open this one, which has the code in it:")
        if let link { link(address) } else { report(address.description) }
      }
      // With the code in it nothing has to be typed; without, there is still no address to copy.
      let address = flow.completeURL ?? flow.verificationURL
      if let modules = qrCode.modules(address.description) {
        let lines = qrCodeText(modules)
        // One that the terminal breaks can't be scanned.
        guard columns.map({ lines.first?.count ?? 0 < $0 }) ?? true else { return }
        report("acct: or scan this:")
        for line in lines { report(line) }
      }
    }
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
