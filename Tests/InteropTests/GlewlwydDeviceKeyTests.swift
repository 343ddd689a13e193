import AcctModel
import AcctTestSupport
import Testing

/// Glewlwyd and pydpop know nothing of devices: to them such a key is any other.
@Suite("Keys in devices at Glewlwyd")
struct GlewlwydDeviceKeyTests {
  @Test("A key in a TPM signs in at Glewlwyd and renews, and pydpop accepts its proofs")
  func tpm() async throws {
    let tpm = try await SoftwareTPM()
    try await expectUse(of: "tpm:\(tpm.address.description)", in: try AcctHome())
    await tpm.stop()
  }

  @Test("A key in a SoftHSM token signs in at Glewlwyd and renews, and pydpop accepts its proofs")
  func token() async throws {
    let token = try await SoftHSM()
    let home = try AcctHome(with: token.environment)
    try await expectUse(of: token.uriWithPIN(";object=acct"), in: home)
  }

  private func expectUse(of key: String, in home: AcctHome) async throws {
    let server = try await GlewlwydServer()
    let added = try await server.signIn(to: home, "--key", key, "--name", "device")
    try #require(added.status == 0, "\(added.errorText)")
    try await expectAcceptance(of: home, at: server)
    let refreshed = try await home.acct("refresh", "--force")
    #expect(refreshed.status == 0, "\(refreshed.errorText)")
    try await expectAcceptance(of: home, at: server)
    #expect(try await home.acct("remove", "device").status == 0)
    await server.stop()
  }

  private func expectAcceptance(of home: AcctHome, at server: GlewlwydServer) async throws {
    let header = try await home.acct("header", server.userInfo)
    try #require(header.status == 0, "\(header.errorText)")
    let verified = try await python("Examples/verify_proof.py", "GET", server.userInfo, input: header.text)
    #expect(verified.status == 0, "\(verified.text) \(verified.errorText)")
    let answer = try await server.curl(server.userInfo, headers: header.text)
    #expect(answer.status == "200")
  }
}
