import AcctPorts
import AcctTestSupport
import Secrets
import Testing

@Suite("Settings of other programs, changed by their own tools")
struct SetupToolTests {
  let record = RecordedWorld()

  init() {
    for program in ["acct", "git", "git-credential-acct", "go", "pip"] {
      record.programs.install(program, answering: [:])
    }
    record.set("PATH", to: "/usr/bin:/home/.local/bin")
  }

  private static func result(_ status: Int32, _ output: String = "", _ errors: String = "") -> ProgramResult {
    ProgramResult(status: status, output: Secret(output), errors: Secret(errors))
  }

  /// Installs a `pip config` that has one setting, on the copy that it is given.
  private func installPip() {
    record.programs.install("env") { [record] call in
      let words = Array(call.arguments.drop { $0 != "pip" }.dropFirst())
      guard call.arguments.contains("XDG_CONFIG_HOME=/run"), let file = record.foreignFiles[copy: "/run/pip/pip.conf"],
        words.prefix(2) == ["config", "--user"], words[3] == "global.keyring-provider"
      else { return Self.result(3, "", "not as pip is called\n") }
      let line = "keyring-provider = "
      let value = file.split(separator: "\n").first { $0.hasPrefix(line) }.map { $0.dropFirst(line.count) }
      switch words[2] {
      case "get": return value.map { Self.result(0, "\($0)\n") } ?? Self.result(1, "", "ERROR: No such key\n")
      case "set": record.foreignFiles[copy: "/run/pip/pip.conf"] = "[global]\n\(line)\(words[4])\n"
      default: record.foreignFiles[copy: "/run/pip/pip.conf"] = "[global]\n"
      }
      return Self.result(0)
    }
  }

  @Test(
    "A setup of two files that fails at any write is completed by the next, and undone as a whole",
    arguments: 0...1
  )
  func twoFiles(_ writes: Int) async {
    installPip()
    let before = "[global]\n# mine\nkeyring-provider = import\n"
    let (settings, script) = ("/home/.config/pip/pip.conf", "/home/.local/bin/keyring")
    for undoesAtOnce in [false, true] {
      record.foreignFiles[settings] = before
      record.foreignFiles.failWriting(after: writes)
      #expect(await record.acct("helper", "setup", "pip", "--yes") == 1)
      record.foreignFiles.failWriting(after: nil)
      #expect((record.foreignFiles[settings] == before) == (writes == 0))
      #expect(record.foreignFiles[script] == nil)
      if !undoesAtOnce {
        #expect(await record.acct("helper", "setup", "pip", "--yes") == 0)
        #expect(record.foreignFiles[settings]?.contains("subprocess") == true)
        #expect(record.foreignFiles[script]?.contains("acct helper keyring") == true)
        // The undoing, too, is repeated after a failure.
        record.foreignFiles.failWriting(after: writes)
        #expect(await record.acct("helper", "setup", "pip", "--undo") == 1)
        record.foreignFiles.failWriting(after: nil)
      }
      #expect(await record.acct("helper", "setup", "pip", "--undo") == 0)
      #expect(record.foreignFiles[settings] == before)
      #expect(record.foreignFiles[script] == nil)
      #expect(record.file(.setups) == nil)
      #expect(record.foreignFiles.copies == [])
    }
  }

