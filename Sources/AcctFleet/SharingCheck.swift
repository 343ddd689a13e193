package import AcctConsole
package import AcctEngine
import AcctModel
package import AcctPorts
import FleetPorts

/// The checks of `doctor` for a keyring that several machines share.
package struct SharingCheck: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Checks the engine of a shared keyring, and the answers that are still to be stored there.
  ///
  /// A failure counts only if the keyring's own check has found it ready, and has not reported it.
  ///
  /// - Parameters:
  ///   - kind: The keyring in use.
  ///   - isReady: `true` if it is there and unlocked.
  /// - Returns: The findings; none for a keyring of this machine alone.
  package func findings(for kind: Keyring.Kind, isReady: Bool) -> [Finding] {
    guard kind.isShared else { return [] }
    let report: SharedKeyring.Report
    do { report = try context.sharedKeyring.report() } catch {
      return isReady ? [Finding(error, kind)] : []
    }
    var findings = report.isRolledBack ? [Finding(.rolledBack, kind)] : []
    if !report.pending.isEmpty {
      findings.append(
        Finding(
          .warning,
          "answersWait",
          "answers of servers for \(names(of: report.pending)) wait on this machine for the shared keyring",
          fix: "`acct refresh NAME` stores one as soon as the engine can be reached"
        )
      )
    }
    if !report.copiesAlone.isEmpty {
      findings.append(
        Finding(
          .warning,
          "copiesAlone",
          "this machine has copies of \(names(of: report.copiesAlone)), and the engine has no such accounts",
          fix: "`acct keyring move vault` keeps them here; `acct keyring trust` deletes the copies"
        )
      )
    }
    if report.isChangingKey {
      findings.append(
        Finding(
          .warning,
          "keyChangeInterrupted",
          "a change of the shared keyring's key was begun and not ended",
          fix: "`acct keyring rekey` ends it"
        )
      )
    }
    findings += inspected() + opened()
    let accounts = words(forAccounts: report.accounts)
    return findings.isEmpty
      ? [Finding(.ok, "sharedKeyring", "the shared keyring answers, and has \(accounts)")] : findings
  }

  /// Reports the objects that can't be used in their present state, if the key is available without a prompt.
  private func inspected() -> [Finding] {
    let inspection: SharedKeyring.Inspection
    do { inspection = try context.sharedKeyring.inspect(context.interaction) } catch {
      // The earlier checks report a keyring that is locked, or can't be asked.
      return []
    }
    var findings = inspection.damaged.sorted(by: { "\($0.key)" < "\($1.key)" }).map { id, damage in
      Finding(
        .problem,
        "damagedSharedAccount",
        "what the shared keyring has of account \(id) can't be used: \(words(for: damage))",
        fix: "`acct remove \(id) --local` removes it for all machines"
      )
    }
    findings += inspection.strayKeys.map { key in
      Finding(
        .problem,
        "damagedSharedAccount",
        "the shared keyring has an object that is no account's: \(printable(key))",
        fix: "its operator can delete it; acct-engine(7)"
      )
    }
    if !inspection.rolledBack.isEmpty {
      let names = names(of: inspection.rolledBack)
      findings.append(
        Finding(
          .problem,
          "keyringRolledBack",
          "the shared keyring's objects of \(names) are older than this machine has seen them",
          fix: "ask its operator; if they are the ones to use, run `acct keyring trust`"
        )
      )
    }
    return findings
  }

  /// Reports what opens the keyring without a known reason, if the key is available without a prompt.
  private func opened() -> [Finding] {
    let members: SharedMembers
    do { members = try context.sharedKeyring.membership.members(.forbidden) } catch {
      // As above; and a keyring of the form of earlier versions has no such list.
      return []
    }
    var findings: [Finding] = []
    let unknown = members.means.filter { !$0.isKnown }
    if !unknown.isEmpty {
      findings.append(
        Finding(
          .warning,
          "unknownMeans",
          "this machine does not know what opens the shared keyring as "
            + unknown.map(words).joined(separator: ", "),
          fix: "`acct keyring rekey` asks about each, and changes the key; --keep NAME or --drop NAME answers"
        )
      )
    }
    if members.doubles > 0 {
      let count = members.doubles
      findings.append(
        Finding(
          .warning,
          "doubledMembers",
          "the shared keyring's list of machines has \(count) \(count == 1 ? "entry" : "entries") twice",
          fix: "`acct keyring rekey` drops what is double"
        )
      )
    }
    return findings
  }

  /// The names of accounts here; an account without a file is named by its identifier.
  private func names(of ids: [AccountID]) -> String {
    let names = Dictionary(
      ((try? context.accountStore.listing().accounts) ?? []).map { ($0.id, $0.name.description) },
      uniquingKeysWith: { first, _ in first }
    )
    return ids.map { names[$0] ?? $0.description }.sorted().joined(separator: ", ")
  }
}

/// A means of opening the keyring, and why this machine does not know it.
private func words(for means: SharedMeans) -> String {
  let reasons = [
    means.addedBy == nil ? "added by an unknown machine" : nil, means.lastUsed == nil ? "no use is known" : nil,
  ]
  let reason = reasons.compactMap(\.self).joined(separator: ", ")
  return printableASCII(means.name) + (reason.isEmpty ? "" : " (\(reason))")
}
