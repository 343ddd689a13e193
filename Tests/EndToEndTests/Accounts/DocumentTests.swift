import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// A job's account, which acct has from a document and keeps nowhere.
@Suite("A job that keeps nothing")
struct DocumentTests {
  /// A machine whose files can't be written, without a home, a runtime folder, a bus or an environment.
  private static let container = #"""
    mount --make-rprivate / && mount -o remount,bind,ro /
    for place in /run /root /home; do
      [ ! -d "$place" ] || mount -t tmpfs -o ro,size=4k none "$place"
    done
    exec env -i "$@"
    """#

  private static let mapped = geteuid() == 0 ? [] : ["--map-root-user"]

  private func job(_ arguments: [String], input: String = "", _ variables: String...) -> ChildProcess {
    ChildProcess(
      "unshare",
      Self.mapped + ["--mount", "sh", "-euc", Self.container, "sh"] + variables + [Product.executable("acct")]
        + arguments,
      input: input
    )
  }

  /// A document that describes an exchange at the server, and the folder that it lies in.
  private func described(_ server: StrictServer) async throws -> (TemporaryFolder, document: String) {
    let folder = try TemporaryFolder()
    let token = try await server.control("platform-token")["token"]?.stringValue
    _ = try folder.file("token", containing: try #require(token))
    let document: JSON = [
      "issuer": .string(server.issuer), "grant": "token-exchange", "subjectTokenFile": "token",
      "origins": [.string(server.resource)],
    ]
    return (folder, try folder.file("job.json", containing: document.serialized()))
  }

  @Test("Every step of a job works where nothing can be written, and from nothing to a header is one command")
  func container() async throws {
    let server = try await StrictServer(["dpop": "off"])
    let (folder, document) = try await described(server)
    let url = "\(server.resource)/resource"
    let question = "protocol=http\nhost=\(server.resource.dropFirst(7))\n\n"
    for (line, input) in [
      (["header", url], ""), (["token"], ""), (["request", url], ""), (["exec", "--", "/usr/bin/env"], ""),
      (["helper", "git", "get"], question),
    ] {
      let named = line.prefix(1) + ["--credentials", document] + line.dropFirst()
      let output = try await job(Array(named), input: input).run()
      #expect(output.status == 0, "\(line): \(output.errorText)")
      #expect(!output.standardOutput.isEmpty, "\(line)")
      let byVariable = try await job(line, input: input, "ACCT_CREDENTIALS=\(document)").run()
      #expect(byVariable.status == 0, "\(line): \(byVariable.errorText)")
    }
    let proxy = try RunningProcess(job(["proxy", "--port", "0", "--credentials", document]))
    #expect(try await proxy.firstLine().contains("127.0.0.1"))
    proxy.send(SIGTERM)
    let output = await proxy.output()
    #expect(output.status == 0, "\(output.errorText)")
    let memory = try await job(
      ["add", "--issuer", server.issuer, "--grant", "token-exchange", "--subject-token-file", "\(folder.path)/token"],
      "ACCT_KEYRING=memory"
    ).run()
    #expect(memory.status == 0, "\(memory.errorText)")
    let count = try await server.counts()["token_exchange"]
    #expect(count == 12)
    try await server.expectNothingWrong()
  }

  @Test("A traced job creates no file and writes none, and asks less of the kernel than a header from a vault")
  func trace() async throws {
    let server = try await StrictServer(["dpop": "off"])
    let (folder, document) = try await described(server)
    let given = try folder.file("given.json", containing: try await server.issue(["dpop": false]))
    let home = try AcctHome()
    let imported = try await home.acct("add", "--import", given)
    try #require(imported.status == 0, "\(imported.errorText)")
    let url = "\(server.resource)/resource"
    let kept = try await calls(of: home.command(["header", url]), in: folder)
    for file in [given, document] {
      let acct = Product.executable("acct")
      let job = ChildProcess(acct, ["header", url, "--credentials", file], environment: [:])
      let calls = try await calls(of: job, in: folder)
      let written = calls.filter { line in
        ["O_CREAT", "O_WRONLY", "O_RDWR", "mkdir", "rename", "unlink", "link(", "linkat(", "chmod"].contains {
          line.contains($0)
        }
          && !["readlink", "fcntl(", "\"/dev/"].contains { line.contains($0) }
      }
      #expect(written == [])
      if file == given { #expect(calls.count <= kept.count, "\(calls.count), \(kept.count)") }
    }
    // The document's refresh token has gone nowhere.
    #expect(try await server.counts()["refreshes"] == 0)
    try await server.expectNothingWrong()
  }

  /// The system calls of a command that ends well, one a line.
  private func calls(of command: ChildProcess, in folder: TemporaryFolder) async throws -> [String] {
    let trace = try folder.file("trace", containing: "")
    let output = try await command.traced("-f", "-o", trace).run()
    try #require(output.status == 0, "\(output.errorText)")
    let lines = try await ChildProcess("cat", [trace]).run()
    // A call during which another thread calls has two lines, of which the second has only the result.
    return String(decoding: lines.standardOutput, as: UTF8.self).split(separator: "\n").map(String.init)
      .filter { !$0.contains(" resumed>") }
  }
}
