import AcctTestSupport
import Glibc
import Testing

/// What must hold after every fault of a command.
extension TortureScene {
  /// What a command has left that the next one does without.
  struct Litter {
    var temporary = 0
    var locks = 0
  }

  /// Asserts that the other account is unchanged, and that no secret is in a file.
  func expectBystander(_ comment: Comment) async throws {
    let token = try await home.acct("token", "-a", Self.bystander)
    #expect(token.text == Self.bystanderToken + "\n", "\(comment.rawValue): \(token.errorText)")
  }

  /// Asserts that no file holds a secret in the clear, that no lock is held, and returns what
  /// lies about otherwise.
  func litter(_ comment: Comment) async throws -> Litter {
    let forms = secretForms + "|" + Self.bystanderToken
    #expect(try await home.files(containing: forms) == [], comment)
    var litter = Litter()
    for file in try await home.files() {
      if file.contains(".tmp-") { litter.temporary += 1 }
      guard file.hasPrefix("state/locks/") else { continue }
      litter.locks += 1
      #expect(isFree("\(home.path)/\(file)"), "\(comment.rawValue): \(file) is held")
    }
    return litter
  }

  private func isFree(_ path: String) -> Bool {
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == ENOENT }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }
}

extension TortureScene {
  /// Removes the files of dead processes, so that the next is not blamed for them.
  func sweep() async throws {
    let swept = try await ChildProcess(
      "find",
      [home.path, "(", "-name", ".tmp-*", "-o", "-path", "*/state/locks/*", ")", "-delete"]
    ).run()
    try #require(swept.status == 0, "\(swept.errorText)")
  }
}
