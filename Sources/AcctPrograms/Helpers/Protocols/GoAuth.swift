import AcctProtocol
package import AcctModel
import Secrets

/// The commands in the go command's `GOAUTH` (`go help goauth`, from Go 1.24 on).
///
/// Before its first fetch it runs the command without an argument, and once more with the URL after each answer of
/// 4xx. The first run gets nothing here: a credential is read, and renewed, for a server that asks for one. The
/// answer that the second run has on standard input is not read.
package struct GoAuth: HelperProtocol {
  package let task: HelperTask
  /// The URL as it was given: the go command compares it with later ones as text.
  private let address: String

  /// The go command asks after each answer of 4xx, as for a module that is elsewhere.
  package static let asksForAnyServer = true

  package init(_ question: HelperQuestion) throws(HelperFlaw) {
    guard question.operation.count <= 1 else { throw .arguments }
    guard let address = question.operation.first else {
      (address, task) = ("", .answered(HelperAnswer()))
      return
    }
    self.address = address
    do {
      let url = try HTTPURL(address)
      // The go command sends a credential over TLS alone.
      task = url.origin.scheme == .https ? .get(HelperTarget(url)) : .answered(HelperAnswer())
    } catch { task = .unusable(error) }
  }

  /// At a redirect to another server, the go command leaves out `Authorization` and cookies, and no other
  /// field: a token in a field of its own would arrive there, and so would a guest's device id.
  package func accepts(_ form: CredentialForm) -> Bool {
    switch form {
    case .scheme, .basic, .userIsToken, .cookie, .bound: true
    case .bare(let field): field.lowercased() == "authorization"
    case .guest, .query: false
    }
  }

  /// URL, empty line, header lines, empty line; the URL of the account's place, where it has one.
  ///
  /// The go command looks for the whole URL of a request, then for ever shorter ones down to the host.
  package func answer(_ credential: HelperCredential) throws(OutputFlaw) -> HelperAnswer {
    let isForPlace = credential.form != .bound
    let place = try OutputFormat.line.written(place(isForOrigin: isForPlace) + (isForPlace ? credential.path : ""))
    return HelperAnswer(Secret(joining: [Secret("\(place)\n\n"), try credential.fields.lines(), Secret("\n")]))
  }

  /// The address up to its path, for lines that are the same for every URL of the server, or up to its fragment.
  private func place(isForOrigin: Bool) -> String {
    let scheme = "https://"
    let rest = address.utf8.dropFirst(scheme.utf8.count)
    let end = rest.firstIndex { byte in
      byte == UInt8(ascii: "#") || isForOrigin && (byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?"))
    }
    return scheme + String(Substring(rest[..<(end ?? rest.endIndex)]))
  }

  package var none: HelperAnswer { HelperAnswer() }
}
