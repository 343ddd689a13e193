import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import Glibc
import SecretServiceKeyring
import Testing

/// What a provider can do wrong, played by a small one of the tests' own.
@Suite("The Secret Service keyring with a misbehaving provider", .timeLimit(.minutes(2)))
struct MisbehavingProviderTests {
  let account = KeyringCall.account
  let other = AccountID(random: InlineArray(repeating: 0xB2))
  let token = Keyring.Item(.accessToken, Secret("made-up-token"))

  /// Starts a provider with these manners on a bus of its own.
  private func withProvider(
    _ manner: String,
    hasStockPolicy: Bool = false,
    _ body: (PrivateBus, PythonServer) async throws -> Void
  ) async throws {
    let bus = try PrivateBus(hasStockPolicy: hasStockPolicy)
    defer { bus.stop() }
    try await body(bus, try await PythonServer("SecretServices/provider.py", [bus.address, manner]))
  }

  @Test(
    "An item that the keyring did not search for is not used, replaced or deleted",
    arguments: [KeyringCall.read, .write, .remove]
  )
  func confused(call: KeyringCall) async throws {
    try await withProvider("confused") { bus, provider in
      let keyring = Keyring.secretService(busAddress: bus.address, canPrompt: false)
      try await keyring.write(other, [token], .forbidden)
      let failure = await call.failure(on: keyring)
      let isFailed = if case .failed = failure { true } else { false }
      #expect(isFailed, "\(String(describing: failure))")
      #expect(!provider.output.contains("replaced"))
      #expect(!provider.output.contains("deleted"))
      let read = try await keyring.read(other, [.accessToken], .forbidden)
      #expect(read == [.accessToken: token.secret])
    }
  }

  @Test("An item of another program with the same attributes is left unchanged")
  func otherProgram() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let secret = try gnome.bus.folder.file("secret", "theirs")
    let identity = ["account", "\(account)", "key", "oauth.\(account).accessToken"]
    func theirs() throws -> String {
      let lookup = ["secret-tool", "lookup", "xdg:schema", "org.example.Other"]
      return try Daemon.run(lookup + identity, environment: gnome.environment)
    }
    try Daemon.run(
      ["secret-tool", "store", "--label=theirs", "xdg:schema", "org.example.Other"] + identity,
      environment: gnome.environment,
      input: secret
    )
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    #expect(try await keyring.read(account, [.accessToken], .forbidden) == [:])
    try await keyring.remove(account, [.accessToken], .forbidden)
    #expect(try theirs() == "theirs")
    try await keyring.write(account, [token], .forbidden)
    let read = try await keyring.read(account, [.accessToken], .forbidden)
    #expect(read == [.accessToken: token.secret])
    try await keyring.remove(account, [.accessToken], .forbidden)
    #expect(try await keyring.read(account, [.accessToken], .forbidden) == [:])
    #expect(try theirs() == "theirs")
  }

  @Test("A provider that ends during its prompt is reported as gone", arguments: [false, true])
  func dying(mayAsk: Bool) async throws {
    try await withProvider("dying") { bus, provider in
      let keyring = Keyring.secretService(busAddress: bus.address, canPrompt: mayAsk, deadline: .seconds(20))
      try await keyring.write(account, [token], .forbidden)
      let failure = await KeyringCall.remove.failure(on: keyring, mayAsk ? .allowed : .forbidden)
      #expect(failure == .unavailable(reason: "the Secret Service stopped"))
      #expect(provider.output.contains("prompting"))
    }
  }

  @Test("A flood of unrelated replies and signals from a provider is discarded", arguments: [false, true])
  func flooding(mayAsk: Bool) async throws {
    try await withProvider("flooding", hasStockPolicy: true) { bus, provider in
      let keyring = Keyring.secretService(busAddress: bus.address, canPrompt: mayAsk, deadline: .seconds(60))
      try await keyring.write(account, [token], .forbidden)
      let process = "/proc/\(getpid())"
      try Daemon.run(["sh", "-c", "echo 5 >\(process)/clear_refs"], environment: [:])
      let before = try peakMemory(of: process)
      try await keyring.remove(account, [.accessToken], mayAsk ? .allowed : .forbidden)
      // The flood is 192 MiB.
      #expect(try peakMemory(of: process) - before < 48 << 10)
    }
  }

  @Test("A provider's answer of more than 4 MiB is rejected")
  func huge() async throws {
    try await withProvider("huge") { bus, _ in
      let keyring = Keyring.secretService(busAddress: bus.address, canPrompt: false)
      let failure = await KeyringCall.read.failure(on: keyring)
      #expect(failure == .failed(reason: "an answer on the session bus is longer than 4 MiB"))
    }
  }

  /// The peak of a process's resident memory, in KiB.
  private func peakMemory(of process: String) throws -> Int {
    let status = try Daemon.run(["cat", "\(process)/status"], environment: [:])
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.filter(\.isNumber)))
  }
}
