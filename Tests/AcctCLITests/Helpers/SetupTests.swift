import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

@Suite("Settings of other programs")
struct SetupTests {
  let record = RecordedWorld()
  private static let docker = "/home/.docker/config.json"
  private static let before =
    "{\n  \"auths\": {\"r.example\": {\"auth\": \"bWFkZTp1cA==\"}},\n  \"credsStore\": \"desktop\"\n}\n"

  init() {
    for program in ["docker", "docker-credential-acct", "cargo", "cargo-credential-acct"] {
      record.programs.install(program, answering: [:])
    }
    record.foreignFiles[Self.docker] = Self.before
  }

  /// The unified diff of docker's file, with another helper.
  private static func diff(_ changes: String...) -> [String] {
    let head = ["--- \(docker)", "+++ \(docker)", "@@ -1,4 +1,4 @@", " {"]
    let login = "   \"auths\": {\"r.example\": {\"auth\": \"<redacted>\"}},"
    return head + [login] + changes.map { "\($0.prefix(1))  \"credsStore\": \"\($0.dropFirst())\"" } + [" }"]
  }

  private var file: String? { record.foreignFiles[Self.docker] }

  @Test("A setup shows the change with what it replaces, makes it, and undoing it restores every byte")
  func docker() async {
    #expect(await record.acct("helper", "setup", "docker") == 0)
    #expect(
      record.err == [
        "acct: /home/.docker/config.json", "acct:   credsStore = acct (replaces desktop)",
      ] + Self.diff("-desktop", "+acct") + [
        "acct: docker does not use its own logins of r.example then; `acct add --from docker` takes them over",
        "acct: docker asks acct now; to undo it: `acct helper setup docker --undo`",
      ]
    )
    #expect(file == Self.before.replacing("desktop", with: "acct"))
    // The logins are docker's, and in its file alone.
    #expect(!record.filesText.contains("bWFkZTp1cA"))
    #expect(await record.acct("helper", "setup", "docker") == 0)
    #expect(record.err == ["acct: docker already asks acct; nothing was changed"])
    #expect(await record.acct("helper", "setup", "docker", "--undo") == 0)
    #expect(
      record.err == [
        "acct: /home/.docker/config.json", "acct:   credsStore = desktop, as before",
      ] + Self.diff("-acct", "+desktop") + ["acct: docker is as it was before"]
    )
    #expect(file == Self.before)
    #expect(await record.acct("helper", "setup", "docker", "--undo") == 0)
    #expect(record.err == ["acct: acct has not set up docker; nothing was changed"])
    #expect(record.file(.setups) == nil)
  }

  @Test("Undoing takes out only what acct has set where the program has written its file since")
  func writtenSince() async {
    #expect(await record.acct("helper", "setup", "docker") == 0)
    record.foreignFiles[Self.docker] =
      "{\"auths\":{\"new.example\":{}},\"credsStore\":\"acct\",\"stackOrchestrator\":\"swarm\"}"
    #expect(await record.acct("helper", "setup", "docker", "--undo") == 0)
    #expect(file == "{\"auths\":{\"new.example\":{}},\"credsStore\":\"desktop\",\"stackOrchestrator\":\"swarm\"}")
    #expect(record.err.last == "acct: docker does not ask acct any more")
  }

  @Test("Setups for several hosts are undone one by one, or all at once, the last first")
  func hosts() async throws {
    for host in ["a.example", "b.example:5000"] {
      #expect(await record.acct("helper", "setup", "docker", "--host", host) == 0)
    }
    let both = try #require(file)
    #expect(both.contains("\"a.example\": \"acct\"") && both.contains("\"b.example:5000\": \"acct\""))
    #expect(await record.acct("helper", "setup") == 0)
    #expect(record.out.contains("set up for a.example, b.example:5000"))
    #expect(await record.acct("helper", "setup", "docker", "--host", "a.example", "--undo") == 0)
    #expect(file?.contains("a.example") == false)
    #expect(file?.contains("b.example") == true)
    #expect(await record.acct("helper", "setup", "docker", "--undo") == 0)
    #expect(file?.contains("acct") == false)
    record.foreignFiles[Self.docker] = Self.before
    for host in ["a.example", "b.example:5000"] {
      #expect(await record.acct("helper", "setup", "docker", "--host", host) == 0)
    }
    #expect(file == both)
    #expect(await record.acct("helper", "setup", "docker", "--undo") == 0)
    #expect(file == Self.before)
  }

  @Test("A dry run shows the change on standard output, and changes and records nothing")
  func dryRun() async {
    #expect(await record.acct("helper", "setup", "docker", "--dry-run") == 0)
    #expect(record.out == Self.diff("-desktop", "+acct").map { $0 + "\n" }.joined())
    #expect(
      record.err.prefix(2) == ["acct: /home/.docker/config.json", "acct:   credsStore = acct (replaces desktop)"]
    )
    #expect(file == Self.before)
    #expect(record.file(.setups) == nil)
  }

  @Test("On a terminal the change is made after a yes, which is the default, and not after a no")
  func question() async {
    record.connectTerminal()
    record.answer("n")
    #expect(await record.acct("helper", "setup", "docker") == 3)
    #expect(record.err.contains("acct:   credsStore = acct (replaces desktop)"), "\(record.err)")
    #expect(record.err.contains("+  \"credsStore\": \"acct\""), "\(record.err)")
    #expect(file == Self.before)
    record.answer("")
    #expect(await record.acct("helper", "setup", "docker") == 0)
    #expect(file != Self.before)
    record.answer()
    #expect(await record.acct("helper", "setup", "docker", "--undo", "--no-input") == 0)
    #expect(file == Self.before)
  }

  @Test(
    "From a file that is not the user's to write the lines are printed, and nothing is changed",
    arguments: [
      (AcctPorts.SettingsFile.Obstacle.root, "it belongs to root"),
      (.otherUser("alice"), "it belongs to the user alice"), (.readOnly, "it is read-only"),
      (.generated, "another program generates it"),
    ]
  )
  func notOurs(obstacle: AcctPorts.SettingsFile.Obstacle, reason: String) async {
    let path = "/home/.cargo/config.toml"
    let before = "\(obstacle == .generated ? "# generated by a program, do not edit\n" : "")[net]\nretry = 1\n"
    record.foreignFiles[path] = before
    if obstacle != .generated { record.foreignFiles.obstruct(path, obstacle) }
    let lines = "[registry]\nglobal-credential-providers = [\"cargo:token\", \"cargo-credential-acct\"]\n"
    #expect(await record.acct("helper", "setup", "cargo", "--dry-run") == 0)
    #expect(record.out == lines)
    #expect(await record.acct("helper", "setup", "cargo", "--yes") == 1)
    #expect(record.out == lines)
    #expect(record.err.suffix(2).first == "acct: \(path) was not changed: \(reason)", "\(record.err)")
    #expect(record.foreignFiles[path] == before && record.file(.setups) == nil)
  }

  @Test("For a file that is not the user's to write any more, undoing prints the diff and says how to make it by hand")
  func notOursAnyMore() async {
    let added = "{\n\t\"credsStore\": \"acct\"\n}\n"
    for (before, diff) in [
      (Self.before, Self.diff("-acct", "+desktop")),
      (
        "{\n}\n",
        ["--- \(Self.docker)", "+++ \(Self.docker)", "@@ -1,3 +1,2 @@", " {", "-\t\"credsStore\": \"acct\"", " }"]
      ),
    ] {
      record.foreignFiles[Self.docker] = before
      #expect(await record.acct("helper", "setup", "docker") == 0)
      let after = file
      #expect(before == Self.before || after == added)
      record.foreignFiles.obstruct(Self.docker, .readOnly)
      for (words, status) in [(["--dry-run"], 0), ([], 1)] as [([String], Int32)] {
        #expect(await record.run(["helper", "setup", "docker", "--undo"] + words) == status)
        #expect(record.out == diff.map { $0 + "\n" }.joined())
        if status == 0 { record.clear() }
      }
      #expect(
        record.err.suffix(2) == [
          "acct: /home/.docker/config.json was not changed: it is read-only",
          "acct: hint: remove the lines with - and add those with + by hand",
        ]
      )
      #expect(file == after)
      record.foreignFiles.obstruct(Self.docker, nil)
      #expect(await record.acct("helper", "setup", "docker", "--undo") == 0)
    }
  }

  @Test("Nothing of the diff is shown with --quiet")
  func quiet() async {
    #expect(await record.acct("helper", "setup", "docker", "--quiet") == 0)
    #expect(record.err == [] && file != Self.before)
  }

  @Test("A registry's own helper comes before the general one, and is replaced where an account answers for it")
  func ownHelpers() async throws {
    let own = "{\n\t\"credHelpers\": {\"gcr.example\": \"gcloud\", \"other.example\": \"pass\"}\n}\n"
    record.foreignFiles[Self.docker] = own
    #expect(await record.acct("helper", "setup", "docker") == 0)
    record.provide("-", "made-up-token")
    let add = ["add", "--token", "-", "--name", "work", "--allow-origin", "https://gcr.example"]
    #expect(await record.run(add) == 0, "\(record.err)")
    #expect(await record.acct("helper", "setup") == 0)
    #expect(
      record.out.contains("credHelpers.gcr.example names another helper, which `acct helper setup docker` overcomes"),
      "\(record.out)"
    )
    #expect(await record.acct("helper", "setup", "docker") == 0)
    #expect(record.err.contains("acct:   credHelpers.gcr.example = acct (replaces gcloud)"), "\(record.err)")
    #expect(await record.acct("helper", "setup") == 0)
    #expect(!record.out.contains("names another helper"), "\(record.out)")
    #expect(await record.acct("helper", "setup", "docker", "--undo") == 0)
    #expect(file == own)
  }

  @Test("A file that others can change is refused with 65 before anything is written, and named")
  func distrusted() async {
    record.foreignFiles.distrust(Self.docker)
    #expect(await record.acct("helper", "setup", "docker") == 65)
    #expect(
      record.err == [
        "acct: /home/.docker/config.json: its group or others can write to it",
        "acct: hint: only you may own or write it; see `man acct-helper` for the lines to add by hand",
      ]
    )
    #expect(record.file(.setups) == nil)
  }

  @Test("A file that is not what the program reads is refused with 65, named, and left as it is")
  func malformed() async {
    record.foreignFiles[Self.docker] = "{\"auths\": "
    #expect(await record.acct("helper", "setup", "docker") == 65)
    #expect(record.err.first == "acct: /home/.docker/config.json is not a file of docker: it is not a JSON object")
    record.foreignFiles["/home/.cargo/config.toml"] = "[net]\nretry =\n"
    #expect(await record.acct("helper", "setup", "cargo") == 65)
    #expect(
      record.err.first
        == "acct: /home/.cargo/config.toml is not a file of cargo: line 2: a value is missing or malformed"
    )
    #expect(record.foreignFiles["/home/.cargo/config.toml"] == "[net]\nretry =\n")
    #expect(record.file(.setups) == nil)
  }

  @Test("A program that is not there, or that would not find acct, is said with the remedy")
  func missing() async {
    #expect(await record.acct("helper", "setup", "git") == 1)
    #expect(record.err.first == "acct: git is not installed, or not on PATH")
    record.programs.install("git", answering: [:])
    #expect(await record.acct("helper", "setup", "git") == 1)
    #expect(record.err.first == "acct: git-credential-acct is not on PATH, where git looks for it")
    #expect(record.err.last?.contains("ln -s") == true)
  }

  @Test("A write that fails leaves the file, and the setup can be done again and be undone")
  func interrupted() async {
    record.foreignFiles.failWriting(after: 0)
    #expect(await record.acct("helper", "setup", "docker") == 1)
    #expect(record.err.contains("acct: /home/.docker/config.json: no space left on device"))
    #expect(file == Self.before)
    // The record was written first; undoing finds nothing to take back.
    record.foreignFiles.failWriting(after: nil)
    let recorded = record.file(.setups)
    #expect(recorded != nil)
    #expect(await record.acct("helper", "setup", "docker", "--undo") == 0)
    #expect(file == Self.before)
    #expect(record.file(.setups) == nil)
    record.foreignFiles.failWriting(after: 0)
    #expect(await record.acct("helper", "setup", "docker") == 1)
    record.foreignFiles.failWriting(after: nil)
    #expect(await record.acct("helper", "setup", "docker") == 0)
    // An undoing that is interrupted is repeated.
    record.foreignFiles.failWriting(after: 0)
    #expect(await record.acct("helper", "setup", "docker", "--undo") == 1)
    record.foreignFiles.failWriting(after: nil)
    #expect(await record.acct("helper", "setup", "docker", "--undo") == 0)
    #expect(file == Self.before)
  }

  @Test("A setting that the user has made is not recorded, and not undone")
  func byHand() async {
    let own = "{\"credsStore\": \"acct\"}"
    record.foreignFiles[Self.docker] = own
    #expect(await record.acct("helper", "setup", "docker") == 0)
    #expect(record.err == ["acct: docker already asks acct; nothing was changed"])
    #expect(record.file(.setups) == nil)
    #expect(await record.acct("helper", "setup", "docker", "--undo") == 0)
    #expect(record.err == ["acct: acct has not set up docker; nothing was changed"])
    #expect(file == own)
  }

  @Test("A change that cannot be recorded is not made")
  func unrecorded() async {
    var world = record.world()
    world.files.replace = { _, _ throws(FilesFailure) in throw .failed(path: "setups.json", reason: "disk full") }
    #expect(await Acct.run(["helper", "setup", "docker"], in: world) == 1)
    #expect(record.err.contains { $0.contains("disk full") }, "\(record.err)")
    #expect(file == Self.before)
  }

  @Test("Docker Hub is set up under the address that docker has for it")
  func hub() async {
    #expect(await record.acct("helper", "setup", "docker", "--host", "docker.io") == 0)
    #expect(file?.contains("\"https://index.docker.io/v1/\": \"acct\"") == true, "\(file ?? "")")
    #expect(await record.acct("helper", "setup", "docker", "--host", "docker.io", "--undo") == 0)
    #expect(file == Self.before)
  }

  @Test("A program that acct does not set up is named with those that it does, and the nearest")
  func unknown() async {
    #expect(await record.acct("helper", "setup", "dokcer") == 64)
    #expect(
      record.err == [
        "acct: the value 'dokcer' is invalid for '<program>'; it is one of 'git', 'docker', 'kubectl', 'cargo', 'go', 'pip', 'terraform' or 'aws'",
        "acct: hint: did you mean `docker`? `acct helper setup --help` shows what it takes",
      ]
    )
    #expect(await record.acct("helper", "setup", "docker", "--hots", "a") == 64)
    #expect(record.err.first == "acct: unknown option '--hots'")
    #expect(record.err.last?.contains("did you mean `--host`?") == true, "\(record.err)")
    #expect(await record.acct("helper", "setpu", "docker") == 64)
    #expect(record.err.last?.contains("did you mean `setup`?") == true, "\(record.err)")
    for option in ["--undo", "--yes"] {
      #expect(await record.acct("helper", "setup", option) == 64)
      #expect(
        record.err == [
          "acct: missing expected argument '<program>'; it is one of 'git', 'docker', 'kubectl', 'cargo', 'go', 'pip', 'terraform' or 'aws'",
          "acct: hint: `acct helper setup --help` shows what it takes",
        ]
      )
    }
    #expect(await record.acct("helper", "setup", "docker", "--host", "a/b") == 64)
  }

  @Test("The help of a setup is its own")
  func help() async {
    for line in [["helper", "setup", "git", "--help"], ["help", "helper", "setup"]] {
      #expect(await record.run(line) == 0)
      #expect(record.out.contains("--undo") && record.out.contains("acct helper setup [<program>]"), "\(record.out)")
      record.clear()
    }
  }

  @Test("JSON names the files and settings of a setup, and the state of every program")
  func json() async throws {
    #expect(await record.acct("helper", "setup", "docker", "--json") == 0)
    let setup = try JSON(parsing: Array(record.out.utf8)).objectValue?["setup"]?.objectValue
    let file = setup?["files"]?.arrayValue?.first?.objectValue
    #expect(file?["path"]?.stringValue == Self.docker)
    #expect(file?["settings"]?.arrayValue?.first?.objectValue?["replaced"]?.stringValue == "desktop")
    #expect(await record.acct("--json", "helper", "setup") == 0)
    let programs = try JSON(parsing: Array(record.out.utf8)).objectValue?["programs"]?.arrayValue
    #expect(
      programs?.map {
        "\($0.objectValue?["program"]?.stringValue ?? "") \($0.objectValue?["state"]?.stringValue ?? "")"
      }
        == [
          "git notInstalled", "docker setUp", "kubectl notInstalled", "cargo notSetUp", "go notInstalled",
          "pip notInstalled", "terraform notInstalled", "aws notInstalled",
        ]
    )
  }
}
