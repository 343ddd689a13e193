import AcctModel
import AcctPorts
import AcctTestSupport
import PrivateFiles
import Secrets
import StrictJSON
import Testing
import Vault

/// One more machine, which has neither passphrase nor key file of a shared keyring, and waits until another approves it.
final class Newcomer: Sendable {
  let home: AcctHome
  /// The code that it shows.
  let code: String
  private let joining: RunningProcess
  /// Its vault's passphrase.
  private let folder: TemporaryFolder

  /// Begins to join, and returns once the code is shown.
  ///
  /// - Parameters:
  ///   - place: The engine and the keyring's name, as words of `acct keyring join`.
  ///   - options: More options of it.
  ///   - isApart: `false` to run on this machine itself, where a signal and the status are acct's own, not nsenter's.
  /// - Throws: ``ProcessFailure``, or the failure of a requirement.
  convenience init(to place: [String], _ options: [String] = [], isApart: Bool = true) async throws {
    let folder = try TemporaryFolder()
    let home = try AcctHome(
      sharingUnder: "",
      on: isApart ? try await SeparateMachine() : nil,
      with: ["ACCT_VAULT_PASSPHRASE_FILE": try folder.file("own", containing: "of this machine\n")]
    )
    try await self.init(home, folder, to: place, options)
  }

  /// The same machine, which asks once more.
  convenience init(again former: Newcomer, to place: [String], _ options: [String] = []) async throws {
    try await self.init(former.home, former.folder, to: place, options)
  }

  private init(
    _ home: AcctHome,
    _ folder: TemporaryFolder,
    to place: [String],
    _ options: [String]
  ) async throws {
    (self.home, self.folder) = (home, folder)
    let process = try RunningProcess(
      home.command(["keyring", "join"] + place + ["--no-input", "--code"] + options)
    )
    func shown() -> String { String(decoding: process.standardError.contents(), as: UTF8.self) }
    try await process.ready { shown().contains("approve") && shown().hasSuffix("\n") }
    code = try #require(shown().split(whereSeparator: \.isWhitespace).last).description
    joining = process
  }

  /// Its private key in hexadecimal digits, read from its vault as acct itself does.
  func privateKey() async throws -> String {
    let data = PrivateFiles.PrivateFolder(at: "\(home.path)/data")
    let note = try #require(try data.subfolder("shared").read("machine", limit: 4096))
    let item = try #require(try JSON(parsing: note).objectValue?["item"]?.stringValue)
    let vault = VaultStore(
      folder: data.subfolder("vault"),
      passphrases: PassphraseSource(file: "\(folder.path)/own", terminal: Self.nobody),
      kernel: .refusing,
      entropy: Entropy { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
    )
    let items = try await vault.keyring.read(try AccountID(item), [.keypair], .forbidden)
    return try #require(items[.keypair]).withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
  }

  private static let nobody = Terminal(
    canAsk: { false },
    ask: { _ in nil },
    askSecret: { _ in nil },
    lines: { _ in AsyncStream { $0.finish() } }
  )

  /// Sends it a signal, and waits until it has ended.
  func ended(by signal: Int32) async -> ChildProcess.Output {
    joining.send(signal)
    return await joining.output()
  }

  /// Waits until it has joined.
  func joined() async throws {
    let output = await joining.output()
    try #require(output.status == 0, "\(output.errorText)")
  }
}

extension AcctHome {
  /// The identifier of the machine that has joined by a code; else of another one that has written.
  func otherMachine() async throws -> String {
    let listed = try await acct("keyring", "machines", "--json")
    let machines = try JSON(parsing: listed.standardOutput).objectValue?["machines"]?.arrayValue ?? []
    let member =
      (machines.first { $0.objectValue?["recipient"] == "machine" }
      ?? machines.first { $0.objectValue?["this"] == false })?.objectValue
    return try #require(member?["id"]?.stringValue, "\(listed.text)")
  }
}
