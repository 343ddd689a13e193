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

/// The passphrase or the key file that opens a keyring from then on.
struct NewSecretOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A file with the keyring's new passphrase.", valueName: "file"))
  var newPassphraseFile: String?

  @Option(help: ArgumentHelp("A file of 32 random bytes, the keyring's new key file.", valueName: "file"))
  var newKeyFile: String?

  func validate() throws {
    guard newPassphraseFile == nil || newKeyFile == nil else {
      throw ValidationError("--new-passphrase-file and --new-key-file exclude each other")
    }
  }

  @Option(
    help: ArgumentHelp("A passphrase, key file or machine that goes on opening the keyring.", valueName: "means")
  )
  var keep: [String] = []

  @Option(
    help: ArgumentHelp("A passphrase, key file or machine that opens the keyring no more.", valueName: "means")
  )
  var drop: [String] = []

  var secret: Rekeying.Secret {
    if let newPassphraseFile { return .passphrase(file: newPassphraseFile) }
    return newKeyFile.map { .keyFile($0) } ?? .same
  }
}

/// Changes the keyring's key.
struct RekeyCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey",
    abstract: "Change the keyring's key, and encrypt everything anew, while other machines work.",
    discussion: """
      A new passphrase or key file takes the place of those of before that --keep does not name. What this machine \
      does not know is asked about; `acct keyring machines` lists it. The command can be made again after an \
      interruption. A keyring of an earlier version of acct gets the form in which machines have keys.
      """
  )

  @OptionGroup var new: NewSecretOptions

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let change = Rekeying(secret: new.secret, keeping: new.keep, dropping: new.drop)
    let result = try changeKey(change, in: context)
    if options.json {
      try context.output(
        envelope(["objects": result.objectCount, "damaged": result.damagedIDs, "dropped": result.droppedMeans])
      )
      return .done
    }
    context.notice("the shared keyring has a new key")
    tell(of: result, context)
    return .done
  }
}

/// Removes a machine.
struct RemoveMachineCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a machine from the shared keyring, and change the key.",
    discussion: """
      From then on it reads nothing that is written. What it has stays: --renew renews every account, so that a \
      single-use refresh token that the machine has is spent. A passphrase, key file or machine that this machine \
      does not know is asked about, since the one that is removed may have added it. `acct remove` removes an account.
      """
  )

  @Argument(help: "The machine, as `acct keyring machines` names it, or its identifier.")
  var machine: String

  @Flag(help: "Renew every account afterwards.")
  var renew = false

  @Flag(help: "Let no passphrase and no key file open the keyring any more.")
  var dropShared = false

  @OptionGroup var new: NewSecretOptions

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard !dropShared || new.secret == .same else {
      throw ValidationError("--drop-shared leaves no passphrase and no key file: give no new one")
    }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let change = Rekeying(
      removing: machine,
      secret: dropShared ? .none : new.secret,
      keeping: new.keep,
      dropping: new.drop
    )
    let result = try changeKey(change, in: context)
    let name = result.removed ?? machine
    if !options.json {
      if let earlier = result.earlier {
        let time = "\(printableASCII(earlier.by)) on \(day(earlier.at))"
        context.notice("\(printableASCII(name)) was removed by \(time) already: the key stays")
      } else {
        context.notice("removed \(printableASCII(name)) from the shared keyring, which has a new key")
      }
      tell(of: result, context)
    }
    let members: KeyValuePairs<String, JSON> = [
      "removed": .string(name), "objects": result.objectCount, "damaged": result.damagedIDs,
      "dropped": result.droppedMeans,
    ]
    if renew { return try await context.renewEveryAccount(afterRemoval: members) }
    if options.json { try context.output(envelope(members)) }
    return .done
  }
}

/// Changes the key; at a terminal a person is asked about each means that this machine does not know.
private func changeKey(_ change: Rekeying, in context: Context) throws(EngineError) -> Rekeyed {
  let share = ShareKeyring(context.engine)
  do { return try share.rekey(change) } catch {
    guard context.canAsk, case .told(let told) = error,
      case .members(.unknownMeans(let means, _), _) = told.failure as? KeyringSharingError
    else { throw error }
    var change = change
    let now = context.world.clock.now()
    for means in means {
      context.notice("\(words(for: means, now)): this machine does not know it")
      let isKept = context.world.terminal.asksYes(
        "acct: does \(printableASCII(means.name)) go on opening the keyring? [y/N] "
      )
      if isKept { change.keeping.append(means.id) } else { change.dropping.append(means.id) }
    }
    return try share.rekey(change)
  }
}

/// A means, with all that is known of it.
private func words(for means: SharedMeans, _ now: Timestamp) -> String {
  let kind =
    switch means.kind {
    case .passphrase: "a passphrase"
    case .keyFile: "a key file"
    case .machine: "a machine with a key of its own"
    }
  let since = means.since.map { ", since \(day($0))" } ?? ""
  let adder = means.addedBy.map { "added by \(printableASCII($0))" } ?? "added by an unknown machine"
  let use = means.lastUsed.map { "last used \(relative(Timestamp(clamped: $0), to: now))" } ?? "no use is known"
  return "\(printableASCII(means.name)) (\(kind)\(since), \(adder), \(use))"
}

private func tell(of result: Rekeyed, _ context: Context) {
  if !result.dropped.isEmpty {
    let names = result.dropped.map { printableASCII($0.name) }.joined(separator: ", ")
    context.notice("no longer opens it: \(names)")
  }
  let damaged = result.damaged
  guard !damaged.isEmpty else { return }
  let ids = damaged.map(\.description).sorted().joined(separator: ", ")
  context.notice("\(words(forAccounts: damaged.count)) can't be opened: \(ids)")
  context.notice("hint: acct remove --local ID removes one there, for all machines")
}

extension Rekeyed {
  fileprivate var objectCount: JSON { JSON(Int64(objects)) }
  fileprivate var damagedIDs: JSON { .array(damaged.map(\.description).sorted().map(JSON.string)) }
  fileprivate var droppedMeans: JSON { .array(dropped.map(\.json)) }
}
