import AcctModel
import Secrets
import AcctPorts
import PrivateFiles
import Testing
import Vault

/// Damage is never taken for "not there" or for a wrong passphrase, and is never cleared away.
@Suite("Damaged vaults")
struct DamageTests {
  let bench: Workbench
  let account: AccountID
  let keyring: Keyring
  let name: String

  init() async throws {
    bench = try Workbench()
    account = try Accounts.first()
    keyring = try bench.store(passphrase: "the first one").keyring
    name = ItemKind.accessToken.key(for: account)
    try await keyring.write(account, [.init(.accessToken, Secret("token"))], .forbidden)
  }

  private func expectDamage(_ reason: String, of name: String) async throws {
    let before = try bench.contents(name)
    let failure = KeyringFailure.failed(reason: "the vault in \(bench.folder.path) is damaged: \(reason)")
    // A store of its own, which has nothing in memory.
    let keyring = try bench.store(passphrase: "the first one").keyring
    await #expect(throws: failure) { try await keyring.read(account, [.accessToken], .forbidden) }
    #expect(try bench.contents(name) == before)
  }

  @Test("An item with any byte changed is rejected as damaged")
  func changedItem() async throws {
    let whole = try bench.contents(name)
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 0x01
      try bench.put(changed, name)
      let reason =
        switch index {
        case ..<9: "is not an item of acct's"
        case 9: "is of a kind that this version of acct does not know"
        default: "was modified"
        }
      try await expectDamage("\(name) \(reason)", of: name)
    }
  }

  @Test("A header and an item of a later version of acct are told as that, and stay", arguments: ["header", "item"])
  func later(part: String) async throws {
    let file = part == "header" ? "header" : name
    let whole = try bench.contents(file)
    var later = whole
    if part == "header" {
      later = Array(String(decoding: whole, as: UTF8.self).replacing(#""version":1"#, with: #""version":4"#).utf8)
    } else {
      later[9] += 1
    }
    try bench.put(later, file)
    let keyring = try bench.store(passphrase: "the first one").keyring
    let failure = KeyringFailure.newer(part: "the vault in \(bench.folder.path)")
    await #expect(throws: failure) { try await keyring.read(account, [.accessToken], .forbidden) }
    #expect(try bench.contents(file) == later)
  }

  @Test("An item that is cut short is rejected as damaged", arguments: [0, 9, 21, 37, 42])
  func truncatedItem(count: Int) async throws {
    let whole = try bench.contents(name)
    #expect(whole.count == 43)
    try bench.put(Array(whole.prefix(count)), name)
    let reason = count < 38 ? "is not an item of acct's" : "was modified"
    try await expectDamage("\(name) \(reason)", of: name)
  }

  @Test("An item in the place of another, or of another account's, is rejected as damaged")
  func renamedItem() async throws {
    let whole = try bench.contents(name)
    let other = try Accounts.second()
    for key in [ItemKind.refreshToken.key(for: account), ItemKind.accessToken.key(for: other)] {
      try bench.put(whole, key)
      await #expect(throws: KeyringFailure.self) {
        try await keyring.read(account, [.refreshToken], .forbidden)
          .merging(keyring.read(other, [.accessToken], .forbidden)) { $1 }
      }
      try bench.folder.remove(key)
    }
    #expect(
      try await keyring.read(account, [.accessToken], .forbidden) == [.accessToken: Secret("token")]
    )
  }

  @Test(
    "A changed header is reported as damaged",
    arguments: [
      (#""n":16"#, #""n":32"#, "the header's checksum is wrong"),
      (#""salt":""#, #""salt":"0"#, "the header is incomplete"),
      (#""nonce":""#, #""nonce":"G"#, "the header is incomplete"),
      (#""r":1"#, #""r":1000000"#, "the header's scrypt parameters are out of bounds"),
      (#""n":16"#, #""n":15"#, "the header's scrypt parameters are out of bounds"),
      (#""n":16"#, #""n":-16"#, "the header's scrypt parameters are out of bounds"),
      (#""n":16"#, #""n":1099511627776"#, "the header's scrypt parameters are out of bounds"),
      (#""p":1"#, #""p":1e400"#, "the header's scrypt parameters are out of bounds"),
      (
        #""version":1"#, #""version":3"#,
        "the header is of a kind that this version of acct does not know"
      ),
      (#""version":1"#, #""version":2"#, "the header is incomplete"),
      ("scrypt", "argon", "the header is of a kind that this version of acct does not know"),
      ("acct-vault", "other", "the header is not one of acct's"),
      ("}", "", "the header is not JSON"),
      (#""n":16"#, #""n":16,"n":16"#, "the header is not JSON"),
    ]
  )
  func changedHeader(old: String, new: String, reason: String) async throws {
    let text = String(decoding: try bench.contents("header"), as: UTF8.self)
    let range = try #require(text.firstRange(of: old))
    try bench.put(Array(text.replacingCharacters(in: range, with: new).utf8), "header")
    try await expectDamage(reason, of: "header")
    #expect(try await keyring.list() == [account: [.accessToken]])
  }

  @Test("A wrapped key with one changed digit is reported as damaged")
  func changedKey() async throws {
    let text = String(decoding: try bench.contents("header"), as: UTF8.self)
    let start = try #require(text.firstRange(of: #""wrappedKey":""#)).upperBound
    let digit = start..<text.index(after: start)
    let other = text[digit] == "0" ? "1" : "0"
    try bench.put(Array(text.replacingCharacters(in: digit, with: other).utf8), "header")
    try await expectDamage("the header's checksum is wrong", of: "header")
  }

  @Test("A vault without its header is not taken for a new one")
  func missingHeader() async throws {
    try bench.folder.remove("header")
    try await expectDamage("its header is missing", of: name)
    let other = try bench.store(passphrase: "the other one").keyring
    await #expect(throws: KeyringFailure.self) { try await other.prepare(.forbidden) }
    #expect(try bench.folder.names() == [name])
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
    var copy = self
    copy.replaceSubrange(range, with: text)
    return copy
  }
}
