import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import FleetPorts
import StrictJSON

/// Moves all accounts to another keyring.
struct MoveCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Move all accounts to another keyring: all of them, or none.",
    discussion: """
      It can be made again after an interruption. From a shared keyring accounts are copied: other \
      machines use it. The same move with --remove removes them there later.
      """
  )

  @Argument(help: "Where to: etcd or postgres, once joined; vault; secret-service.")
  var keyring: String

  @Flag(help: "Remove them from the shared keyring, for all machines.")
  var remove = false

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard let kind = Keyring.Kind(rawValue: keyring), kind != .memory else {
      throw ValidationError("move to etcd, postgres, vault or secret-service")
    }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    guard let kind = Keyring.Kind(rawValue: keyring) else { throw .keyring(.unknown(keyring)) }
    let outcome = try await MoveKeyring(context.engine).move(to: kind, removingShared: remove)
    if options.json {
      try context.output(
        envelope([
          "from": .init(outcome.source?.rawValue),
          "to": .string(kind.rawValue),
          "moved": .array(outcome.moved.map { .string($0.description) }),
          "removed": .array(outcome.removed.map { .string($0.description) }),
          "staying": .array(outcome.staying.map { .string($0.description) }),
        ])
      )
      return .done
    }
    guard let source = outcome.source else {
      context.notice("the accounts are in \(kind.rawValue)")
      return .done
    }
    let isCopy = source.isShared && !remove
    if outcome.removed.isEmpty, outcome.moved.isEmpty, remove, source.isShared {
      if outcome.staying.isEmpty { context.notice("none of these accounts is in \(source.rawValue)") }
    } else if !outcome.removed.isEmpty {
      context.notice("removed \(words(forAccounts: outcome.removed.count)) from \(source.rawValue), for all machines")
    } else {
      context.notice(
        "\(isCopy ? "copied" : "moved") \(words(forAccounts: outcome.moved.count)) "
          + "from \(source.rawValue) to \(kind.rawValue)"
      )
    }
    if !outcome.staying.isEmpty { warn(of: outcome.staying, in: source, context) }
    return .done
  }

  private func warn(of names: [AccountName], in source: Keyring.Kind, _ context: Context) {
    let names = names.map(\.description).joined(separator: ", ")
    guard !remove else {
      context.notice("the credentials of \(names) in \(source.rawValue) are not those in \(keyring), and stay there")
      context.notice(
        "hint: other machines may use them; `acct remove --local NAME` on one of these removes them, for all "
          + "machines"
      )
      return
    }
    context.notice(
      "the refresh token of \(names) is also on \(source.rawValue) still: a server that rotates it ends "
        + "the session when both are used"
    )
    context.notice(
      "hint: use them in one place; `acct keyring move \(keyring) --remove` removes them from "
        + "\(source.rawValue), for all machines"
    )
  }
}
