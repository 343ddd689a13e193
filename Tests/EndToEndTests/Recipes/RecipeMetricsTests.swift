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
    #expect(open.contains("openmetrics acct_renewals counter acct_renewals_total {} 1"), "\(read.text)")
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
    let scraped = try await ChildProcess("curl", ["-fsS", "http://127.0.0.1:\(port.number)/metrics"]).run().text
    await exporter.stop()
    #expect(scraped.contains("\nnode_textfile_scrape_error 0\n"), "\(scraped)")
    #expect(scraped.contains("\n# TYPE acct_account_needs_sign_in gauge\nacct_account_needs_sign_in{account=\""))
    #expect(scraped.contains("\nacct_keyring_up{kind="))
    #expect(!scraped.contains("user-1"), "\(scraped)")
  }

  @Test("A file that can't be written leaves the earlier one, and nothing else")
  func failure() async throws {
    let home = try AcctHome()
    let folder = try TemporaryFolder()
    var recipe = home.recipe(script, [folder.path, "--no-such-option"])
    recipe.environment["ACCT_KEYRING"] = nil
    #expect(try await recipe.run().status == 64)
    #expect(try await ChildProcess("ls", ["-A", folder.path]).run().text == "")
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

  private static func tests(_ rules: String) -> String {
    let alerts: [(name: String, series: String, values: String, before: Int, at: Int, severity: String)] = [
      ("AcctNeedsSignIn", #"acct_account_needs_sign_in{account="alice"}"#, "0 0 1x40", 11, 13, "warning"),
      ("AcctKeyringDown", #"acct_keyring_up{kind="etcd"}"#, "1 1 0x40", 16, 18, "critical"),
      ("AcctAnswerWaits", "acct_pending_answers{}", "0 0 2x40", 16, 18, "critical"),
      ("AcctSeesNothingNew", "acct_newest_sighting_age_seconds{}", "86000 86400 86401x40", 16, 18, "warning"),
      ("AcctRenewalsFail", "acct_renewal_failures_total{}", "0x10 9x40", 9, 12, "warning"),
      (
        "AcctMetricsOld", #"node_textfile_mtime_seconds{file="/textfiles/acct-alice.prom"}"#, "0x60", 29, 31, "warning"
      ),
    ]
    let groups = alerts.map { alert in
      """
      - interval: 1m
        input_series: [{series: '\(alert.series)', values: '\(alert.values)'}]
        promql_expr_test:
          - {expr: 'count(ALERTS{alertname="\(alert.name)",alertstate="firing"}) or vector(0)', eval_time: \(alert.before)m,
             exp_samples: [{labels: '{}', value: 0}]}
          - {expr: 'count(ALERTS{alertname="\(alert.name)",alertstate="firing",severity="\(alert.severity)"})',
             eval_time: \(alert.at)m, exp_samples: [{labels: '{}', value: 1}]}

      """
    }
    return "rule_files: ['\(rules)']\nevaluation_interval: 1m\ntests:\n" + groups.joined()
  }

  @Test("The units pass systemd's verification without a message")
  func units() async throws { try await expectVerified(unitsOf: "acct-metrics", running: script) }
}
