import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("acct doctor --report")
struct BugReportTests {
  let record = RecordedWorld()

  /// The line of the report that begins with a word.
  private func line(_ word: String) async -> String? {
    record.clear()
    #expect(await record.acct("doctor", "--report", "--offline") == 0, "\(record.err)")
    let start = "- \(word): "
    return record.out.split(separator: "\n").first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
  }

  @Test("A report has no name, host, path or text of the user or the machine, though the findings have")
  func strict() async throws {
    let marker = "marker"
    for variable in ["LANG", "TERM", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "SSH_CONNECTION", "HOSTNAME", "USER"] {
      record.set(variable, to: marker)
    }
    record.set("HOME", to: "/home/marker")
    record.set("DBUS_SESSION_BUS_ADDRESS", to: "unix:path=/run/marker")
    record.machine = Machine(
      kernel: "6.1.0-marker",
      architecture: marker,
      distribution: "NAME=marker\nID=marker\nVERSION_ID=\"12-marker\"\nPRETTY_NAME=marker",
      libc: "2.36-marker",
      libraries: [("libcurl.so.4", "libcurl.so.4.8-marker"), ("libpq.so.5", marker), ("libexpat.so.1", nil)]
    )
    #expect(await record.add(Handoffs.dpop(marker, changing: ["pds": "https://pds.marker.example"])) == 0)
    let bearer = Handoffs.bearer("marker-bob", changing: ["expires_in": -7300])
    #expect(await record.add(bearer) == 0)
    record.place([.ignored(path: "/home/marker/.acct", reason: marker)])
    let ids = Array(record.keyring.items.keys)
    record.expose(try #require(ids.first))
    record.keyring.fail(with: .unavailable(reason: "marker is not running"))
    record.clear()
    #expect(await record.acct("doctor", "--offline") != 0)
    #expect(record.out.contains(marker))
    record.clear()
    #expect(await record.acct("doctor", "--report", "--offline") == 0)
    #expect(!record.out.lowercased().contains(marker), "\(record.out)")
    #expect(record.err.isEmpty)
    for id in ids { #expect(!record.out.contains(id.description)) }
    #expect(record.out.contains("- system: other 12, Linux 6.1.0, other\n"))
    #expect(record.out.contains("- libraries: glibc 2.36, libcurl 4.8, libpq unknown, libexpat missing\n"))
    #expect(record.out.contains("problem keyringUnavailable"))
  }

  @Test("A report counts accounts by kind and state, and findings by code")
  func counts() async throws {
    #expect(await line("accounts") == "none")
    #expect(await line("keyring") == "none")
    for name in ["alice", "carol"] { #expect(await record.add(Handoffs.dpop(name)) == 0) }
    #expect(await record.add(Handoffs.bearer("bob", changing: ["expires_in": -7300])) == 0)
    let accounts = await line("accounts")
    #expect(accounts == "oauth expired, 2 × oauth valid")
    #expect(await line("keyring") == "secret-service, up")
    #expect(await line("findings")?.contains("problem ") == true)
    let id = try #require(record.keyring.items.keys.first)
    record.corrupt(.account(id), with: "{}")
    #expect(await line("accounts")?.hasSuffix("unreadable") == true)
  }

  @Test(
    "A report has a locale by its language, country and encoding",
    arguments: [
      ("de_DE.UTF-8", "de_DE.UTF-8"), ("C", "C"), ("C.UTF-8", "C.UTF-8"), ("en", "en"), ("POSIX", "POSIX"),
      ("alice", "other"), ("en_GB.alice", "other"), ("en_alice.UTF-8", "other"), ("de_DE.UTF-8.alice", "other"),
      ("_", "other"), (".", "other"), ("de_", "other"),
    ]
  )
  func locale(name: String, shown: String) async {
    record.set("LANG", to: name)
    #expect(await line("locale") == shown)
  }

  @Test("A report names the session, and one desktop that is known")
  func session() async {
    #expect(await line("session") == "no type, no bus")
    record.set("XDG_CURRENT_DESKTOP", to: "alice:GNOME")
    record.set("XDG_SESSION_TYPE", to: "wayland")
    record.set("DBUS_SESSION_BUS_ADDRESS", to: "unix:path=/run/user/1000/bus")
    record.set("SSH_CONNECTION", to: "192.0.2.1 1 192.0.2.2 22")
    #expect(await line("session") == "GNOME, wayland, bus, over SSH")
  }

  @Test("A report is Markdown: it is not printed as JSON")
  func json() async {
    #expect(await record.acct("doctor", "--report", "--json") == 64)
  }
}
