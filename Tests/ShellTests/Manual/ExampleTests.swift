import AcctCLI
import AcctTestSupport
import ArgumentParser
import Testing

@Suite("Examples in the manual") struct ExampleTests {
  @Test("An example after a prompt in the manual works as it is typed")
  func manual() async throws {
    for page in try await ManualPage.all() {
      let examples = try await page.examples()
      guard !examples.isEmpty else { continue }
      let bench = try await Bench()
      for failure in try await bench.failures(of: examples) { Issue.record("man/\(page.name): \(failure)") }
      // What was not really run is parsed, at least.
      for arguments in try await bench.calls()
      where ["add", "request", "proxy", "keyring"].contains(arguments.first) {
        #expect(throws: Never.self, "man/\(page.name): acct \(arguments)") { _ = try Acct.parseAsRoot(arguments) }
      }
    }
  }
}

/// A folder with what the examples take for granted: two accounts, some files, and a web.
private struct Bench {
  private let folder: TemporaryFolder
  private let home: AcctHome
  private let environment: [String: String]

  init() async throws {
    folder = try TemporaryFolder()
    home = try AcctHome()
    for name in ["bob", "alice"] {
      let file = Product.source("Examples/\(name).json")
      let added = try await home.acct("add", "--import", file, "--name", name)
      guard added.status == 0 else { throw ProcessFailure.notReady(program: "acct", output: added.errorText) }
      let contents = try await ChildProcess("cat", [file]).run().text
      _ = try folder.file("\(name).json", containing: contents)
      if name == "bob" { _ = try folder.file("backup.json", containing: #"{"credentials":\#(contents)}"#) }
    }
    _ = try folder.file("post.json", containing: "{}")
    _ = try folder.file("secret", containing: "made up for this test\n")
    _ = try folder.file(".env", containing: "MISTRAL_API_KEY=made-up-for-this-test\n")
    _ = try folder.file("passphrase", containing: "made up for this test\n")
    let bin = try folder.folder("bin")
    // Signing in and requests need the web, and a shared keyring an engine: of those lines only the words are
    // looked at.
    _ = try folder.file(
      "bin/acct",
      containing: """
        #!/bin/sh
        printf '%s\\n' "$@" '' >>'\(folder.path)/calls'
        case " $* " in
        *' --import '*) ;;
        ' add '* | ' request '* | ' keyring '*) cat >/dev/null; exit 0 ;;
        ' proxy '*) echo http://127.0.0.1:1/secret/; exit 0 ;;
        esac
        exec '\(Product.executable("acct"))' "$@"

        """
    )
    _ = try folder.file(
      "bin/curl",
      containing: """
        #!/bin/sh
        # A request without the header lines that it is to read is none; the proxy adds them.
        case " $* " in
        *' --unix-socket '*) test -n "$2" ;;
        *' Host: '*) grep -q '^url = "http://127.0.0.1:1/secret/.' ;;
        *' @- '* | *' -K - '*) grep -qi authorization ;;
        *) exit 2 ;;
        esac || exit
        printf 'HTTP/1.1 200 OK\\r\\nRateLimit-Limit: 5\\r\\nRateLimit-Remaining: 3\\r\\n\\r\\n' >heads

        """
    )
    _ = try await ChildProcess("chmod", ["+x", "\(bin)/acct", "\(bin)/curl"]).run()
    let plain = home.command([]).environment
    environment = plain.merging(["PATH": "\(bin):\(plain["PATH"] ?? "")", "url": "https://pds.example/"]) { $1 }
  }

  /// Runs lines one after the other in one shell.
  ///
  /// - Returns: The lines that failed, with what they said.
  func failures(of lines: [String]) async throws -> [String] {
    let script = lines.reduce(into: "set -o pipefail\n") { script, line in
      script +=
        "{ \(line)\n} >out 2>&1 </dev/null || { cat <<'END'; cat out; echo; }\n\(line)\nEND\n"
    }
    let shell = ChildProcess("bash", ["-c", script], environment: environment, workingDirectory: folder.path)
    let ended = try await shell.run()
    let text = (ended.text + ended.errorText).split(separator: "\n").joined(separator: ": ")
    return text.isEmpty ? [] : [text]
  }

  /// What `acct` was called with.
  func calls() async throws -> [[String]] {
    let text = try await ChildProcess("cat", ["\(folder.path)/calls"]).run().text
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .split(separator: "").map { $0.map(String.init) }
  }
}
