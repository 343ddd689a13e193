import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts

/// Metrics as OpenMetrics 1.0 and the text format 0.0.4 have them in common: no timestamps, no units, counters that end
/// in `_total`.
///
/// A counter's family is named without that ending, as OpenMetrics wants it; a reader of 0.0.4 takes such a sample for
/// one without a type.
///
/// - Parameters:
///   - metrics: The figures.
///   - user: A name that the samples of several users of one machine are told apart by: a collector takes each once.
///   - isAnonymous: `true` to name accounts by their ids.
/// - Returns: The lines.
func metricsLines(_ metrics: AccountMetrics, of user: String, isAnonymous: Bool) -> [String] {
  var lines: [String] = []
  func add(_ family: String, _ type: String, _ help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    lines += ["# HELP acct_\(family) \(help)", "# TYPE acct_\(family) \(type)"]
    let suffix = type == "counter" ? "_total" : ""
    for sample in samples {
      let labels = (sample.labels + [("user", user)]).map { "\($0)=\(OutputFormat.label.shown($1))" }.joined(
        separator: ","
      )
      lines.append("acct_\(family)\(suffix){\(labels)} \(sample.value)")
    }
  }
  func accounts(_ samples: (AccountMetrics.Measured) -> [Sample]) -> [Sample] {
    metrics.accounts.flatMap { measured in
      let account = measured.account
      let name = isAnonymous ? account.id.description : account.name.description
      return samples(measured).map { Sample([("account", name)] + $0.labels, $0.value) }
    }
  }
  add("accounts", "gauge", "Accounts on this machine.", [Sample(metrics.accounts.count + metrics.damaged)])
  add("accounts_damaged", "gauge", "Accounts whose file can't be read.", [Sample(metrics.damaged)])
  add(
    "account_state",
    "gauge",
    "The last known state of an account, as in acct list --json.",
    accounts { [Sample([("state", $0.assessment.state.rawValue)], 1)] }
  )
  add(
    "account_needs_sign_in",
    "gauge",
    "1 if only a person can make the account usable again.",
    accounts { [Sample($0.assessment.needsPerson ? 1 : 0)] }
  )
  add(
    "account_end_timestamp_seconds",
    "gauge",
    "When the account's token, session or client certificate ends, in Unix time.",
    accounts { measured in
      let account = measured.account
      let ends = [
        ("token", account.tokenLifetime.expiresAt), ("session", account.sessionEndsAt),
        ("certificate", account.client.certificate?.endsAt),
      ]
      return ends.compactMap { what, end in end.map { Sample([("of", what)], $0.secondsSince1970) } }
    }
  )
  add(
    "keyring_up",
    "gauge",
    "1 if the keyring in use, and its engine, can be used now.",
    metrics.kind.map { [Sample([("kind", $0.rawValue)], metrics.isUp ? 1 : 0)] } ?? []
  )
  add("pending_answers", "gauge", "Answers of servers that wait for the engine.", [Sample(metrics.pending)])
  add(
    "newest_sighting_age_seconds",
    "gauge",
    "Seconds since the newest event of any account that this machine has seen.",
    metrics.sightingAge.map { [Sample($0)] } ?? []
  )
  add("renewals", "counter", "Renewals by this machine.", [Sample(metrics.counts.renewals)])
  add("renewal_failures", "counter", "Renewals that failed on this machine.", [Sample(metrics.counts.failures)])
  return lines + ["# EOF"]
}

/// A figure with its labels.
private struct Sample {
  var labels: [(name: String, value: String)] = []
  let value: Int64

  init(_ value: some BinaryInteger) { self.value = Int64(clamping: value) }

  init(_ labels: [(name: String, value: String)], _ value: some BinaryInteger) {
    self.init(value)
    self.labels = labels
  }
}
