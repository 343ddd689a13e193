import AcctModel
import AcctPrograms
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

  private static func change(_ before: String?, _ after: String?) -> FileChange {
    FileChange(LineDiff(from: before.map { Secret($0) }, to: after.map { Secret($0) }))
  }

  private static func undone(_ text: String, isExact: Bool = false) -> FileChange.Undone {
    FileChange.Undone(contents: Secret(text), isExact: isExact)
  }

  @Test("A change is undone byte for byte, also after it was stored", arguments: rows.indices)
  func roundTrip(row: Int) throws {
    let (before, after) = Self.rows[row]
    let change = Self.change(before, after)
    let stored = try #require(FileChange(try JSON(parsing: change.json.serialized())))
    #expect(stored == change)
    let undone = try #require(stored.undone(after.map { Secret($0) }))
    #expect(undone == FileChange.Undone(contents: before.map { Secret($0) }, isExact: true))
    #expect(stored.isBefore(before.map { Secret($0) }) == (before != after))
    #expect(!stored.isBefore(after.map { Secret($0) }))
    #expect(!stored.isBefore(Secret("something else")))
    if before != after { #expect(stored.undone(Secret("something else")) == nil) }
  }

  @Test("The diff is applied backwards to a file that was written since, where its lines are still there")
  func writtenSince() throws {
    let before = (1...20).map { "\($0)\n" }.joined()
    let after = before.replacing("3\n4\n", with: "new\n4\n") + "last"
    let change = Self.change(before, after)
    let since = "0\n" + after.replacing("10\n", with: "10\nmine\n")
    #expect(change.undone(Secret(since)) == Self.undone("0\n" + before.replacing("10\n", with: "10\nmine\n")))
    // A line of the change was written anew.
    #expect(change.undone(Secret(since.replacing("new", with: "newer"))) == nil)
    // Of several such places the nearest one counts.
    let twice = Self.change("a\nb\n\na\nb\n", "a\nx\nb\n\na\nb\n")
    #expect(twice.undone(Secret("a\nx\nb\n\na\nb\n")) == Self.undone("a\nb\n\na\nb\n", isExact: true))
    // What follows the last line of the change may belong to it, as to the head of a section.
    #expect(Self.change(nil, "[added]\na = 1\n").undone(Secret("[added]\na = 1\nb = 2\n")) == nil)
    #expect(Self.change("mine", "mine\nadded\n").undone(Secret("mine\nadded\nmore\n")) == nil)
    #expect(Self.change("mine", "mine\nadded\n").undone(Secret("more\nmine\nadded\n")) == Self.undone("more\nmine"))
  }

  @Test("What a change dropped and a later file does not have is named, without secrets")
  func lost() {
    let before = "# a note\nuser: {name: a, token: made-up-secret}\nother: 1\n"
    let change = Self.change(before, "user:\n  name: a\n  token: made-up-secret\nadded: 1\n")
    #expect(change.lost(in: Secret("user:\n  name: a\n  token: made-up-secret\n")) == ["# a note", "other: 1"])
    #expect(
      change.lost(in: Secret("nothing")) == ["# a note", "other: 1"],
      "a line whose secret is gone is not known"
    )
  }

  @Test("A secret that stays in the file is not recorded, though another program lays the file out anew")
  func secrets() throws {
    let secret = "made-up-secret-of-the-cluster"
    let before = "# mine\nusers:\n- user: {token: \"\(secret)\"}\n"
    let after = "users:\n- name: acct\n- user:\n    token: \(secret)\n"
    let change = Self.change(before, after)
    #expect(change.undone(Secret(after)) == Self.undone(before, isExact: true))
    let removed = texts(in: change.json).compactMap { try? Base64URL.decode($0) }.map {
      String(decoding: $0, as: UTF8.self)
    }
    #expect(removed.joined().contains("# mine"))
    for start in 0...(secret.utf8.count - 4) {
      let part = String(decoding: secret.utf8.dropFirst(start).prefix(4), as: UTF8.self)
      #expect(!removed.contains { $0.contains(part) }, "\(removed)")
    }
  }

  private func texts(in json: JSON) -> [String] {
    (json.arrayValue ?? []).flatMap(texts) + (json.objectValue ?? [:]).flatMap { texts(in: $0.value) }
      + (json.stringValue.map { [$0] } ?? [])
  }

  @Test("A word that stays in the file is not recorded, though nothing says that it is a secret")
  func words() throws {
    let (before, after) = ("login = alice/hunter2 plain\n", "login=\"alice/hunter2\"\n")
    let change = Self.change(before, after)
    #expect(change.undone(Secret(after)) == Self.undone(before, isExact: true))
    let removed = texts(in: change.json).compactMap { try? Base64URL.decode($0) }.map {
      String(decoding: $0, as: UTF8.self)
    }
    #expect(removed.contains { $0.contains("plain") })
    #expect(!removed.contains { $0.contains("hunter") || $0.contains("login") }, "\(removed)")
  }

  @Test("The marks and digests of a record have its salt, which is stored")
  func salt() throws {
    let (before, after) = ("token: weak\nold\n", "a\ntoken: \"weak\"\n")
    let diff = LineDiff(from: Secret(before), to: Secret(after))
    let changes = [[1], [2], [1]].map { FileChange(diff, salt: $0) }
    let stored = changes.map { texts(in: $0.json) }
    #expect(stored[0] == stored[2])
    // The text of what left the file, and the empty rest, are the same.
    let same = Set(stored[0]).intersection(stored[1]).compactMap { try? Base64URL.decode($0) }
    #expect(same.allSatisfy { $0.count < 10 }, "\(same)")
    for change in changes {
      let read = try #require(FileChange(try JSON(parsing: change.json.serialized())))
      #expect(read == change)
      #expect(read.undone(Secret(after)) == Self.undone(before, isExact: true))
    }
  }

  @Test("An earlier version, which asks for pieces, keeps a record")
  func pieces() {
    #expect(Self.change("a", "b").json.objectValue?["pieces"]?.arrayValue == [])
  }

  @Test("A damaged record undoes nothing, nor does one of an earlier version, but for a file that acct made")
  func damage() throws {
    let change = Self.change("a long line\n", "a longer line\n")
    let text = String(decoding: change.json.serialized(), as: UTF8.self)
    for (old, new) in [("[0,", "[-1,"), ("[0,", "[1048577,"), ("[0,", "["), ("\"+", "\"*"), ("\"+", "\"+x")] {
      try #require(text.contains(old), "\(text)")
      #expect(FileChange(try? JSON(parsing: Array(text.replacing(old, with: new).utf8))) == nil)
    }
    #expect(FileChange(nil) == nil)
    let digests = text.prefix { $0 != "[" }.replacing("hunks", with: "pieces")
    let earlier = try #require(FileChange(try JSON(parsing: Array("\(digests)[[0,6],\"eA\"]}".utf8))))
    #expect(earlier.undone(Secret("a longer line\n")) == nil)
    #expect(earlier.isBefore(Secret("a long line\n")))
    let made = String(decoding: Self.change(nil, "made\n").json.serialized(), as: UTF8.self)
    let own = "\(made.prefix { $0 != "[" }.replacing("hunks", with: "pieces"))[]}"
    let removed = FileChange(try JSON(parsing: Array(own.utf8)))?.undone(Secret("made\n"))
    #expect(removed == FileChange.Undone(contents: nil, isExact: true))
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
