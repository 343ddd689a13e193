import AcctPorts
import AcctTestSupport
import Testing

@Suite("The account that cargo gets")
struct CargoAccountTests {
  let record = RecordedWorld()

  /// Asks for a registry by its index; the answer is in the record.
  @discardableResult
  private func ask(_ index: String, as account: String? = nil) async -> Int32 {
    let question = #"{"v":1,"registry":{"index-url":"\#(index)","name":"r"},"kind":"get","operation":"read"}"#
    record.provide("-", question + "\n")
    record.clear()
    let options = account.map { ["--account", $0] } ?? []
    return await record.run(["helper", "cargo", "--cargo-plugin"] + options)
  }

  private static let none = AskingProgram.cargo.none.out
  private static let sparse = "sparse+https://issuer.example/index/"

  @Test("A .acct file chooses no account of a sign-in for cargo, and the reason says so")
  func directory() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.place([.trusted(path: "/x/.acct", names: ["bob.example.com"])])
    #expect(await ask(Self.sparse) == 0)
    #expect(record.out == Self.none)
    #expect(
      record.err == [
        "acct: the program sends tokens on, so it gets that of bob.example.com only if you choose it",
        "acct: hint: set ACCT_ACCOUNT (a .acct file does not count), or, if all of "
          + "https://issuer.example may have it, run "
          + "`acct allow bob.example.com https://issuer.example`",
      ]
    )
  }

  @Test("A .acct file chooses nothing between accounts that the user gave to the origin")
  func directoryOfSeveral() async {
    for name in ["work", "home"] { await record.addToken("tok-\(name)", at: "https://issuer.example", "--name", name) }
    await record.addToken("tok", at: "https://other.example", "--name", "other")
    record.place([.trusted(path: "/x/.acct", names: ["work"])])
    #expect(await record.acct("switch", "home") == 0)
    #expect(await ask(Self.sparse) == 0)
    #expect(record.out.contains("Bearer tok-home"), "\(record.out) \(record.err)")
    #expect(await record.acct("switch", "other") == 0)
    #expect(await ask(Self.sparse) == 0)
    #expect(record.out == Self.none)
    #expect(
      record.err == [
        "acct: https://issuer.example is an origin of more than one account: home, work",
        "acct: hint: select one with --account, ACCT_ACCOUNT or `acct switch`",
      ]
    )
  }

  @Test("A .acct file that names no account is no obstacle to cargo")
  func directoryOfNone() async {
    await record.addGiven()
    record.place([.trusted(path: "/x/.acct", names: ["nobody"])])
    #expect(await ask(Self.sparse) == 0)
    #expect(record.out.contains("Bearer opaque-bob"), "\(record.out) \(record.err)")
  }

  @Test(
    "An index that git fetches gets the token of the account that the user chose",
    arguments: [
      "https://issuer.example/index", "https://issuer.example/index.git",
      "registry+https://issuer.example/index", "git+https://issuer.example/index",
    ]
  )
  func gitIndex(_ index: String) async {
    await record.addGiven()
    #expect(await ask(index) == 0)
    #expect(record.out == Self.none)
    #expect(
      record.err == [
        "acct: the program sends tokens on, so it gets that of bob.example.com only if you choose it",
        "acct: hint: set ACCT_ACCOUNT: a .acct file does not count, nor does an allowed origin, "
          + "since others may have repositories there",
      ]
    )
    record.place([.trusted(path: "/x/.acct", names: ["bob.example.com"])])
    #expect(await ask(index) == 0)
    #expect(record.out == Self.none)
    #expect(await ask(index, as: "bob.example.com") == 0)
    #expect(record.out.contains("Bearer opaque-bob"), "\(record.out) \(record.err)")
    record.set("ACCT_ACCOUNT", to: "bob.example.com")
    #expect(await ask(index) == 0)
    #expect(record.out.contains("Bearer opaque-bob"), "\(record.out) \(record.err)")
  }

  @Test("An index of another origin gets no token, whichever account the user chose")
  func otherOrigin() async {
    await record.addGiven()
    record.set("ACCT_ACCOUNT", to: "bob.example.com")
    for index in ["https://other.example/index", "sparse+https://other.example/index/"] {
      #expect(await ask(index) == 0)
      #expect(record.out == Self.none, "\(index)")
    }
  }

  @Test(
    "The index of crates.io gets no token of its host, whichever account the user chose",
    arguments: [
      "https://github.com/rust-lang/crates.io-index",
      "https://GitHub.com/rust-lang/crates.io-index/",
      "registry+https://github.com/rust-lang/crates.io-index",
      "https://github.com:443/Rust-Lang/crates.io-index.git",
    ]
  )
  func cratesIO(_ index: String) async {
    await record.addToken("tok", at: "https://github.com", "--name", "hub")
    record.set("ACCT_ACCOUNT", to: "hub")
    for account in [nil, "hub"] {
      #expect(await ask(index, as: account) == 0)
      #expect(record.out == "{\"v\":[1]}\n{\"Err\":{\"kind\":\"url-not-supported\"}}\n")
    }
  }
}
