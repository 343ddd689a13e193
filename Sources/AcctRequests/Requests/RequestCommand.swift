package import AcctConsole
package import AcctEngine
import AcctModel
import AcctPorts
import Release
package import ArgumentParser

/// Makes a request as an account.
package struct RequestCommand: AcctCommand {
  package static var takesDocument: Bool { true }

  package static let configuration = CommandConfiguration(
    commandName: "request",
    abstract: "Make a request as an account.",
    discussion: """
      The answer's body is printed as it arrives; the exit status reflects its status. A nonce \
      that the server asks for is sent, and a token that it rejects is renewed, once each.

        acct request URL
        acct request POST URL -H 'Content-Type: application/json' -d @post.json

      Bodies may be of any size. One from standard input is announced before it is sent (Expect: \
      100-continue) if it is larger than 1 MiB: it can't be sent twice. Redirects are not followed \
      without --follow.
      """
  )

  @Argument(help: ArgumentHelp("The method, GET or with -d POST if left out, and the URL.", valueName: "method url"))
  package var request: [String] = []

  @Option(
    name: [.customShort("H"), .customLong("header")],
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("One more header line.", valueName: "line")
  )
  package var header: [String] = []

  @Option(
    name: [.short, .long],
    parsing: .unconditional,
    help: ArgumentHelp("The body: literal text, @FILE, or - for standard input.")
  )
  package var data: String?

  @Flag(name: [.short, .long], help: "Print the status line and the headers, too.")
  package var include = false

  @Flag(name: [.customShort("L"), .long], help: "Follow redirects of GET and HEAD within the account's own origins.")
  package var follow = false

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Write to a file, which is replaced only when the body is complete.", valueName: "file")
  )
  package var output: String?

  @Option(
    help: ArgumentHelp(
      "Retry at most this often after a rate limit, 5xx or a network failure.",
      discussion:
        "After a 5xx or a lost answer only requests that may be repeated: not POST or PATCH.",
      valueName: "times"
    )
  )
  package var retry = 0

  @OptionGroup package var audience: AudienceOptions

  @Option(
    help: ArgumentHelp("Use the account of this document alone, and keep nothing; - is stdin.", valueName: "file")
  )
  package var credentials: String?

  @OptionGroup package var options: SharedOptions

  package init() {}

  package func validate() throws {
    guard (1...2).contains(request.count) else { throw ValidationError("request takes a URL, and a method before it") }
    guard retry >= 0 else { throw ValidationError("--retry is a number, 0 or more") }
  }

  package func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let method = request.count == 2 ? request[0] : data == nil ? "GET" : "POST"
    let target = try Authorize.Target(method: method, url: request.last)
    guard let url = target.url else { throw .input(.malformed(.url)) }
    let account = try await context.choose(for: target.destination).account
    let fields: RequestFields
    do { fields = try RequestFields(header, for: account) } catch { throw .request(error) }
    let makeRequest = MakeRequest(context.engine)
    // Before the body is read; the request itself is permitted when it is made.
    do { try account.requireOwn(url.origin) } catch { throw .authorization(error) }
    var outgoing = MakeRequest.Request(method: method, url: url, fields: fields, retries: retry, follows: follow)
    outgoing.purpose = audience.purpose
    let reporter = RequestReporter(context, printsBody: (output ?? "-") == "-", follows: follow)
    let delivery = try ResponseDelivery(context.world, reporter, to: output ?? "-", withHead: include)
    let (data, streams) = (data, reporter.reportingProgress(context.world.streams))
    let request = outgoing
    return try await delivery.deliver { () async throws(EngineError) in
      let body = try await requestBody(data, streams)
      return try await makeRequest.perform(request, as: account, sending: body, report: reporter.report)
    }
  }
}

/// The body to send: `-` and `@FILE` name a source, any other text is sent itself.
private func requestBody(_ data: String?, _ streams: Streams) async throws(EngineError) -> RequestBody? {
  guard let data else { return nil }
  guard data == "-" || data.hasPrefix("@") else { return .bytes(Array(data.utf8)) }
  do {
    return try await .contents(of: data == "-" ? data : String(data.dropFirst()), in: streams)
  } catch {
    throw .input(.stream(error))
  }
}
