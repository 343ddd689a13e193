import AcctTestSupport
import Testing

/// A search that finds nothing proves nothing, unless it would have found something.
@Suite("The search for leaks")
struct LeakSearchTests {
  @Test(
    "The search finds a secret wherever a program puts it and in every form",
    arguments: [
      ("os.write(1, s)", "stdout"), ("os.write(2, s)", "stderr"), ("os.write(2, s[:9]), os.write(2, s[9:])", "stderr"),
      ("os.write(2, s[-25:])", "stderr"), ("os.write(2, b'12' + base64.b64encode(b'1' + s + b'2'))", "stderr"),
      ("os.write(2, base64.urlsafe_b64encode(s).rstrip(b'='))", "stderr"),
      ("os.write(2, s.hex().upper().encode())", "stderr"), ("os.write(2, quote(s).encode())", "stderr"),
      ("os.write(2, re.sub('%..', lambda m: m[0].lower(), quote(s, '')).encode())", "stderr"),
      ("open('made', 'wb', 0).write(s)", "file FOLDER/made"), ("os.symlink(s, 'made')", "call symlink"),
      ("os.access(b'made ' + s, 0)", "call access"), ("os.execve('/bin/true', ['true', s], {})", "call execve"),
      ("os.execve('/bin/true', ['true'], {'x': s})", "call execve"), ("os.fork() == 0 and os.write(2, s)", "stderr"),
      ("threading.Thread(target=os.write, args=(2, s)).start()", "stderr"),
    ]
  )
  func finds(_ deed: String, _ place: String) async throws {
    let sightings = try await sightings(of: deed, in: try TemporaryFolder())
    #expect(sightings.count == 1)
    #expect(sightings.first?.kind == "marker")
    let seen = sightings.first?.place.replacing(/file .*\//, with: "file FOLDER/")
    #expect(seen == place)
  }

  @Test("The search does not blame a program for another's output, or for what it only reads")
  func innocent() async throws {
    let folder = try TemporaryFolder()
    #expect(try await sightings(of: "os.write(1, b'nothing')", in: folder).isEmpty)
    let other = "os.execv('/bin/cat', ['cat', 'secret'])"
    #expect(try await sightings(of: other, in: folder).isEmpty)
  }

  @Test("The search finds in a finished process's memory what was not wiped")
  func memory() async throws {
    let folder = try TemporaryFolder()
    let run = try await RememberedRun(try program("kept = s", in: folder))
    #expect(run.output.status == 0, "\(run.output.errorText)")
    #expect(
      try await RememberedRun.sightings(of: marked, in: [run])[0].map(\.kind).contains("marker")
    )
    var other = GivenSecrets()
    other.add("marker", "something else, which was never there")
    #expect(try await RememberedRun.sightings(of: other, in: [run])[0].isEmpty)
  }

  /// Longer than what is cut from it, and with what each form writes in its own way.
  private static let secret = "made up: /+~?%20>> and so long that its end alone would tell"

  private var marked: GivenSecrets {
    var secrets = GivenSecrets()
    secrets.add("marker", Self.secret)
    return secrets
  }

  /// A program that reads the secret from a file and does something with it.
  private func program(_ deed: String, in folder: TemporaryFolder) throws -> ChildProcess {
    _ = try folder.file("secret", containing: Self.secret)
    let program = """
      import base64, os, re, threading
      from urllib.parse import quote
      s = open('secret', 'rb').read()
      \(deed)
      """
    var python = ChildProcess(Product.source(".build/venv/bin/python"), ["-c", program])
    python.workingDirectory = folder.path
    return python
  }

  private func sightings(of deed: String, in folder: TemporaryFolder) async throws -> [Sighting] {
    let run = try await TracedRun(try program(deed, in: folder))
    try #require(run.output.status == 0, "\(run.output.errorText)")
    return try await TracedRun.sightings(of: marked, in: [run])[0]
  }
}
