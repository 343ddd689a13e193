import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
import Testing

@Suite("A machine that has neither passphrase nor key file")
struct JoinByCodeTests {
  let newcomer: SharingMachine
  private static let code = "aaaa-bbbb-cccc-dddd"

  init() async {
    let member = SharingMachine()
    await member.share()
    newcomer = SharingMachine(member.engine)
  }

  /// Joins; a member approves at once.
  private func join(_ means: JoiningMeans, _ options: String...) async -> Int32 {
    var sharing = newcomer.sharing
    let join = sharing.join
    sharing.membership.means = { _ in means }
    sharing.membership.request = { settings, _, interaction, announce throws(SharedMembershipFailure) in
      announce(Self.code)
      do throws(KeyringFailure) { try join(settings, interaction) } catch { throw .keyring(error) }
    }
    sharing.join = { settings, interaction throws(KeyringFailure) in
      guard means == .given else { throw means == .passphrase ? .noPassphrase : .locked(reason: "no one may be asked") }
      try join(settings, interaction)
    }
    let words = ["keyring", "join", "etcd", "https://a.example:2379"] + options
    return await newcomer.run(words, in: newcomer.world, sharing)
  }

  private static let shown = "acct: on another machine, within 10 minutes: acct keyring approve \(code)"
  private static let joined = "acct: joined the keyring main on etcd, with 0 accounts"

  @Test("It is shown a code for a keyring that no passphrase opens, and where no one can enter one")
  func shown() async {
    #expect(await join(.code) == 0)
    #expect(newcomer.record.err == [Self.shown, Self.joined])
    #expect(await join(.passphrase) == 0)
    #expect(newcomer.record.err.suffix(2) == [Self.shown, Self.joined])
  }

  @Test("At a terminal the passphrase is asked for, and Enter alone shows the code")
  func entered() async {
    newcomer.record.answer("")
    #expect(await join(.passphrase) == 0)
    #expect(
      newcomer.record.err == [
        "acct: without the passphrase, just press Enter: a code lets another machine approve this one", Self.shown,
        Self.joined,
      ]
    )
  }

  @Test("What is given is used, and no code is shown where no one may be asked")
  func given() async {
    #expect(await join(.given) == 0)
    #expect(newcomer.record.err == [Self.joined])
    newcomer.record.clear()
    #expect(await join(.code, "--no-input") == 6)
    #expect(!newcomer.record.err.contains(Self.shown))
  }
}
