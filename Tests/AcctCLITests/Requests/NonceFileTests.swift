import Release
import AcctCLI
import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

@Suite("The nonce file of a request")
struct NonceFileTests {
  private let record = RecordedWorld()
  private static let url = "https://pds.example/x"

  /// Runs a command against a server that answers so, then with 200; returns how often the nonce file was read.
  private func reads(_ arguments: String..., answers: HTTPResponse...) async throws -> Int {
    #expect(await record.add(Handoffs.dpop()) == 0)
    record.clear()
    let queue = Mutex(answers[...])
    record.serve { _ in queue.withLock { $0.popFirst() } ?? .json("fine") }
    let file = StoredFile.nonce(try Origin("https://pds.example"))
    let before = record.reads(of: file)
    #expect(await record.run(arguments + [Self.url]) == 0)
    return record.reads(of: file) - before
  }

  private static let challenge = HTTPResponse(
    status: 401,
    fields: [("WWW-Authenticate", #"DPoP error="use_dpop_nonce""#), ("DPoP-Nonce", "n1")],
    body: Secret("")
  )

  @Test("A header's proof takes one read")
  func header() async throws { #expect(try await reads("header") == 1) }

  @Test("A request's proof, decision and learning share one read")
  func request() async throws { #expect(try await reads("request") == 1) }

  @Test("A request that is asked for a nonce does not read back what it has just learned")
  func challenge() async throws {
    #expect(try await reads("request", answers: Self.challenge) == 1)
    #expect(record.requests.count == 2)
  }

  @Test("A request that waits reads what other processes learned meanwhile")
  func wait() async throws {
    let limited = HTTPResponse(status: 429, fields: [("Retry-After", "7")], body: Secret(""))
    #expect(try await reads("request", "--retry", "1", answers: limited) == 2)
  }

  @Test("A nonce that cannot be written down is still used for the request that was asked for it")
  func unwritable() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    let answers = Mutex([Self.challenge][...])
    record.serve { _ in answers.withLock { $0.popFirst() } ?? .json("fine") }
    var world = record.world()
    let replace = world.files.replace
    world.files.replace = { file, bytes throws(FilesFailure) in
      if case .nonce = file { throw .failed(path: "nonces", reason: "read-only file system") }
      try replace(file, bytes)
    }
    #expect(await Acct.run(["request", Self.url], in: world) == 0)
    let proof = try #require(record.requests.last?.fields.first { $0.name == "DPoP" }?.value)
    let claims = try JWT.decode(Token(text(of: proof))).claims.object
    #expect(claims["nonce"] == "n1")
  }
}
