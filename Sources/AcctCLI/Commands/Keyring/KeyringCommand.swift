import ArgumentParser

/// The keyring in use, and the one that several machines share.
struct KeyringCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keyring",
    abstract: "Show, unlock or lock the keyring, share one with other machines, or move the accounts.",
    discussion: """
      Several machines share a keyring on etcd or PostgreSQL, which stores ciphertext alone:

        acct keyring create etcd https://a.example:2379 --ca ca.pem --cert me.pem --key me.key
        acct keyring join etcd https://a.example:2379 --ca ca.pem --cert me.pem --key me.key
      """,
    subcommands: [
      Status.self, Unlock.self, Lock.self, Create.self, Join.self, Approve.self, Machines.self, Remove.self, Rekey.self,
      Move.self, Leave.self, Trust.self,
    ],
    defaultSubcommand: Status.self
  )
}
