import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Renewals whose locks are on another machine's file system")
struct ForeignLockTests {
  let record = RecordedWorld()

  /// An account whose token has expired, and a server that would renew it.
  private func due() async {
    let handoff = Handoffs.bearer(changing: ["refresh_token": "r1", "clientId": "client"])
    #expect(await record.add(handoff) == 0)
    record.now += 3601
  }

  private func folder(_ name: String, _ reach: FileSystem.Reach) -> FileSystem {
    FileSystem(path: "/home/alice/.local/state/acct/locks", name: name, reach: reach)
  }

  @Test("Nothing is sent where a program keeps the locks, such as sshfs, and the hint names the ways")
  func refused() async {
    await due()
    record.put(on: folder("fuse.sshfs", .program), [.locks])
    #expect(await record.acct("token") == 1)
    #expect(
      record.err == [
        "acct: nothing is renewed: /home/alice/.local/state/acct/locks is on fuse.sshfs, where two "
          + "machines can hold one lock",
        "acct: hint: keep acct's files on this machine; acct-keyring(1) says how several machines " + "use one account",
      ]
    )
    #expect(record.requests.isEmpty)
  }

  @Test("A token that is not past is used all the same, and says why it was not renewed")
  func unpast() async {
    let handoff = Handoffs.bearer(changing: ["refresh_token": "r1", "clientId": "client"])
    #expect(await record.add(handoff) == 0)
    record.now += 3500
    record.put(on: folder("fuse.sshfs", .program), [.locks])
    #expect(await record.acct("token") == 0)
    #expect(record.out == "opaque-bob\n")
    #expect(record.err.joined().contains("fuse.sshfs"))
  }

  @Test(
    "A network's file system with locks for all machines renews, and so does a disk",
    arguments: [("nfs", FileSystem.Reach.network), ("local", .machine)]
  )
  func renewed(name: String, reach: FileSystem.Reach) async {
    await due()
    record.put(on: folder(name, reach), [.locks])
    record.serve { request throws(HTTPFailure) in
      guard request.url.path == "/token" else {
        return .json(
          #"{"issuer":"https://issuer.example","token_endpoint":"https://issuer.example/token"}"#
        )
      }
      return .json(
        #"{"access_token":"a2","token_type":"Bearer","expires_in":3600,"refresh_token":"r2"}"#
      )
    }
    #expect(await record.acct("token") == 0, "\(record.err)")
    #expect(record.out == "a2\n")
  }
}
