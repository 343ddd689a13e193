import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import FleetPorts
import StrictJSON

/// Lets a machine in.
struct ApproveCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve",
    abstract: "Let in the machine that shows a code.",
    discussion: "A code is good once, and for ten minutes."
  )

  @Argument(help: "The code that the other machine shows.")
  var code: String

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let name = try ShareKeyring(context.engine).approve(code)
    if options.json {
      try context.output(envelope(["approved": .string(name)]))
    } else {
      context.notice("\(printableASCII(name)) shares the keyring now")
    }
    return .done
  }
}

/// Lists the machines, and what opens the keyring.
struct MachinesCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "machines",
    abstract: "List the machines that share the keyring, and everything that opens it.",
    discussion: """
      The machines are those with keys of their own, and those that have written an account with the passphrase or \
      key file. What opens the keyring is listed with the machine that added it, as far as a signature shows that.
      """
  )

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let members = try ShareKeyring(context.engine).members()
    if options.json {
      try context.output(
        envelope([
          "machines": .array(members.machines.map(\.json)), "means": .array(members.means.map(\.json)),
        ])
      )
      return .done
    }
    let now = context.world.clock.now()
    try context.output(table(of: members.machines, now).lines(on: context.screen))
    try context.output("")
    try context.output(table(of: members.means, now).lines(on: context.screen))
    return .done
  }

  private func table(of machines: [SharedMachine], _ now: Timestamp) -> Table {
    Table(
      columns: [
        Table.Column(""), Table.Column("NAME"), Table.Column("SINCE", rank: 1), Table.Column("LAST SEEN"),
        Table.Column("ACCT", rank: 0), Table.Column("OPENS WITH", rank: 2),
      ],
      rows: machines.map { machine in
        [
          machine.isThis ? "*" : " ",
          Cell(printableASCII(machine.name), machine.isThis ? .strong : .plain),
          Cell(machine.since.map(day) ?? "-"),
          Cell(machine.lastSeen.map { relative(Timestamp(clamped: $0), to: now) } ?? "-"),
          Cell(machine.version.map(printable) ?? "-", .faint),
          Cell(machine.keyPlace == .tpm ? "its TPM" : words(for: machine.recipient)),
        ]
      }
    )
  }

  private func table(of means: [SharedMeans], _ now: Timestamp) -> Table {
    Table(
      columns: [
        Table.Column(""), Table.Column("OPENED BY"), Table.Column("SINCE", rank: 1), Table.Column("ADDED BY"),
        Table.Column("LAST USED", rank: 2), Table.Column("HELD BY", rank: 0),
      ],
      rows: means.map { means in
        [
          Cell(means.isKnown ? " " : "?", .bad),
          Cell(printableASCII(means.name), means.isKnown ? .plain : .bad),
          Cell(means.since.map(day) ?? "-"),
          Cell(means.addedBy.map(printableASCII) ?? "unknown"),
          Cell(means.lastUsed.map { relative(Timestamp(clamped: $0), to: now) } ?? "-"),
          Cell(means.knownHolders.isEmpty ? "-" : means.knownHolders.map(printableASCII).joined(separator: ", ")),
        ]
      }
    )
  }
}

/// The time in seconds since 1970, as JSON has it.
private func time(_ seconds: Int64?) -> JSON { JSON(seconds.map { Timestamp(clamped: $0).description }) }

extension SharedMachine {
  /// The object of the contract; keys are only ever added.
  fileprivate var json: JSON {
    [
      "id": .string(id),
      "name": .string(name),
      "since": time(since),
      "lastSeen": time(lastSeen),
      "acct": JSON(version),
      "recipient": .string(recipient.rawValue),
      "key": JSON(keyPlace?.rawValue),
      "this": .bool(isThis),
    ]
  }
}

extension SharedMeans {
  /// The object of the contract; keys are only ever added.
  var json: JSON {
    [
      "id": .string(id),
      "kind": .string(kind.rawValue),
      "name": .string(name),
      "since": time(since),
      "addedBy": JSON(addedBy),
      "keptBy": .array(keptBy.map(JSON.string)),
      "lastUsed": time(lastUsed),
      "knownHolders": .array(knownHolders.map(JSON.string)),
      "own": .bool(isOwn),
      "known": .bool(isKnown),
      "listed": .bool(isListed),
    ]
  }
}