  @Test("Lines that the program's tool drops are named and asked about; without an answer nothing is done")
  func lost() async {
    installPip()
    let before = "[global]\n# mine\nkeyring-provider = import\n"
    record.foreignFiles["/home/.config/pip/pip.conf"] = before
    let words = "acct: pip writes the whole file anew, and drops or changes `# mine`"
    #expect(await record.acct("helper", "setup", "pip", "--dry-run") == 0)
    #expect(record.err.contains(words), "\(record.err)")
    #expect(record.out.contains("-# mine\n"), "\(record.out)")
    #expect(await record.acct("helper", "setup", "pip") == 4)
    #expect(
      record.err.suffix(2) == [
        "\(words); nothing was changed", "acct: hint: `acct helper setup pip --yes` accepts that",
      ]
    )
    record.connectTerminal()
    record.answer("")
    #expect(await record.acct("helper", "setup", "pip") == 3)
    #expect(record.foreignFiles["/home/.config/pip/pip.conf"] == before && record.file(.setups) == nil)
    record.answer("y")
    #expect(await record.acct("helper", "setup", "pip") == 0)
    #expect(record.foreignFiles["/home/.config/pip/pip.conf"]?.contains("subprocess") == true)
    record.answer("y")
    #expect(await record.acct("helper", "setup", "pip", "--undo") == 0)
    #expect(record.foreignFiles["/home/.config/pip/pip.conf"] == before)
  }

  @Test("Another program called keyring is not shadowed, and a folder that is not on PATH gets no script")
  func keyring() async {
    installPip()
    record.foreignFiles["/usr/bin/keyring"] = "#!/usr/bin/python3\n"
    #expect(await record.acct("helper", "setup", "pip") == 8)
    #expect(record.err.first == "acct: /usr/bin/keyring is another program, which would be run in place of acct")
    record.foreignFiles["/usr/bin/keyring"] = nil
    record.set("PATH", to: "/usr/bin")
    #expect(await record.acct("helper", "setup", "pip") == 1)
    #expect(record.err.first == "acct: /home/.local/bin, where the script keyring goes, is not on PATH")
    // The user's own script is as good.
    record.foreignFiles["/usr/bin/keyring"] = "#!/bin/sh\nexec acct helper keyring --account work \"$@\"\n"
    #expect(await record.acct("helper", "setup", "pip") == 0)
    #expect(!record.err.contains { $0.contains("script") })
    #expect(await record.acct("helper", "setup", "pip", "--host", "a.example") == 64)
  }

  @Test("A tool that fails or takes too long is named, and nothing is changed, recorded or left lying")
  func failures() async {
    let before = "[user]\n"
    record.foreignFiles["/home/.gitconfig"] = before
    let failures: [(@Sendable (ProgramCall) throws(ProgramFailure) -> ProgramResult, Int32, String)] = [
      (
        { call in call.arguments.contains("--add") ? Self.result(4, "", "error: no lock\n") : Self.result(1) }, 1,
        "acct: git did not change its settings: error: no lock"
      ),
      (
        { _ in Self.result(128, "", "fatal: bad config line 1\nmore\n") }, 65,
        "acct: git cannot read /home/.gitconfig: fatal: bad config line 1"
      ), ({ _ throws(ProgramFailure) in throw .timedOut(program: "git") }, 1, "acct: git did not end in time"),
      ({ _ throws(ProgramFailure) in throw .cancelled }, 3, "acct: cancelled"),
    ]
    for (run, status, words) in failures {
      record.programs.install("git", run)
      #expect(await record.acct("helper", "setup", "git") == status)
      #expect(record.err.first == words)
      #expect(record.foreignFiles["/home/.gitconfig"] == before)
      #expect(record.file(.setups) == nil)
      #expect(record.foreignFiles.copies == [])
    }
  }

  @Test("A variable that decides instead is told by the setup, and again by the next, which has nothing to change")
  func overruled() async {
    record.foreignFiles["/home/.config/go/env"] = ""
    record.programs.install("env") { [record] call in
      if let value = call.arguments.last, value.hasPrefix("GOAUTH=") {
        record.foreignFiles[copy: "/run/settings"] = "\(value)\n"
        return Self.result(0)
      }
      let file = record.foreignFiles[copy: "/run/settings"] ?? ""
      return Self.result(0, file.isEmpty ? "netrc\n" : String(file.dropFirst("GOAUTH=".count)))
    }
    record.set("GOAUTH", to: "off")
    let remark = "acct: GOAUTH is set in the environment, and decides until it is unset"
    #expect(await record.acct("helper", "setup", "go") == 0)
    #expect(
      record.err.suffix(2) == [remark, "acct: go is set up now; to undo it: `acct helper setup go --undo`"],
      "\(record.err)"
    )
    #expect(await record.acct("helper", "setup", "go") == 0)
    #expect(record.err == [remark, "acct: go is set up already; nothing was changed"])
  }

  @Test("A go command that does not know GOAUTH is said to be too old")
  func oldGo() async {
    record.programs.install("env") { call in Self.result(0, call.arguments.contains("-w") ? "" : "\n") }
    #expect(await record.acct("helper", "setup", "go") == 1)
    #expect(record.err == ["acct: this version of go does not know GOAUTH", "acct: hint: update it"])
    #expect(record.file(.setups) == nil)
  }
}
