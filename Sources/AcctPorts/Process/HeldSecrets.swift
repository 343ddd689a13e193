package import Release
package import Secrets
import Synchronization

/// The secrets that a command has used so far, to be redacted in text from outside.
///
/// They are kept for the command alone: ``forget()`` ends that, and in a process that serves others
/// ``leave()`` does, when no request is in progress any more.
package final class HeldSecrets: Sendable {
  private struct State {
    var secrets: [Secret] = []
    /// The mark of each, which differs for most unequal secrets; too short to reveal anything of one.
    var marks: [UInt16] = []
    var users = 0

    mutating func forget() { (secrets, marks) = ([], []) }
  }

  private let state = Mutex(State())

  package init() {}

  /// The most secrets held: a command that goes through many accounts forgets the first ones.
  private static let most = 512

  /// Holds a secret, unless it is held already.
  package func hold(_ secret: Secret) {
    guard secret.count >= 4 else { return }
    state.withLock { state in
      let mark = secret.mark
      // A proxy holds the proofs of hundreds of requests, which begin alike.
      guard
        !state.marks.indices.contains(where: {
          state.marks[$0] == mark && state.secrets[$0] == secret
        })
      else { return }
      state.secrets.append(secret)
      state.marks.append(mark)
      guard state.secrets.count > Self.most else { return }
      state.secrets.removeFirst()
      state.marks.removeFirst()
    }
  }

  /// Holds a token.
  package func hold(_ token: Token) { hold(token.opened(for: .redaction)) }

  /// Holds several secrets.
  package func hold(_ secrets: [Secret]) { for secret in secrets { hold(secret) } }

  /// A redactor of the secrets that are held now.
  package var redactor: Redactor { Redactor(state.withLock { $0.secrets }) }

  /// Forgets all of them.
  package func forget() { state.withLock { $0.forget() } }

  /// Marks the beginning of an independent piece of work.
  package func enter() { state.withLock { $0.users += 1 } }

  /// Marks its end; the end of the last one forgets all secrets.
  package func leave() {
    state.withLock { state in
      state.users -= 1
      if state.users == 0 { state.forget() }
    }
  }
}

extension Secret {
  /// A hash of the last bytes, since proofs and tokens of one kind begin alike.
  fileprivate var mark: UInt16 {
    var hasher = Hasher()
    withBytes { bytes in
      for index in bytes.indices.suffix(8) { hasher.combine(bytes[index]) }
    }
    return UInt16(truncatingIfNeeded: hasher.finalize())
  }
}
