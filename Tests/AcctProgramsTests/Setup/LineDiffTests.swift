import AcctPrograms
import AcctProtocol
import Secrets
import Testing

@Suite("The diff of two files, line by line")
struct LineDiffTests {
  private func shown(_ before: String?, _ after: String?) -> String {
    let diff = LineDiff(from: before.map { Secret($0) }, to: after.map { Secret($0) })
    return diff.shown("/f").map { $0 + "\n" }.joined()
  }

  @Test("It is shown as diff(1) shows it with -u")
  func unified() {
    let ten = (1...10).map { "\($0)\n" }.joined()
    #expect(shown(ten, ten) == "")
    #expect(
      shown(ten, ten.replacing("5\n", with: "five\nmore\n"))
        == "--- /f\n+++ /f\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+more\n 6\n 7\n 8\n"
    )
    // Six equal lines are shown once, seven part two hunks.
    #expect(
      shown("a\n1\n2\n3\n4\n5\n6\nb\n", "x\n1\n2\n3\n4\n5\n6\ny\n")
        == "--- /f\n+++ /f\n@@ -1,8 +1,8 @@\n-a\n+x\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+y\n"
    )
    #expect(
      shown("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "1\n2\n3\n4\n5\n6\n7\n")
        == "--- /f\n+++ /f\n@@ -1,4 +1,3 @@\n-a\n 1\n 2\n 3\n@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-b\n"
    )
    #expect(shown(nil, "new\n") == "--- /dev/null\n+++ /f\n@@ -0,0 +1 @@\n+new\n")
    #expect(shown("old\n", nil) == "--- /f\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n")
    #expect(
      shown("x", "x\ny")
        == "--- /f\n+++ /f\n@@ -1 +1,2 @@\n-x\n\\ No newline at end of file\n+x\n+y\n\\ No newline at end of file\n"
    )
    #expect(shown("a\r\nb\n", "a\nb\n") == "--- /f\n+++ /f\n@@ -1,2 +1,2 @@\n-a\r\n+a\n b\n")
  }

  /// Lengths of the longest common subsequences, in quadratic time.
  private func common(_ old: [Int], _ new: [Int]) -> Int {
    var row = [Int](repeating: 0, count: new.count + 1)
    for line in old {
      var corner = 0
      for index in new.indices {
        let above = row[index + 1]
        row[index + 1] = line == new[index] ? corner + 1 : max(above, row[index])
        corner = above
      }
    }
    return row[new.count]
  }

  @Test("It is the shortest one, and leads from the one file to the other and back")
  func shortest() {
    var state: UInt64 = 42
    func random(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    for _ in 0..<400 {
      let kinds = 1 + random(6)
      let (old, new) = ((0..<random(14)).map { _ in random(kinds) }, (0..<random(14)).map { _ in random(kinds) })
      let (before, after) = (old.map { "\($0)\n" }.joined(), new.map { "\($0)\n" }.joined())
      let diff = LineDiff(from: Secret(before), to: Secret(after))
      #expect(diff.shown("f").dropFirst(2).count { $0.hasPrefix("-") } == old.count - common(old, new), "\(old) \(new)")
      #expect(diff.addedLines.count == new.count - common(old, new), "\(old) \(new)")
      #expect(FileChange(diff).undone(Secret(after)) == FileChange.Undone(contents: Secret(before), isExact: true))
    }
  }

  @Test("Two large files that have nothing in common differ as a whole, and one line of a large file alone")
  func large() {
    let before = (0..<20_000).map { "before \($0)\n" }.joined()
    let after = (0..<20_000).map { "after \($0)\n" }.joined()
    let whole = LineDiff(from: Secret(before), to: Secret(after))
    #expect(whole.shown("f").dropFirst(2).count { $0.hasPrefix("-") } == 20_000 && whole.addedLines.count == 20_000)
    let changed = before.replacing("before 10\n", with: "x\n").replacing("before 19990\n", with: "y\n")
    #expect(LineDiff(from: Secret(before), to: Secret(changed)).addedLines == ["x", "y"])
  }

  @Test(
    "Secrets of other programs are hidden, and nothing else is",
    arguments: [
      ("    token: not-a-real-one", "    token: <redacted>"),
      ("  user: {token: abc, name: b}", "  user: {token: <redacted>, name: b}"),
      (
        "{\"auths\":{\"r\":{\"auth\":\"YTpi\",\"identitytoken\": \"x\\\"y\"}}}",
        "{\"auths\":{\"r\":{\"auth\":\"<redacted>\",\"identitytoken\": \"<redacted>\"}}}"
      ),
      ("password = p q;r", "password = <redacted>"),
      (
        "index-url=https://alice:made-up@index.example/simple",
        "index-url=https://alice:<redacted>@index.example/simple"
      ),
      ("//registry.example/:_authToken=abc", "//registry.example/:_authToken=<redacted>"),
      ("aws_secret_access_key = abc/def+", "aws_secret_access_key = <redacted>"),
      ("\textraheader = Authorization: Basic abc", "\textraheader = <redacted>"),
      ("client-key-data: LS0tLS1CRUdJTiBFQyBQUklWQVRF", "client-key-data: <redacted>"),
      ("MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49", "<redacted>"),
      ("GOAUTH=netrc;acct helper go", "GOAUTH=netrc;acct helper go"),
      (
        "global-credential-providers = [\"cargo:token\", \"cargo-credential-acct\"]",
        "global-credential-providers = [\"cargo:token\", \"cargo-credential-acct\"]"
      ),
      ("      apiVersion: client.authentication.k8s.io/v1", "      apiVersion: client.authentication.k8s.io/v1"),
      ("\thelper = !gh auth git-credential", "\thelper = !gh auth git-credential"),
      (
        "tokenFile: /var/run/secrets/eks.amazonaws.com/serviceaccount/token",
        "tokenFile: /var/run/secrets/eks.amazonaws.com/serviceaccount/token"
      ),
      ("[credential \"https://alice@github.com\"]", "[credential \"https://alice@github.com\"]"),
      ("\tsmtpPass = hunter2secret", "\tsmtpPass = <redacted>"), ("DB_PW: x", "DB_PW: <redacted>"),
      ("export API_KEY=abc", "export API_KEY=<redacted>"),
      ("    sslKey = ~/.ssl/key.pem", "    sslKey = ~/.ssl/key.pem"),
      ("\tsigningkey = ABCDEF", "\tsigningkey = ABCDEF"),
      (
        "[url \"https://glpat-abcdefghijklmnopqrst@gitlab.com/\"]", "[url \"https://<redacted>@gitlab.com/\"]"
      ), ("proxy-url: http://hunter2secret@proxy.example", "proxy-url: http://<redacted>@proxy.example"),
      ("x = https://t0ken:x-oauth-basic@git.example", "x = https://<redacted>@git.example"),
      ("env: [{name: VAULT_PW, value: hunter2secret}]", "env: [{name: VAULT_PW, value: <redacted>}]"),
      ("      value: hunter2secret", "      value: <redacted>"),
      ("\thelper = \"!v --token hunter2 get\"", "\thelper = \"!v --token <redacted> get\""),
      ("\thelper = \"!f() { echo password=a,b}c; }; f\"", "\thelper = \"!f() { echo password=<redacted>"),
      ("# ghp_0123456789abcdefghij", "# <redacted>"), ("{\\\"token\\\":\\\"a\\\"}", "{\\\"token\\\":\\\"<redacted>"),
      ("550e8400-e29b-41d4-a716-446655440000", "<redacted>"),
      ("# --------------------------------------------", "# --------------------------------------------"),
    ]
  )
  func hidden(line: String, expected: String) {
    #expect(LineDiff(from: nil, to: Secret(line + "\n")).addedLines == [expected])
  }

  @Test("A long line of many names is looked through once", arguments: ["a/", "a=", "token ", "{a", "x://a", "pass:"])
  func longLine(part: String) {
    let line = "# " + String(repeating: part, count: (1 << 20) / part.utf8.count)
    #expect(LineDiff(from: nil, to: Secret(line)).addedLines.count == 1)
  }

  @Test("A line to add by hand is behind the head of its section, which is there once")
  func sections() {
    func lines(_ before: String, _ after: String) -> [String] {
      LineDiff(from: Secret(before), to: Secret(after)).linesToAdd
    }
    #expect(lines("[a]\nx\n[b]\ny\n", "[a]\nx\nnew\n[b]\ny\n") == ["[a]", "new"])
    #expect(lines("[a]\nx\ny\n", "[a]\n1\nx\n2\ny\n") == ["[a]", "1", "2"])
    #expect(lines("[a]\nx\n", "[a]\nx\n[b]\ny\n") == ["[b]", "y"])
    #expect(lines("x: 1\n", "x: 1\ny: 2\n") == ["y: 2"])
  }

  @Test("A line is lost if a word of it does not come back, not if it is laid out anew")
  func lost() {
    func lost(_ before: String, _ after: String, _ replaced: [String] = []) -> [String] {
      LineDiff(from: Secret(before), to: Secret(after)).lost(replacing: replaced)
    }
    #expect(lost("a: {b: c, d: \"e\"}\n", "a:\n  b: c\n  d: e\nadded: 1\n") == [])
    #expect(lost("# note\na=1\n\n", "a = 1\n") == ["# note"])
    #expect(lost("#\na=1\n", "a=1\n") == ["#"])
    #expect(lost("user: smith\n", "user: acct\n") == ["user: smith"])
    #expect(lost("user: smith\n", "user: acct\n", ["smith"]) == [])
    #expect(lost("x: y\ntoken: secret-one\n", "x: y\n") == ["token: <redacted>"])
    #expect(lost("a\nb\nc\n", "c\nb\na\n") == [])
  }

  @Test("A file whose first lines say so is a generated one")
  func generated() {
    #expect(Secret("# This file was generated by a program; do not edit.\n").isGenerated)
    #expect(Secret("# Managed by Ansible.\n# DON'T EDIT\n[user]\n").isGenerated)
    #expect(!Secret("# generated once, mine now\n[user]\n").isGenerated)
    #expect(!Secret(String(repeating: "\n", count: 12) + "# generated, do not edit\n").isGenerated)
  }
}
