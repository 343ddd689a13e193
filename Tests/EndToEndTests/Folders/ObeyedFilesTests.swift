import AcctTestSupport
import Glibc
import Testing

/// The files that acct obeys and that lie outside of its own folders: for each the same rule, by the built acct.
@Suite("Files that acct obeys")
struct ObeyedFilesTests {
  /// A file, and the command that reads it.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let contents: String
    /// Where it must lie below the folder of its own.
    var place = "file"
    /// The words of the command; `FILE` is the file.
    let words: [String]
    var environment: [String: String] = [:]
    /// The exit status of a refusal.
    var status: Int32 = 65
    /// The mode by which others can do what they must not.
    var openMode = "666"

    var testDescription: String { name }
  }

  /// A server that is not there, by its endpoint, so that nothing is looked up.
  private static let exchange = [
    "add", "--issuer", "http://127.0.0.1:1", "--token-url", "http://127.0.0.1:1/token", "--client-id", "client",
  ]

  static let rows = [
    Row(
      name: "credentials document",
      contents: #"{"access_token":"made-up","token_type":"Bearer","origins":["https://a.example"]}"#,
      words: ["header", "--credentials", "FILE", "https://a.example/"]
    ),
    Row(
      name: "credentials document, by variable",
      contents: #"{"access_token":"made-up","token_type":"Bearer","origins":["https://a.example"]}"#,
      words: ["token"],
      environment: ["ACCT_CREDENTIALS": "FILE"]
    ),
    Row(
      name: "import",
      contents: #"{"access_token":"made-up","token_type":"Bearer","origins":["https://a.example"]}"#,
      words: ["add", "--import", "FILE"]
    ),
    Row(
      name: "provider",
      contents: #"{"title":"Acme","issuer":"https://acme.example"}"#,
      place: "acct/providers/acme.json",
      words: ["providers", "acme"],
      environment: ["XDG_CONFIG_HOME": "FOLDER"]
    ),
    Row(name: ".acct", contents: "work\n", place: ".acct", words: ["token"]),
    Row(
      name: "token",
      contents: "made-up\n",
      words: ["add", "--token", "FILE", "--allow-origin", "https://a.example", "--name", "a"],
      openMode: "644"
    ),
    Row(
      name: "client's secret",
      contents: "made-up\n",
      words: exchange + ["--client-secret-file", "FILE", "--grant", "client-credentials"],
      openMode: "640"
    ),
    Row(
      name: "client's certificate",
      contents: "",
      words: exchange + ["--cert", "FILE", "--cert-key", "FILE", "--grant", "client-credentials"]
    ),
    Row(
      name: "subject token",
      contents: "made-up\n",
      words: exchange + ["--grant", "token-exchange", "--subject-token-file", "FILE"]
    ),
    Row(
      name: "program for the subject token",
      contents: "#!/bin/sh\necho made-up\n",
      words: exchange + ["--grant", "token-exchange", "--subject-token-command", "'FILE'"],
      openMode: "777"
    ),
    Row(
      name: "client's assertion",
      contents: "made-up\n",
      words: exchange + ["--grant", "client-credentials", "--client-assertion-file", "FILE"]
    ),
    Row(
      name: "vault's passphrase",
      contents: AcctHome.passphrase,
      words: ["token", "-a", "work"],
      environment: ["ACCT_VAULT_PASSPHRASE_FILE": "FILE"],
      status: 6,
      openMode: "644"
    ),
    Row(
      name: "passphrase of an export",
      contents: AcctHome.passphrase,
      words: ["export", "work", "-o", "/dev/null/none", "--passphrase-file", "FILE"],
      status: 1,
      openMode: "604"
    ),
    Row(
      name: "another program's credentials",
      contents: "machine a.example login alice password made-up\n",
      words: ["add", "--from", "netrc", "--dry-run"],
      environment: ["NETRC": "FILE"],
      status: 1
    ),
  ]

  /// The command of a row in a folder, with an account that is called `work`.
  private func run(_ row: Row, in folder: String, _ home: AcctHome) async throws -> ChildProcess.Output {
    func filled(_ text: String) -> String {
      text.replacing("FILE", with: "\(folder)/\(row.place)").replacing("FOLDER", with: folder)
    }
    var command = home.command(row.words.map(filled))
    command.environment.merge(row.environment.mapValues(filled)) { $1 }
    command.workingDirectory = folder
    return try await command.run()
  }

  private func shell(_ script: String, _ arguments: String...) async throws {
    let ran = try await ChildProcess("sh", ["-euc", script, "sh"] + arguments).run()
    try #require(ran.status == 0, "\(ran.errorText)")
  }

  @Test(
    "A file is obeyed if it and all that leads to it are the user's or root's, and closed to other writers",
    arguments: rows
  )
  func rule(row: Row) async throws {
    let home = try AcctHome()
    try await home.addBearer("work", at: "https://work.example")
    let place = try TemporaryFolder()
    let folder = try place.folder("its folder")
    let file = "\(folder)/\(row.place)"
    try await shell(#"mkdir -p -m 700 "${1%/*}" && printf %s "$2" >"$1" && chmod 700 "$1""#, file, row.contents)
    let obeyed = try await run(row, in: folder, home)
    #expect(!obeyed.errorText.contains("chmod") && !obeyed.errorText.contains("another user"), "\(obeyed.errorText)")

    func expectRefusal(_ what: String, containing words: String) async throws {
      let refused = try await run(row, in: folder, home)
      #expect(refused.status == row.status, "\(what): \(refused.status) \(refused.errorText)")
      #expect(refused.errorText.contains(words), "\(what): \(refused.errorText)")
      #expect(!refused.errorText.contains("made-up") && refused.text.isEmpty, "\(what)")
    }
    try await shell(#"chmod "$2" "$1""#, file, row.openMode)
    let mend = ["644", "640", "604"].contains(row.openMode) ? "600" : "go-w"
    try await expectRefusal("its mode", containing: "`chmod \(mend) '\(file)'`")
    try await shell(#"chmod 700 "$1" && chmod 777 "$2""#, file, folder)
    try await expectRefusal("its folder's mode", containing: "`chmod go-w '\(folder)'`")
    // Others can make files in it then, and neither remove nor replace this one.
    try await shell(#"chmod 1777 "$1""#, folder)
    let sticky = try await run(row, in: folder, home)
    #expect(sticky.status == obeyed.status, "\(sticky.errorText)")
    try await shell(#"chmod 700 "$1""#, folder)
    guard geteuid() == 0 else { return }
    if row.name != ".acct" {
      try await shell(#"chown 12345 "$1""#, file)
      try await expectRefusal("its owner", containing: "it belongs to another user")
      try await shell(#"chown 0 "$1""#, file)
    }
    try await shell(#"chown 12345 "$1""#, folder)
    try await expectRefusal("its folder's owner", containing: "the folder \(folder) belongs to another user")
  }

  @Test("A .acct of another user counts for nothing, and one that others can write is no reason to use another account")
  func directoryFile() async throws {
    let home = try AcctHome()
    try await home.addBearer("work", at: "https://work.example", token: "made-up-for-work")
    let folder = try TemporaryFolder()
    let file = try folder.file(".acct", containing: "none-of-this-name\n")
    var command = home.command(["token"])
    command.workingDirectory = folder.path
    try await shell(#"chmod 664 "$1""#, file)
    let open = try await command.run()
    #expect(open.status == 65 && open.text.isEmpty)
    #expect(open.errorText.contains("\(file)") && open.errorText.contains("`chmod go-w \(file)`"), "\(open.errorText)")
    guard geteuid() == 0 else { return }
    try await shell(#"chown 12345 "$1""#, file)
    let foreign = try await command.run()
    #expect(foreign.status == 0 && foreign.text == "made-up-for-work\n", "\(foreign.errorText)")
  }

  @Test("What a platform hands over is root's: behind root's links, and readable by a group of the caller's")
  func handedOver() async throws {
    let rights = try await ChildProcess.rootRights()
    let folder = try TemporaryFolder()
    // As the kubelet makes it for a pod with a group of its own, and acct as a user without any other rights.
    let script = #"""
      umask 022
      chown 0:0 "$1" && chmod 755 "$1"
      mkdir "$1/..2026_11_27"
      printf made-up >"$1/..2026_11_27/token"
      chgrp 4242 "$1/..2026_11_27/token" && chmod 440 "$1/..2026_11_27/token"
      ln -s ..2026_11_27 "$1/..data"
      ln -s ..data/token "$1/token"
      take() {
        setpriv --reuid=65534 --regid=65534 --groups="$2" --inh-caps=-all env -i ACCT_KEYRING=memory \
          /proc/self/fd/9 add --token "$1/token" --allow-origin https://a.example --name a 2>&1 &&
          echo taken || echo "refused $?"
      }
      # The folders of a build may be closed to that user.
      exec 9<"$2"
      take "$1" 4242
      take "$1" 4243
      chmod 460 "$1/..2026_11_27/token"; take "$1" 4242; chmod 440 "$1/..2026_11_27/token"
      chown 12345 "$1/..2026_11_27/token"; take "$1" 4242; chown 0 "$1/..2026_11_27/token"
      chown -h 12345 "$1/..data"; take "$1" 4242; chown -h 0 "$1/..data"
      chmod 777 "$1"; take "$1" 4242
      """#
    let arguments = Array(rights.dropFirst()) + ["sh", "-euc", script, "sh", folder.path, Product.executable("acct")]
    let ran = try await ChildProcess(rights[0], arguments).run()
    let lines = ran.text.split(separator: "\n").map(String.init)
    let outcomes = lines.filter { $0 == "taken" || $0.hasPrefix("refused") }
    #expect(outcomes == ["taken"] + Array(repeating: "refused 65", count: 5), "\(ran.text) \(ran.errorText)")
    for words in [
      "permission denied", "its group or others can read or write it", "it belongs to another user",
      "the link \(folder.path)/..data belongs to another user",
      "its group or others can write to the folder \(folder.path)",
    ] {
      #expect(lines.contains { $0.contains(words) }, "\(words): \(ran.text)")
    }
  }

  @Test("Standard input, a FIFO and a process substitution stay inputs, whatever their folder")
  func streams() async throws {
    let document = #"{"access_token":"made-up","token_type":"Bearer","origins":["https://a.example"]}"#
    let script = #"""
      set -euo pipefail
      header() { env -i PATH="$PATH" "$acct" header --credentials "$1" https://a.example/; }
      acct=$1
      header - <<<"$2"
      header /dev/stdin <<<"$2"
      printf %s "$2" | header /dev/stdin
      header <(printf %s "$2")
      mkfifo -m 600 "$3/fifo"
      printf %s "$2" >"$3/fifo" & header "$3/fifo"
      add() { "$acct" add --token "$1" --allow-origin https://a.example --name a; }
      add <(printf made-up)
      printf made-up >"$3/fifo" & add "$3/fifo"
      printf made-up >"$3/fifo" & add /dev/fd/3 3<"$3/fifo"
      """#
    let folder = try TemporaryFolder()
    let ran = try await ChildProcess(
      "bash",
      ["-c", script, "bash", Product.executable("acct"), document, folder.path],
      environment: ChildProcess.plainEnvironment.merging(["ACCT_KEYRING": "memory"]) { $1 }
    ).run()
    #expect(ran.status == 0, "\(ran.errorText)")
    #expect(ran.text == String(repeating: "Authorization: Bearer made-up\n", count: 5))
  }
}
