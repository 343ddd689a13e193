import AcctTestSupport
import StrictJSON
import Testing

/// The grants of acct-engine(7), taken from the page and run as they stand there.
@Suite("The roles of the manual")
struct RoleTests {
  @Test("On etcd an administrator makes a keyring, a member renews, and a reader uses what is valid")
  func etcd() async throws {
    let cluster = try await EtcdCluster(members: 1)
    let root = try await cluster.authority.issue("root")
    func grant(_ block: String) async throws {
      let environment = [
        "ETCDCTL_API": "3", "ETCDCTL_ENDPOINTS": cluster.endpoints.joined(separator: ","),
        "ETCDCTL_CACERT": cluster.authority.certificate, "ETCDCTL_CERT": root.certificate, "ETCDCTL_KEY": root.key,
      ]
      let shell = ChildProcess(
        "sh",
        ["-euc", block],
        environment: ChildProcess.plainEnvironment.merging(environment) { $1 }
      )
      let done = try await shell.run()
      try #require(done.status == 0, "\(done.errorText)")
    }
    let blocks = try await Self.blocks(of: "ETCD").filter { $0.hasPrefix("etcdctl") }
    try #require(blocks.count == 2)
    for block in blocks { try await grant(block) }
    var places: [String: [String]] = [:]
    for user in ["operator", "web", "ci"] {
      let issued = try await cluster.authority.issue(user)
      places[user] = [
        "etcd", cluster.endpoints.joined(separator: ","), "--ca", cluster.authority.certificate,
        "--cert", issued.certificate, "--key", issued.key,
      ]
    }
    let homes = try Homes()
    // A member may not write the header, so it makes no keyring.
    let early = try await homes.acct("web", ["keyring", "create"] + (places["web"] ?? []))
    #expect(early.status == 7, "\(early.errorText)")
    try await homes.join("operator", "create", places["operator"] ?? [])
    try await homes.join("web", "join", places["web"] ?? [])
    try await homes.join("ci", "join", places["ci"] ?? [])
    let reason = "does not let this user at the keys"
    try await membership(homes, places, reason: reason)
    try await homes.play(reason: reason)
  }

  /// Lets a member ask to join by a code, which an administrator alone approves.
  private func membership(_ homes: Homes, _ places: [String: [String]], reason: String) async throws {
    let newcomer = try await Newcomer(to: places["web"] ?? [])
    // The code stays good: only the header could not be written.
    for (user, words) in [
      ("web", ["keyring", "approve", newcomer.code]), ("ci", ["keyring", "approve", newcomer.code]),
      ("web", ["keyring", "rekey"]),
    ] {
      let refused = try await homes.acct(user, words)
      #expect(refused.status == 7, "\(user) \(words): \(refused.errorText)")
      #expect(refused.errorText.contains(reason), "\(user) \(words): \(refused.errorText)")
    }
    let approved = try await homes.acct("operator", ["keyring", "approve", newcomer.code])
    #expect(approved.status == 0, "\(approved.errorText)")
    try await newcomer.joined()
    let listed = try await newcomer.home.acct("keyring", "machines", "--no-input")
    #expect(listed.status == 0, "\(listed.errorText)")
    #expect(listed.text.contains("its own key"), "\(listed.text)")

    let reader = try await homes.ask(places["ci"] ?? [])
    #expect(reader.status == 7, "\(reader.errorText)")
    #expect(reader.errorText.contains(reason), "\(reader.errorText)")
    #expect(!reader.errorText.contains("keyring approve"), "\(reader.errorText)")
  }

  @Test("On PostgreSQL an administrator makes a keyring, a member renews, and a reader uses what is valid")
  func postgres() async throws {
    let server = try await PostgresServer()
    let blocks = try await Self.blocks(of: "POSTGRESQL")
    try #require(blocks.count == 2)
    let folder = try TemporaryFolder()
    func place(_ user: String) async throws -> [String] {
      try await server.psql("ALTER ROLE \(user) PASSWORD 'made-up-\(user)'", database: "acct")
      let file = try folder.file(user, containing: "made-up-\(user)\n")
      let connection = server.connection.replacing("user=acct", with: "user=\(user)")
      return ["postgres", connection, "--password-file", file]
    }
    try await server.psql(blocks[0], database: "acct")
    let homes = try Homes()
    try await homes.join("operator", "create", try await place("operator"))
    try await server.psql(blocks[1], database: "acct")
    let web = try await place("web")
    try await homes.join("web", "join", web)
    try await homes.join("ci", "join", try await place("ci"))
    // The grants are for tables: a member may write the header as well.
    let newcomer = try await Newcomer(to: web)
    let approved = try await homes.acct("web", ["keyring", "approve", newcomer.code])
    #expect(approved.status == 0, "\(approved.errorText)")
    try await newcomer.joined()
    try await homes.play(reason: "permission denied")
  }

