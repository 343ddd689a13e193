import Secrets

/// A real KWallet that draws on no screen, with a wallet that it offers as a Secret Service.
package final class KWallet: DesktopKeyring {
  package let bus: PrivateBus
  private let daemon: Daemon

  /// Starts bus and KWallet, and waits until its wallet is open.
  ///
  /// - Throws: ``HarnessFailure`` if it is not installed, or does not start.
  package init() throws(HarnessFailure) {
    bus = try PrivateBus()
    _ = try bus.folder.subfolder("data/kwalletd")
    _ = try bus.folder.file("data/kwalletd/\(Self.wallet).salt", Self.loginHash)
    _ = try bus.folder.file("config/kwalletrc", Self.settings)
    // A wallet that is new is a Secret Service's collection only from the next start on.
    let first = try Self.start(on: bus)
    try Self.openWallet(on: bus)
    first.stop()
    daemon = try Self.start(on: bus)
    try unlock()
  }

  /// Closes the wallet.
  package func lock() throws(HarnessFailure) {
    try call("org.freedesktop.Secret.Service.Lock", "['\(Self.collection)']")
    try wait(untilLocked: true)
  }

  /// Opens the wallet as a login does; its Secret Service takes no notice of that.
  package func open() throws(HarnessFailure) { try Self.openWallet(on: bus) }

  /// Opens the wallet, and has the Secret Service take notice of it.
  ///
  /// It does so by a prompt only, which asks no question where the wallet is open.
  package func unlock() throws(HarnessFailure) {
    try open()
    let answer = try call("org.freedesktop.Secret.Service.Unlock", "['\(Self.collection)']")
    let quoted = answer.split(separator: "'", omittingEmptySubsequences: false)
    guard let prompt = quoted.first(where: { $0.contains("/prompt/") }) else {
      throw HarnessFailure("no prompt: \(answer)")
    }
    try call("org.freedesktop.Secret.Prompt.Prompt", at: String(prompt), "")
    try wait(untilLocked: false)
  }

  package func kill() { daemon.stop() }

  private static let wallet = "kdewallet"
  private static let collection = "/org/freedesktop/secrets/collection/\(wallet)"
  /// What PAM makes of the login's password: 56 bytes, as many as the salt has.
  private static let loginHash = String(repeating: "k", count: 56)

  private static let settings = """
    [Wallet]
    Enabled=true
    First Use=false
    Default Wallet=\(wallet)
    Prompt on Open=false
    Leave Open=true
    Close When Idle=false
    [org.freedesktop.secrets]
    apiEnabled=true
    [org.freedesktop.secrets.aliases]
    default=\(wallet)
    """

  private static func start(on bus: PrivateBus) throws(HarnessFailure) -> Daemon {
    let environment = bus.environment.merging(["QT_QPA_PLATFORM": "offscreen"]) { $1 }
    let daemon = try Daemon(["kwalletd5"], environment: environment)
    try bus.wait(for: "org.freedesktop.secrets")
    return daemon
  }

  private static func openWallet(on bus: PrivateBus) throws(HarnessFailure) {
    let hash = loginHash.utf8.map { "0x\(String($0, radix: 16))" }.joined(separator: ", ")
    let answer = try bus.call(
      "org.kde.KWallet.pamOpen",
      of: "org.kde.kwalletd5",
      at: "/modules/kwalletd5",
      [wallet, "[\(hash)]", "0"]
    )
    let open = try bus.call("org.kde.KWallet.isOpen", of: "org.kde.kwalletd5", at: "/modules/kwalletd5", [wallet])
    guard open == "(true,)\n" else { throw HarnessFailure("the wallet is not open: \(answer)") }
  }
}
