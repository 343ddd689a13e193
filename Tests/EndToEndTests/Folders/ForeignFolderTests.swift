import AcctTestSupport
import Glibc
import Testing

@Suite("A home on a file system that a program answers for")
struct ForeignFolderTests {
  @Test("On FUSE nothing is sent and nothing renewed, the doctor warns, and a valid token is used")
  func fuse() async throws {
    guard unsafe access("/dev/fuse", R_OK | W_OK) == 0 else { try Test.cancel("needs /dev/fuse") }
    let folder = try TemporaryFolder()
    let (below, above) = (try folder.folder("below"), try folder.folder("above"))
    // It returns when the file system is mounted, and answers for it until it is unmounted.
    let mounted = try await ChildProcess("bindfs", ["--no-allow-other", below, above]).run()
    guard mounted.status == 0 else { try Test.cancel("needs the right to mount: \(mounted.errorText)") }
    do {
      try await use(try AcctHome(with: ["ACCT_HOME": "\(above)/home"], hasVault: false), at: above)
    } catch {
      Issue.record("\(error)")
    }
    let unmounted = try await ChildProcess("fusermount3", ["-u", above]).run()
    #expect(unmounted.status == 0, "\(unmounted.errorText)")
  }

  private func use(_ home: AcctHome, at mount: String) async throws {
    let credentials = """
      {"access_token":"made-up","token_type":"Bearer","expires_in":3600,"refresh_token":"r1",
       "clientId":"client","issuer":"https://127.0.0.1:1","handle":"bob.example.com"}
      """
    #expect(try await home.importing(credentials).status == 0)
    #expect(try await home.acct("token").text == "made-up\n")
    let ran = try await home.acct("refresh", "--force")
    #expect(ran.status == 1)
    #expect(
      ran.errorText.contains("nothing is renewed: \(mount)/home/state/locks is on fuse, where two machines")
    )
    let doctor = try await home.acct("doctor", "--offline")
    #expect(
      doctor.text.contains("is on fuse: a folder on sshfs or NFS is no shared keyring, and nothing is renewed")
    )
  }
}
