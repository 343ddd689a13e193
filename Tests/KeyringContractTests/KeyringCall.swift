import AcctModel
import Secrets
import AcctPorts
import Testing

/// The calls that a keyring can refuse, each with something to be refused.
enum KeyringCall: CaseIterable {
  case read, write, remove, list, prepare

  static let account = AccountID(random: InlineArray(repeating: 0xA1))
  static let written = Keyring.Item(.accessToken, Secret("written by a call"))

  /// Makes the call.
  func make(on keyring: Keyring, _ interaction: Interaction) async throws(KeyringFailure) {
    switch self {
    case .read: _ = try await keyring.read(Self.account, [.accessToken], interaction)
    case .write: try await keyring.write(Self.account, [Self.written], interaction)
    case .remove: try await keyring.remove(Self.account, [.accessToken], interaction)
    case .list: _ = try await keyring.list()
    case .prepare: try await keyring.prepare(interaction)
    }
  }

  /// Makes the call, and returns how it failed.
  func failure(on keyring: Keyring, _ interaction: Interaction = .forbidden) async -> KeyringFailure? {
    do {
      try await make(on: keyring, interaction)
      return nil
    } catch {
      return error
    }
  }
}

extension KeyringFailure? {
  /// Whether it is a failure for a locked keyring, for whatever reason.
  var isLocked: Bool { if case .locked = self { true } else { false } }

  /// Whether it is a failure for want of a keyring, for whatever reason.
  var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
}
