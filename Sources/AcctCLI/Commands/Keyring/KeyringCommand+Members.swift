import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

extension KeyringCommand {
  /// Lets a machine in.
  struct Approve: AcctCommand {
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
        context.notice("\(printable(name)) shares the keyring now")
      }
      return .done
    }
  }

  /// Lists the machines.
  struct Machines: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "machines",
      abstract: "List the machines that share the keyring.",
      discussion:
        "Those with keys of their own, and those that have written an account with the passphrase or key file."
    )

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let machines = try ShareKeyring(context.engine).machines()
      if options.json {
        try context.output(envelope(["machines": .array(machines.map(\.json))]))
        return .done
      }
      let now = context.world.clock.now()
      let table = Table(
        columns: [
          Table.Column(""), Table.Column("NAME"), Table.Column("SINCE", rank: 1), Table.Column("LAST SEEN"),
          Table.Column("ACCT", rank: 0), Table.Column("OPENS WITH", rank: 2),
        ],
        rows: machines.map { machine in
          [
            machine.isThis ? "*" : " ",
            Cell(printable(machine.name), machine.isThis ? .strong : .plain),
            Cell(machine.since.map(day) ?? "-"),
            Cell(machine.lastSeen.map { relative(Timestamp(clamped: $0), to: now) } ?? "-"),
            Cell(machine.version.map(printable) ?? "-", .faint),
            Cell(machine.keyPlace == .tpm ? "its TPM" : words(for: machine.recipient)),
          ]
        }
      )
      try context.output(table.lines(on: context.screen))
      return .done
    }
  }
}

/// The means by which a machine opens a shared keyring.
func words(for recipient: SharedMachine.Recipient) -> String {
  switch recipient {
  case .machine: "its own key"
  case .passphrase: "the passphrase"
  case .keyFile: "the key file"
  }
}

extension SharedMachine {
  /// The object of the contract; keys are only ever added.
  fileprivate var json: JSON {
    func time(_ seconds: Int64?) -> JSON { JSON(seconds.map { Timestamp(clamped: $0).description }) }
    return [
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
