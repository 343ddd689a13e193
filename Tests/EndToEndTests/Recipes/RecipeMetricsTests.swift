import AcctTestSupport
import Testing

/// `Examples/systemd/acct-metrics` and `Examples/prometheus`, read by the programs that they are for.
@Suite("The recipes for metrics")
struct RecipeMetricsTests {
  private let script = Product.source("Examples/systemd/acct-metrics")
  private let rules = Product.source("Examples/prometheus/acct.rules.yml")

  /// Prints what prometheus_client reads, by its parser of each format.
  private static let parsers = """
    import sys
    from prometheus_client.parser import text_string_to_metric_families as plain
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
    text = sys.stdin.read()
    for parse in plain, open_metrics:
        for family in parse(text):
            for sample in family.samples:
                assert sample.timestamp is None and sample.exemplar is None
                print(parse.__module__.split('.')[1], family.name, family.type, sample.name, sample.labels, sample.value)
    """

  @Test("Both parsers of prometheus_client read the same samples, and OpenMetrics' has the types of all")
  func parsers() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try await home.importExpired(from: server)
    #expect(try await home.acct("token").status == 0)
    let printed = try await home.acct("metrics")
    #expect(printed.status == 0, "\(printed.errorText)")
    let python = ChildProcess(
      Product.source(".build/venv/bin/python"),
      ["-c", Self.parsers],
      input: printed.text
    )
    let read = try await python.run()
    try #require(read.status == 0, "\(read.errorText)\n\(printed.text)")
    let lines = read.text.split(separator: "\n")
    let plain = lines.filter { $0.hasPrefix("parser ") }
    let open = lines.filter { $0.hasPrefix("openmetrics ") }
    // Name, labels and value; the family and the type of a counter differ.
    func samples(_ lines: [Substring]) -> [[Substring]] { lines.map { Array($0.split(separator: " ").dropFirst(3)) } }
    #expect(samples(plain) == samples(open))
    #expect(open.count >= 9)
    #expect(!open.contains { $0.contains(" unknown ") })
    let user = try await Self.user("-un")
    let counted = "openmetrics acct_renewals counter acct_renewals_total {'user': '\(user)'} 1"
    #expect(open.contains { $0 == counted }, "\(read.text)")
    let checked = try await ChildProcess("promtool", ["check", "metrics"], input: printed.text).run()
    #expect(checked.text + checked.errorText == Self.lint)
  }

  /// The help and type of a counter are those of its family, which this format names otherwise.
  private static let lint = "acct_renewal_failures_total no help text\nacct_renewals_total no help text\n"

  @Test("The collector of node_exporter reads the file that the recipe writes")
  func collector() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try await home.importExpired(from: server)
    let folder = try TemporaryFolder()
    for options in [[], ["--anonymous"]] {
      let written = try await home.recipe(script, [folder.path] + options).run()
      #expect(written.status == 0, "\(written.errorText)")
      #expect(written.text + written.errorText == "")
    }
    let files = try await ChildProcess("ls", ["-A", folder.path]).run().text
    #expect(files.hasPrefix("acct-"))
    #expect(files.hasSuffix(".prom\n"))
    #expect(files.split(separator: "\n").count == 1)
    let scraped = try await scrape(folder).text
    #expect(scraped.contains("\nnode_textfile_scrape_error 0\n"), "\(scraped)")
    #expect(scraped.contains("\n# TYPE acct_account_needs_sign_in gauge\nacct_account_needs_sign_in{account=\""))
    #expect(scraped.contains("\nacct_keyring_up{kind="))
    #expect(!scraped.contains("user-1"), "\(scraped)")
    // The alert about an old file is for what the collector calls it.
    let alerts = try await ChildProcess("cat", [rules]).run().text
    let pattern = try #require(alerts.split(separator: "file=~\"").last?.split(separator: "\"").first)
    let labels = scraped.split(separator: "\n").filter { $0.hasPrefix("node_textfile_mtime_seconds{") }
    #expect(labels.count == 1)
    let label = try #require(labels.first?.split(separator: "\"").dropFirst().first)
    #expect(try Regex(String(pattern)).wholeMatch(in: label) != nil, "\(pattern) is not for \(label)")
  }

  @Test("The collector takes every sample of two users' files in one folder")
  func twoUsers() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try await home.importExpired(from: server)
    let folder = try TemporaryFolder()
    let recipe = try await home.recipe(script, [folder.path]).run()
    #expect(recipe.status == 0, "\(recipe.errorText)")
    // The same again, as of another user: without the user in them, most samples would be the same.
    let printed = try await home.acct("metrics", "--anonymous", "--no-input")
    try #require(printed.status == 0, "\(printed.errorText)")
    _ = try folder.file("acct-bob.prom", containing: printed.text)
    let users = [try await Self.user("-un"), try await Self.user("-u")]
    let scraped = try await scrape(folder)
    #expect(scraped.text.contains("\nnode_textfile_scrape_error 0\n"), "\(scraped.text)")
    #expect(!scraped.log.contains("collected before"), "\(scraped.log)")
    let samples = scraped.text.split(separator: "\n").filter { $0.hasPrefix("acct_") }
    let written = printed.text.split(separator: "\n").filter { $0.hasPrefix("acct_") }
    #expect(written.count >= 9)
    for user in users {
      #expect(samples.count { $0.contains("user=\"\(user)\"") } == written.count, "\(user): \(scraped.text)")
    }
    #expect(samples.count == 2 * written.count)
  }

  private static func user(_ option: String) async throws -> String {
    String(try await ChildProcess("id", [option]).run().text.dropLast())
  }

  /// Lets node_exporter read a folder once; returns what it serves, and what it has logged.
  private func scrape(_ folder: TemporaryFolder) async throws -> (text: String, log: String) {
    let port = try FreePort()
    let exporter = try RunningProcess(
      ChildProcess(
        "prometheus-node-exporter",
        [
          "--collector.disable-defaults", "--collector.textfile", "--collector.textfile.directory=\(folder.path)",
          "--web.listen-address=127.0.0.1:\(port.number)",
        ]
      )
    )
    try await exporter.ready { port.isServed }
    let served = try await ChildProcess("curl", ["-fsS", "http://127.0.0.1:\(port.number)/metrics"]).run().text
    await exporter.stop()
    return (served, String(decoding: exporter.standardError.contents(), as: UTF8.self))
  }

  @Test("A run that fails after its first lines leaves the earlier file as it is, and nothing else")
  func failure() async throws {
    let home = try AcctHome()
    try await home.addBearer("alice", at: "https://notes.example")
    let folder = try TemporaryFolder()
    let written = try await home.recipe(script, [folder.path]).run()
    try #require(written.status == 0, "\(written.errorText)")
    let names = try await ChildProcess("ls", ["-A", folder.path]).run().text
    let file = "\(folder.path)/\(try #require(names.split(separator: "\n").first))"
    let before = try await ChildProcess("cat", [file]).run().standardOutput
    try #require(!before.isEmpty)

    let broken = try TemporaryFolder()
    let program = try broken.file("acct", containing: "#!/bin/sh\necho 'acct_accounts 1'\nexit 7\n")
    try #require(try await ChildProcess("chmod", ["+x", program]).run().status == 0)
    var recipe = home.recipe(script, [folder.path])
    recipe.environment["PATH"] = "\(broken.path):\(recipe.environment["PATH"] ?? "")"
    #expect(try await recipe.run().status == 7)
    #expect(try await ChildProcess("ls", ["-A", folder.path]).run().text == names)
    #expect(try await ChildProcess("cat", [file]).run().standardOutput == before)
  }

  @Test("Each alert fires for what it names, and not before its time")
  func alerts() async throws {
    let folder = try TemporaryFolder()
    let tests = try folder.file("tests.yml", containing: Self.tests(rules))
    let checked = try await ChildProcess("promtool", ["check", "rules", rules]).run()
    #expect(checked.status == 0, "\(checked.text)\(checked.errorText)")
    let tested = try await ChildProcess("promtool", ["test", "rules", tests]).run()
    #expect(tested.status == 0, "\(tested.text)\(tested.errorText)")
  }

  private static let labels = #"user="alice",instance="a.example""#
  private static let sighting = #"acct_newest_sighting_age_seconds{\#(labels)}"#
  /// The time begins at 0.
  private static let tokenEnd = #"acct_account_end_timestamp_seconds{account="notes",of="token",\#(labels)}"#
  private static let needsSignIn = #"acct_account_needs_sign_in{account="notes",\#(labels)}"#

  /// What fires: the alert, its series and their values, the minutes before and at which it does, and how grave it is.
  private static let firing: [(name: String, series: [String: String], before: Int, at: Int, severity: String)] = [
    ("AcctNeedsSignIn", [needsSignIn: "0 0 1x40"], 11, 13, "warning"),
    ("AcctKeyringDown", [#"acct_keyring_up{kind="etcd",\#(labels)}"#: "1 1 0x40"], 16, 18, "critical"),
    ("AcctAnswerWaits", ["acct_pending_answers{\(labels)}": "0 0 2x40"], 16, 18, "critical"),
    (
      "AcctSeesNothingNew",
      [sighting: "86000 86400 86401x40", tokenEnd: "-4000x60", needsSignIn: "0x60"], 16, 18, "warning"
    ),
    // An hour after the token's end: it is one of more than a day.
    ("AcctSeesNothingNew", [sighting: "90000x99", tokenEnd: "0x99", needsSignIn: "0x99"], 75, 77, "warning"),
    // Of two other accounts one has a token that is still good, and one needs a person.
    (
      "AcctSeesNothingNew",
      [
        sighting: "90000x60", tokenEnd: "-4000x60", needsSignIn: "0x60",
        tokenEnd.replacing("notes", with: "other"): "90000x60", needsSignIn.replacing("notes", with: "other"): "0x60",
        tokenEnd.replacing("notes", with: "third"): "-4000x60", needsSignIn.replacing("notes", with: "third"): "1x60",
      ], 14, 16, "warning"
    ),
    ("AcctRenewalsFail", ["acct_renewal_failures_total{\(labels)}": "0x10 9x40"], 9, 12, "warning"),
    (
      "AcctMetricsOld",
      [#"node_textfile_mtime_seconds{file="/textfiles/acct-alice.prom"}"#: "0x60"], 29, 31, "warning"
    ),
    // As older node_exporters write it.
    ("AcctMetricsOld", [#"node_textfile_mtime_seconds{file="acct-alice.prom"}"#: "0x60"], 29, 31, "warning"),
  ]

  /// What never fires.
  private static let silent: [(name: String, series: [String: String])] = [
    // Static tokens alone, which have no end.
    ("AcctSeesNothingNew", [sighting: "90000x60", needsSignIn: "0x60"]),
    ("AcctSeesNothingNew", [sighting: "90000x60", tokenEnd: "90000x60", needsSignIn: "0x60"]),
    // The end of a certificate or a session is no token's.
    (
      "AcctSeesNothingNew",
      [
        sighting: "90000x60", needsSignIn: "0x60",
        #"acct_account_end_timestamp_seconds{account="notes",of="session",\#(labels)}"#: "-4000x60",
      ]
    ),
    // Another alert is for that.
    ("AcctSeesNothingNew", [sighting: "90000x60", tokenEnd: "-4000x60", needsSignIn: "1x60"]),
    // It is another user's token, or another machine's, that is overdue.
    (
      "AcctSeesNothingNew",
      [
        sighting: "90000x60", needsSignIn: "0x60",
        tokenEnd.replacing("alice", with: "bob"): "-4000x60",
        tokenEnd.replacing("a.example", with: "b.example"): "-4000x60",
      ]
    ),
    ("AcctMetricsOld", [#"node_textfile_mtime_seconds{file="/textfiles/acct-alice/other.prom"}"#: "0x60"]),
    ("AcctMetricsOld", [#"node_textfile_mtime_seconds{file="other.prom"}"#: "0x60"]),
  ]

  private static func tests(_ rules: String) -> String {
    func group(_ series: [String: String]) -> String {
      let inputs = series.sorted { $0.key < $1.key }.map { "    - {series: '\($0.key)', values: '\($0.value)'}\n" }
      return "- interval: 1m\n  input_series:\n\(inputs.joined())  promql_expr_test:\n"
    }
    func expected(_ labels: String, _ rest: String, _ minutes: Int, _ count: Int) -> String {
      """
          - {expr: 'count(ALERTS{\(labels),alertstate="firing"})\(rest)', eval_time: \(minutes)m,
             exp_samples: [{labels: '{}', value: \(count)}]}

      """
    }
    func none(_ name: String, _ minutes: Int) -> String {
      expected("alertname=\"\(name)\"", " or vector(0)", minutes, 0)
    }
    let firing = Self.firing.map { alert in
      let labels = "alertname=\"\(alert.name)\",severity=\"\(alert.severity)\""
      return group(alert.series) + none(alert.name, alert.before) + expected(labels, "", alert.at, 1)
    }
    let silent = Self.silent.map { group($0.series) + none($0.name, 50) }
    return "rule_files: ['\(rules)']\nevaluation_interval: 1m\ntests:\n" + (firing + silent).joined()
  }

  @Test("The units pass systemd's verification without a message")
  func units() async throws { try await expectVerified(unitsOf: "acct-metrics", running: script) }
}
