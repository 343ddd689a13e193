import AcctCLI
import AcctConsole
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// The files of accounts that this acct does not use: each is told as what it is.
@Suite("Accounts whose files are not used")
struct SkippedAccountTests {
  let record = RecordedWorld()

  /// A way in which a file is of no use, and what is told about it.
  struct Flaw: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The contents, from those of a whole file.
    var contents: @Sendable (String) -> String = { $0 }
    var isExposed = false
    let text: String
    let code: String
    let hint: String
  }

  private static let flaws = [
    Flaw(
      testDescription: "newer",
      contents: { $0.replacing(#""version":1"#, with: #""version":2"#) },
      text: "the file of two was written by a later version of acct: PATH",
      code: "newerAccount",
      hint: "update acct on this machine"
    ),
    Flaw(
      testDescription: "cut off",
      contents: { String($0.dropLast(2)) },
      text: "the file of two is damaged: PATH",
      code: "damagedAccount",
      hint: "restore it from a backup; or move it away and run `acct doctor --repair`"
    ),
    Flaw(
      testDescription: "open to others",
      isExposed: true,
      text: "the file of two is not used: PATH: its group or others can write to it: run `chmod go-w PATH`",
      code: "fileUnsafe",
      hint: "check what is in it first; `acct doctor` has one line for all such files"
    ),
  ]

  /// Two accounts, of which the second has a flaw; returns its identifier, the whole file, and the flaw with its path.
  private func spoil(_ flaw: Flaw) async throws -> (id: AccountID, whole: String, text: String, hint: String) {
    await record.addToken("tok-one", at: "https://one.example", "--name", "one")
    await record.addToken("tok-two", at: "https://two.example", "--name", "two")
    #expect(await record.acct("switch", "one") == 0)
    #expect(await record.acct("status", "two", "--json") == 0)
    let text = record.json?.objectValue?["account"]?.objectValue?["id"]?.stringValue
    let id = try AccountID(try #require(text))
    let whole = try #require(record.file(.account(id)))
    record.corrupt(.account(id), with: flaw.contents(whole))
    record.expose(id, flaw.isExposed)
    record.clear()
    let path = "/data/accounts/\(id).json"
    return (id, whole, flaw.text.replacing("PATH", with: path), flaw.hint)
  }

  @Test("Every command that looks for the account tells what its file is, and proposes no other", arguments: flaws)
  func told(flaw: Flaw) async throws {
    let (id, whole, text, hint) = try await spoil(flaw)
    let lines = [
      ["status", "two"], ["token", "--account", "two"], ["header", "https://two.example/"], ["switch", "two"],
      ["header", "https://two.example/", "--account", "two"], ["rename", "two", "three"], ["remove", "two"],
      ["exec", "--for", "https://two.example", "--", "true"], ["allow", "two", "https://three.example"],
    ]
    for words in lines {
      record.clear()
      #expect(await record.run(words) == 65, "\(words)")
      #expect(record.err == ["acct: \(text)", "acct: hint: \(hint)"], "\(words)")
      #expect(record.out == "", "\(words)")
    }
    record.clear()
    #expect(await record.git("protocol=https", "host=two.example") == 0)
    #expect(record.out == "")
    #expect(record.err == ["acct: \(text)", "acct: hint: \(hint)"])
    record.clear()
    #expect(await record.acct("list") == 0)
    #expect(record.err == ["acct: \(text); skipped"])
    record.clear()
    // What has a wrong mode is a finding of the files, as they are surveyed.
    #expect(await record.acct("doctor", "--offline", "--json") == (flaw.isExposed ? 0 : 1))
    #expect(record.out.contains(#""code":"\#(flaw.code)""#) != flaw.isExposed, "\(record.out)")
    // Mended, it is as before.
    record.corrupt(.account(id), with: whole)
    record.expose(id, false)
    record.clear()
    #expect(await record.acct("header", "https://two.example/") == 0)
    #expect(record.err.isEmpty || record.out.contains("tok-two"))
  }

  @Test("While a file is not used, no hint proposes another account's token, or another account", arguments: flaws)
  func noOtherAccount(flaw: Flaw) async throws {
    let (_, _, text, hint) = try await spoil(flaw)
    let lines: [(words: [String], status: Int32)] = [
      (["header", "https://elsewhere.example/"], 8), (["status", "on"], 5), (["token", "--account", "thre"], 5),
      (["header", "https://two.example/", "--account", "one"], 8),
    ]
    for (words, status) in lines {
      record.clear()
      #expect(await record.run(words) == status, "\(words)")
      #expect(record.err.last == "acct: hint: \(text); \(hint)", "\(words)")
    }
    #expect(await record.acct("header", "https://one.example/") == 0)
    #expect(record.out.contains("tok-one"))
  }

  @Test("Several files with a wrong mode are told at once, with one line for all, beside those with other flaws")
  func severalModes() async throws {
    var ids: [AccountID] = []
    for name in ["a", "b", "c", "d", "e"] {
      await record.addToken("tok-\(name)", at: "https://\(name).example", "--name", name)
      #expect(await record.acct("status", name, "--json") == 0)
      ids.append(try AccountID(try #require(record.json?.objectValue?["account"]?.objectValue?["id"]?.stringValue)))
    }
    for id in ids.dropLast() { record.expose(id) }
    record.corrupt(.account(ids[4]), with: #"{"version":2,"name":"e"}"#)
    for command in ["list", "log"] {
      record.clear()
      #expect(await record.acct(command) == 0)
      #expect(
        record.err.filter { $0.hasSuffix("; skipped") }.sorted() == [
          "acct: the file of e was written by a later version of acct: /data/accounts/\(ids[4]).json; skipped",
          "acct: the files of a, b, c and 1 more are not used: others can write to them, or you may not read them: "
            + "run `chmod 600 /data/accounts/*.json`; skipped",
        ]
      )
    }
    // In the doctor the accounts stand beside the files.
    let path = "/data/accounts/\(ids[0]).json"
    record.maintenance.surveyed = [
      SurveyedFile(
        path: path,
        role: .other,
        kind: .regular,
        mode: 0o666,
        isOwn: true,
        modifiedAt: Timestamp(clamped: record.now)
      )
    ]
    #expect(await record.acct("doctor", "--offline") == 1)
    #expect(record.out.contains("\(path) can be changed by others; not used: a\n"), "\(record.out)")
  }

  @Test("An account that is the only one that can be read is not chosen for that")
  func notTheOnlyOne() async throws {
    _ = try await spoil(Self.flaws[0])
    record.corrupt(.active, with: "\n\n")
    #expect(await record.acct("token") == 5)
    #expect(record.out == "")
  }

  @Test("A new account does not take the name of one whose file is not used")
  func nameStays() async throws {
    let (_, _, text, _) = try await spoil(Self.flaws[0])
    #expect(await record.addToken("tok-new", at: "https://new.example", "--name", "two") == 65)
    #expect(record.err.first == "acct: \(text)")
  }

  @Test("A file under another account's name is told with the line that renames it back")
  func renamed() async throws {
    let (id, whole, _, _) = try await spoil(Self.flaws[0])
    let other = "00000000-0000-4000-8000-00000000000a"
    record.forget(.account(id))
    record.corrupt(.account(try AccountID(other)), with: whole)
    #expect(await record.acct("header", "https://two.example/") == 65)
    let folder = "/data/accounts"
    #expect(
      record.err == [
        "acct: the file of two has another account's name, and is not used: \(folder)/\(other).json",
        "acct: hint: `mv -n \(folder)/\(other).json \(folder)/\(id).json` renames it back",
      ]
    )
  }

  @Test("An argument that is not UTF-8 is refused, and no account is called by its replacement")
  func notText() async {
    record.provide("F", "tok")
    let words = ["acct", "add", "--token", "F", "--allow-origin", "https://a.example", "--name", nil]
    #expect(await Acct.run(commandLine: words, in: record.world()) == 64)
    #expect(
      record.err == [
        "acct: an argument is not text in UTF-8",
        "acct: hint: write it in UTF-8: `iconv -f latin1 -t utf-8` converts Latin-1",
      ]
    )
    #expect(record.accountFiles == 0)
  }
}
