import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

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

  var secret: Rekeying.Secret {
    if let newPassphraseFile { return .passphrase(file: newPassphraseFile) }
    return newKeyFile.map { .keyFile($0) } ?? .same
  }
}

extension KeyringCommand {
  /// Changes the keyring's key.
  struct Rekey: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "rekey",
      abstract: "Change the keyring's key, and encrypt everything anew, while other machines work.",
      discussion: """
        A new passphrase or key file takes the place of the former one. The command can be made again after an \
        interruption. A keyring of an earlier version of acct gets the form in which machines have keys.
        """
    )

    @OptionGroup var new: NewSecretOptions

    @Flag(help: "Keep the former passphrase or key file beside the new one.")
    var keep = false

    @OptionGroup var options: SharedOptions

    func validate() throws {
      guard !keep || new.secret != .same else {
        throw ValidationError("--keep is for --new-passphrase-file or --new-key-file")
      }
    }

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let change = Rekeying(secret: new.secret, isKeeping: keep)
      let result = try ShareKeyring(context.engine).rekey(change)
      if options.json {
        try context.output(envelope(["objects": result.objectCount, "damaged": result.damagedIDs]))
        return .done
      }
      context.notice("the shared keyring has a new key")
      tell(of: result.damaged, context)
      return .done
    }
  }

  /// Removes a machine.
  struct Remove: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a machine from the shared keyring, and change the key.",
      discussion: """
        From then on it reads nothing that is written. What it has stays: --renew renews every account, so that a \
        single-use refresh token that the machine has is spent. `acct remove` removes an account.
        """
    )

    @Argument(help: "The machine, as `acct keyring machines` names it.")
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
      let change = Rekeying(removing: machine, secret: dropShared ? .none : new.secret)
      let result = try ShareKeyring(context.engine).rekey(change)
      let name = result.removed ?? machine
      if !options.json {
        if let earlier = result.earlier {
          let time = "\(printable(earlier.by)) on \(day(earlier.at))"
          context.notice("\(printable(name)) was removed by \(time) already: the key stays")
        } else {
          context.notice("removed \(printable(name)) from the shared keyring, which has a new key")
        }
        tell(of: result.damaged, context)
      }
      let members: KeyValuePairs<String, JSON> = [
        "removed": .string(name), "objects": result.objectCount, "damaged": result.damagedIDs,
      ]
      if renew { return try await RefreshCommand.everyAccount(afterRemoval: members, context) }
      if options.json { try context.output(envelope(members)) }
      return .done
    }
  }
}

private func tell(of damaged: [AccountID], _ context: Context) {
  guard !damaged.isEmpty else { return }
  let ids = damaged.map(\.description).sorted().joined(separator: ", ")
  context.notice("\(words(forAccounts: damaged.count)) can't be opened: \(ids)")
  context.notice("hint: acct remove --local ID removes one there, for all machines")
}

extension Rekeyed {
  fileprivate var objectCount: JSON { JSON(Int64(objects)) }
  fileprivate var damagedIDs: JSON { .array(damaged.map(\.description).sorted().map(JSON.string)) }
}
