import AcctModel
import AcctPrograms
import AcctProtocol
import Testing

@Suite("The go command's GOAUTH")
struct GoAuthTests {
  private func command(_ words: String...) throws(HelperFlaw) -> GoAuth { try GoAuth(HelperQuestion(words)) }

  @Test("The go command gets nothing until a server has asked for something")
  func first() throws {
    #expect(try command().task == .answered(HelperAnswer()))
    #expect(GoAuth.exchange(for: []) == .silent)
    #expect(throws: HelperFlaw.arguments) { try command("https://a.example", "b") }
  }

  @Test(
    "Lines that are the same for every URL of a server are for its host as the go command writes it",
    arguments: [
      ("https://go.example/m/@v/list?go-get=1", "https://go.example"),
      ("https://Go.Example:443/m", "https://Go.Example:443"), ("https://go.example", "https://go.example"),
      ("HTTPS://go.example?a", "https://go.example"), ("https://go.example#https://b.example", "https://go.example"),
    ]
  )
  func origin(_ address: String, _ place: String) throws {
    let command = try command(address)
    #expect(command.task == .get(HelperTarget(try HTTPURL(address))))
    #expect(
      output(of: try command.answer(credential(for: address))) == "\(place)\n\nAuthorization: Bearer t0k\n\n"
    )
  }

  @Test("Lines with a proof are for the URL that was fetched, without its fragment")
  func address() throws {
    let command = try command("https://go.example/m?go-get=1#f")
    #expect(
      output(of: try command.answer(credential(for: "https://go.example", .bound, boundFields)))
        == "https://go.example/m?go-get=1\n\nAuthorization: DPoP t0k\nDPoP: e.y.J\n\n"
    )
  }

  @Test("The go command sends nothing without TLS, so it gets nothing there")
  func plain() throws {
    #expect(try command("http://localhost:8080/m").task == .answered(HelperAnswer()))
  }

  @Test("The go command gets no field that it would send on to the server of a redirect")
  func forms() throws {
    let command = try command("https://go.example/m")
    let some: [CredentialForm] = [.scheme("Token"), .basic(user: "a"), .bare(field: "authorization"), .cookie, .bound]
    for form in some { #expect(command.accepts(form), "\(form)") }
    for form in [CredentialForm.bare(field: "X-API-Key"), .guest] {
      #expect(!command.accepts(form), "\(form)")
    }
  }

  @Test(
    "A URL that no credential may go to gets none",
    arguments: ["https://a@go.example/", "go.example", "https://go.example/a b", "https://"]
  )
  func refused(_ address: String) throws {
    let command = try command(address)
    guard case .unusable = command.task else {
      Issue.record("\(command.task)")
      return
    }
    #expect(command.none == HelperAnswer())
  }
}
