import AcctProtocol
import Secrets
import StrictJSON
import Testing

@Suite("A recorded change of a file")
struct FileChangeTests {
  private static let rows: [(before: String?, after: String?)] = [
    ("", "x"), ("x", ""), ("a\nb\n", "a\nc\nb\n"), ("same", "same"), (nil, "new"), ("old", nil),
    ("aaaaaaaaaaaa", "aaaaaaaaa"), ("one two three four", "four three two one"),
    ("# mine\ntoken: \"a-secret-token\"\n  - x: y\n", "- x: y\ntoken: a-secret-token\n"),
    (String(repeating: "abcd", count: 100), String(repeating: "abcd", count: 101)), ("\u{0}\u{1}é", "é\u{0}"),
  ]

  @Test("A change is undone byte for byte, also after it was stored", arguments: rows.indices)
  func roundTrip(row: Int) throws {
    let (before, after) = (Self.rows[row].before.map { Secret($0) }, Self.rows[row].after.map { Secret($0) })
    let change = FileChange(from: before, to: after)
    let stored = try #require(FileChange(try JSON(parsing: change.json.serialized())))
    #expect(stored == change)
    #expect(stored.undone(after) == FileChange.Earlier(before))
    #expect(stored.position(of: after) == .after)
    if before != after { #expect(stored.position(of: before) == .before) }
    #expect(stored.position(of: Secret("something else")) == .elsewhere)
    #expect(stored.undone(Secret("something else")) == nil)
  }

  @Test("A secret that stays in the file is not recorded, though another program lays the file out anew")
  func secrets() throws {
    let secret = "made-up-secret-of-the-cluster"
    let before = "# mine\nusers:\n- user: {token: \"\(secret)\"}\n"
    let after = "users:\n- name: acct\n- user:\n    token: \(secret)\n"
    let change = FileChange(from: Secret(before), to: Secret(after))
    #expect(change.undone(Secret(after)) == FileChange.Earlier(Secret(before)))
    let removed = try (change.json.objectValue?["pieces"]?.arrayValue ?? []).compactMap(\.stringValue).map {
      String(decoding: try Base64URL.decode($0), as: UTF8.self)
    }
    #expect(removed.joined().contains("# mine"))
    for start in 0...(secret.utf8.count - 4) {
      let part = String(decoding: secret.utf8.dropFirst(start).prefix(4), as: UTF8.self)
      #expect(!removed.contains { $0.contains(part) }, "\(removed)")
    }
  }

  @Test("A damaged record undoes nothing")
  func damage() throws {
    let change = FileChange(from: Secret("a long line\n"), to: Secret("a longer line\n"))
    for (old, new) in [
      ("[0,6]", "[0,7]"), ("[0,6]", "[0,1048577]"), ("[0,6]", "[0]"), ("\"pieces\":[", "\"pieces\":[\"!\","),
    ] {
      let text = String(decoding: change.json.serialized(), as: UTF8.self)
      try #require(text.contains(old), "\(text)")
      let damaged = FileChange(try? JSON(parsing: Array(text.replacing(old, with: new).utf8)))
      #expect(damaged?.undone(Secret("a longer line\n")) == nil)
    }
    #expect(FileChange(nil) == nil)
  }
}

@Suite("The ways of the go command to a credential")
struct GoAuthListTests {
  @Test("acct comes behind the others, and goes alone")
  func list() {
    let rows = [
      ("netrc", "netrc;acct helper go"), ("git /srv; netrc ;", "git /srv;netrc;acct helper go"),
      ("off", "acct helper go"), ("", "acct helper go"),
    ]
    for (before, after) in rows {
      var list = GoAuthList(before)
      #expect(!list.hasAcct)
      list.addAcct()
      #expect(list.value == after)
      #expect(list.hasAcct && !list.isDefault)
      list.removeAcct()
      #expect(!list.hasAcct)
    }
    #expect(GoAuthList("/usr/bin/acct helper --account a go").hasAcct)
    #expect(!GoAuthList("acct helper git").hasAcct)
  }
}