  /// A home of each role.
  private struct Homes {
    private let folder: TemporaryFolder
    private var homes: [String: AcctHome] = [:]

    init() throws {
      folder = try TemporaryFolder()
      let key = try folder.file("key", containing: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
      for user in ["operator", "web", "ci"] { homes[user] = try AcctHome(sharingUnder: key) }
    }

    func acct(_ user: String, _ words: [String]) async throws -> ChildProcess.Output {
      try await #require(homes[user]).command(words + ["--no-input"]).run()
    }

    func join(_ user: String, _ verb: String, _ place: [String]) async throws {
      let joined = try await acct(user, ["keyring", verb] + place)
      try #require(joined.status == 0, "\(user) \(verb): \(joined.errorText)")
    }

    /// Asks to join by a code, as a machine that has neither passphrase nor key file.
    func ask(_ place: [String]) async throws -> ChildProcess.Output {
      let passphrase = try folder.file("own", containing: "of this machine\n")
      let home = try AcctHome(sharingUnder: "", with: ["ACCT_VAULT_PASSPHRASE_FILE": passphrase])
      return try await home.command(["keyring", "join"] + place + ["--code", "--no-input"]).run()
    }

    /// Lets a member add an account, a reader use it and fail to renew it, and the member renew it.
    func play(reason: String) async throws {
      let server = try await StrictServer(["dpop": "off", "keep_alive": false])
      let file = try folder.file("credentials", containing: try await server.issue(["sub": "user-1"]))
      let added = try await acct("web", ["add", "--import", file, "--name", "user-1"])
      #expect(added.status == 0, "\(added.errorText)")
      let url = "\(server.resource)/resource"
      let header = try await acct("ci", ["header", "-a", "user-1", url])
      #expect(header.status == 0, "\(header.errorText)")
      #expect(try await acct("web", ["header", "-a", "user-1", url]).text == header.text)

      let refused = try await acct("ci", ["refresh", "--force", "user-1"])
      #expect(refused.status == 7, "\(refused.errorText)")
      #expect(refused.errorText.contains(" lets this machine only read the shared keyring: "), "\(refused.errorText)")
      #expect(refused.errorText.contains(reason), "\(refused.errorText)")
      #expect(try await server.counts()["refreshes"] == 0)
      // What is valid stays of use.
      #expect(try await acct("ci", ["header", "-a", "user-1", url]).text == header.text)
      let renewed = try await acct("web", ["refresh", "--force", "user-1"])
      #expect(renewed.status == 0, "\(renewed.errorText)")
      // `list` asks the engine.
      #expect(try await acct("ci", ["list"]).status == 0)
      let after = try await acct("ci", ["header", "-a", "user-1", url])
      #expect(after.status == 0, "\(after.errorText)")
      #expect(after.text != header.text)
      let removed = try await acct("ci", ["remove", "user-1"])
      #expect(removed.status == 7, "\(removed.errorText)")
      #expect(try await acct("operator", ["token", "-a", "user-1"]).status == 0)
      try await server.expectNothingWrong()
    }
  }

  /// The blocks that a section of the page shows to be copied, as a reader sees them.
  private static func blocks(of section: String) async throws -> [String] {
    let page = try await ChildProcess("cat", [Product.source("man/acct-engine.7")]).run().text
    var blocks: [String] = []
    var isInSection = false
    var block: [String]?
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix(".Sh ") { isInSection = line.dropFirst(4) == section }
      if isInSection, line.hasPrefix(".Bd ") {
        block = []
      } else if line == ".Ed", let lines = block {
        blocks.append(lines.joined(separator: "\n"))
        block = nil
      } else {
        block?.append(line.split(separator: "\\").joined())
      }
    }
    return blocks
  }
}
