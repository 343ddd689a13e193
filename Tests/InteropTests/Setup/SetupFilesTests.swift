import AcctTestSupport
import Testing

/// patch(1) compares the diff that is shown with the change: it applies the diff to the file before.
@Suite("Settings files of other programs, set up and restored")
struct SetupFilesTests {
  /// Applies the part of a shown diff that is for one file.
  private func patched(_ before: String?, _ shown: String, of path: String, _ setup: SetupHome) async throws -> [UInt8]?
  {
    let heads = ["--- \(path)\n", "--- /dev/null\n+++ \(path)\n"]
    let starts = heads.compactMap { shown.firstRange(of: $0)?.lowerBound }
    let start = try #require(starts.min(), "\(shown)")
    let rest = shown[start...]
    let end = rest.dropFirst().firstRange(of: "\n--- ").map { shown.index(after: $0.lowerBound) } ?? shown.endIndex
    try await setup.write(before ?? "", to: "patch/file")
    try await setup.write(String(shown[start..<end]), to: "patch/diff")
    let folder = "\(setup.folder.path)/patch"
    let line = ["--binary", "--silent", "--output", "\(folder)/result", "\(folder)/file", "\(folder)/diff"]
    let output = try await ChildProcess("patch", line).run()
    #expect(output.status == 0, "\(output.text)\(shown)")
    return try await setup.bytes("patch/result")
  }

  @Test(
    "The diff that is shown is the one that happens, and the undoing restores every byte",
    arguments: SetupFileRow.all
  )
  func row(_ row: SetupFileRow) async throws {
    let (setup, variable) = try await SetupHome.withPrograms()
    let name = row.isLink ? "dotfiles/settings" : row.program.path
    let path = "\(setup.folder.path)/\(row.program.path)"
    if let before = row.before { try await setup.write(before, to: name) }
    if row.isLink {
      try await setup.write("", to: row.program.path)
      for line in [
        ["chmod", row.mode, "\(setup.folder.path)/\(name)"], ["ln", "-sf", "\(setup.folder.path)/\(name)", path],
      ] {
        try #require(try await ChildProcess(line[0], Array(line.dropFirst())).run().status == 0)
      }
    }
    func acct(_ words: String...) async throws -> ChildProcess.Output {
      try await setup.run("env", [variable, "acct", "helper", "setup"] + row.program.words + words)
    }

    let shown = try await acct("--dry-run")
    #expect(shown.status == 0, "\(shown.errorText)")
    #expect(try await setup.text(name) == row.before)
    if !row.drops.isEmpty {
      for line in row.drops { #expect(shown.errorText.contains("`\(line)`"), "\(shown.errorText)") }
      #expect(try await acct().status == 4)
      #expect(try await setup.text(name) == row.before)
    } else {
      #expect(!shown.errorText.contains("drops or changes"), "\(shown.errorText)")
    }
    let done = try await acct("--yes")
    #expect(done.status == 0, "\(done.errorText)")
    let after = try #require(try await setup.text(name))
    #expect(try await patched(row.before, shown.text, of: path, setup) == Array(after.utf8))

    let (judge, word) = row.program.judge(path)
    let judged = try await setup.run("env", [variable] + judge)
    #expect(judged.text.hasSuffix(word), "\(judged.text)\(judged.errorText)\(after)")
    #expect(try await acct().errorText == "acct: \(row.program) already asks acct; nothing was changed\n")

    let undoing = try await acct("--undo", "--dry-run")
    if let before = row.before {
      #expect(try await patched(after, undoing.text, of: path, setup) == Array(before.utf8))
    }
    let undone = try await acct("--undo")
    #expect(
      undone.status == 0 && undone.errorText.hasSuffix("\(row.program) is as it was before\n"),
      "\(undone.errorText)"
    )
    #expect(try await setup.text(name) == row.before)
    guard row.before != nil else { return }
    let status = try await ChildProcess("stat", ["-c", "%a", "\(setup.folder.path)/\(name)"]).run()
    #expect(status.text == "\(row.mode)\n")
    #expect(try await ChildProcess("test", ["-L", path]).run().status == (row.isLink ? 0 : 1))
  }

  @Test(
    "From a read-only file the lines to add are printed, and nothing is changed",
    arguments: SetupFileRow.Program.allCases
  )
  func readOnly(program: SetupFileRow.Program) async throws {
    let (setup, variable) = try await SetupHome.withPrograms()
    let row = try #require(SetupFileRow.all.first { $0.program == program && $0.before != nil })
    try await setup.write(row.before ?? "", to: program.path)
    let path = "\(setup.folder.path)/\(program.path)"
    try #require(try await ChildProcess("chmod", ["444", path]).run().status == 0)
    let line = [variable, "acct", "helper", "setup"] + program.words
    let shown = try await setup.run("env", line + ["--dry-run"])
    #expect(
      shown.status == 0 && ["acct", "[global]\nkeyring-provider = subprocess"].contains(where: shown.text.contains),
      "\(shown.text)\(shown.errorText)"
    )
    #expect(!shown.text.contains("mine") && !shown.text.contains("@@"), "\(shown.text)")
    let done = try await setup.run("env", line)
    #expect(done.status == 1 && done.text == shown.text, "\(done.errorText)")
    #expect(done.errorText.contains("acct: \(path) was not changed: it is read-only"), "\(done.errorText)")
    #expect(try await setup.text(program.path) == row.before)
  }

  @Test("What kubectl has written since stays, and what the setup dropped is named")
  func kubectlSince() async throws {
    let (setup, variable) = try await SetupHome.withPrograms()
    let row = try #require(SetupFileRow.all.first { $0.program == .kubectl && $0.drops.count == 3 })
    try await setup.write(row.before ?? "", to: ".kube/config")
    let done = try await setup.run("env", [variable, "acct", "helper", "setup", "kubectl", "--yes"])
    try #require(done.status == 0, "\(done.errorText)")
    let set = [variable, "kubectl", "config", "set-context", "--current", "--namespace", "n"]
    try #require(try await setup.run("env", set).status == 0)
    let undone = try await setup.run("env", [variable, "acct", "helper", "setup", "kubectl", "--undo"])
    #expect(undone.status == 0, "\(undone.errorText)")
    #expect(
      undone.errorText.contains("does not come back: `# the cluster`, `other-tool:`, `owner: smith`\n"),
      "\(undone.errorText)"
    )
    let view = "jsonpath={.contexts[0].context.namespace} {.contexts[0].context.user} {.users[*].name}"
    let context = try await setup.run("env", [variable, "kubectl", "config", "view", "-o", view])
    #expect(context.text == "n alice alice")
  }
}
