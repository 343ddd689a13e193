import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
package import StrictJSON

/// The unified diffs of the files that a setup changes.
package func diff(for plan: SetupPlan) -> [String] {
  plan.edits.flatMap { edit in edit.diff.shown(printable(edit.path)).map(printableLine) }
}

/// A line of a file, made safe to show; it keeps its tabs and its end.
package func printableLine(_ line: String) -> String {
  let isDOS = line.unicodeScalars.last == "\r"
  let text = isDOS ? String(line.unicodeScalars.dropLast()) : line
  let parts = text.split(separator: "\t", omittingEmptySubsequences: false).map { printable(String($0)) }
  return parts.joined(separator: "\t") + (isDOS ? "\r" : "")
}

/// The lines that name what a setup changes: each file, and the settings in it.
package func lines(for plan: SetupPlan) -> [String] {
  let allowed = plan.allowed.map { ["\($0.account.name): its token may go to \($0.origin)"] } ?? []
  return plan.edits.flatMap { edit -> [String] in
    let path = printable(edit.path)
    if edit.isProgram {
      let helper = plan.program == .pip ? "keyring" : plan.program.rawValue
      return [edit.isRemoval ? "\(path): removed" : "\(path): a new script that runs `acct helper \(helper)`"]
    }
    let head = edit.isRemoval ? "\(path): removed, since acct made it" : path
    return [head] + edit.changes.map { "  " + (plan.isUndo ? undoingWords(for: $0) : words(for: $0)) }
  } + allowed
}

private func words(for change: SettingChange) -> String {
  let replaced = change.replaced.map { " (replaces \(shown($0)))" } ?? ""
  return "\(shown(change.name)) = \(printable(change.value))\(replaced)"
}

private func undoingWords(for change: SettingChange) -> String {
  let name = shown(change.name)
  guard let replaced = change.replaced else { return "\(name): \(printable(change.value)) is taken out" }
  return "\(name) = \(shown(replaced)), as before"
}

/// A name or a value of another program's settings, made safe to show.
private func shown(_ text: String) -> String { printable(text.withoutSecrets) }

/// The first of the lines that the program's tool drops beside acct's settings.
package func words(forLost lines: [String], _ program: SetupProgram) -> String {
  let shown = lines.prefix(4).map { "`\(printable($0))`" }.joined(separator: ", ")
  let more = lines.count > 4 ? " and \(lines.count - 4) more" : ""
  return "\(program.rawValue) writes the whole file anew, and drops or changes \(shown)\(more)"
}

/// A fact that the user should know beside a change.
package func words(for remark: SetupRemark) -> String {
  switch remark {
  case .askedFirst(let helpers):
    "git asks \(helpers.map(shown).joined(separator: ", ")), too, and gives it the tokens of acct to keep; with "
      + "--host, git asks acct alone for that host"
  case .unusedLogins(let servers):
    "docker does not use its own logins of \(servers.map(printable).joined(separator: ", ")) then; "
      + "`acct add --from docker` takes them over"
  case .otherHelper(let setting): "\(shown(setting)) names another helper"
  case .pending(let change, let program):
    "\(shown(change.name)) \(words(forDeciding: change, program)), which "
      + "`acct helper setup \(program.rawValue)` overcomes"
  case .overruled(let setting, let place):
    "\(shown(setting)) of \(place.map(printable) ?? "the environment") decides until it is removed there"
  case .variable(let name): "\(name) is set in the environment, and decides until it is unset"
  case .needsAllow:
    "cargo gets a token for an origin that you give: acct allow NAME ORIGIN, or with ACCT_ACCOUNT; see "
      + "`man acct-helper`"
  }
}

/// The way in which a setting decides before acct's.
private func words(forDeciding change: SettingChange, _ program: SetupProgram) -> String {
  if change.replaced != nil { return "names another helper" }
  return program == .git ? "resets the list of helpers" : "names no helper"
}

/// The state of a program's settings, in a table.
package func words(for state: SetupState) -> String {
  switch state {
  case .notInstalled: "not installed"
  case .notSetUp: "not set up"
  case .setUp: "set up"
  case .setUpFor(let hosts): "set up for \(hosts.map(printable).joined(separator: ", "))"
  case .overruled(let remarks): "set up, but " + remarks.map(words).joined(separator: "; ")
  case .failed(let error): ErrorMessage(error).text
  }
}

extension SetupPlan.Edit {
  /// The object of `--json`.
  package var json: JSON {
    [
      "path": .string(path), "removed": .bool(isRemoval),
      "diff": .array(diff.shown(path).map(JSON.string)), "lost": .array(lost.map(JSON.string)),
      "obstacle": JSON(obstacle?.name),
      "settings": .array(
        changes.map {
          [
            "name": .string($0.name.withoutSecrets), "value": .string($0.value),
            "replaced": JSON($0.replaced?.withoutSecrets),
          ]
        }
      ),
    ]
  }
}

extension SettingsFile.Obstacle {
  /// The word of `--json`.
  fileprivate var name: String {
    switch self {
    case .root: "root"
    case .otherUser: "otherUser"
    case .readOnly: "readOnly"
    case .generated: "generated"
    }
  }
}

extension SetupState {
  /// The object of `--json`.
  package func json(of program: SetupProgram) -> JSON {
    let name: String
    var hosts: [String] = []
    switch self {
    case .notInstalled: name = "notInstalled"
    case .notSetUp: name = "notSetUp"
    case .setUp: name = "setUp"
    case .setUpFor(let some): (name, hosts) = ("setUp", some)
    case .overruled: name = "overruled"
    case .failed: name = "failed"
    }
    return [
      "program": .string(program.rawValue), "state": .string(name), "hosts": .array(hosts.map(JSON.string)),
    ]
  }
}
