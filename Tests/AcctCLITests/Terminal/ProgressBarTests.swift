import Secrets
import AcctPorts
import AcctTestSupport
import Testing

/// How far a large body is, as a terminal shows it.
@Suite("The progress bar of acct request")
struct ProgressBarTests {
  let record = RecordedWorld()
  private let url = "https://issuer.example/file"
  private static let mebibyte = 1 << 20

  /// An account, and a server that answers with so many MiB and this announced length.
  private func account(answering count: Int, _ length: String?) async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    let fields = length.map { [("Content-Length", $0)] } ?? []
    let body = Secret(Array(repeating: 0x20, count: count * Self.mebibyte))
    record.serve { _ in HTTPResponse(status: 200, fields: fields, body: body) }
  }

  private func request(_ arguments: String...) async -> Int32 { await record.run(["request", url] + arguments) }

  @Test("A progress bar begins with the first part, changes its own line only and is removed")
  func received() async {
    record.showOnTerminal()
    await account(answering: 8, "\(8 * Self.mebibyte)")
    #expect(await request() == 0)
    #expect(record.out.utf8.count == 8 * Self.mebibyte)
    #expect(record.passing.count == 9)
    #expect(record.passing.first == "received  12 % of 8.0 MiB [###---------------------]")
    #expect(record.passing[3] == "received  50 % of 8.0 MiB [############------------]")
    #expect(record.passing[7] == "received 100 % of 8.0 MiB [########################]")
    #expect(record.passing.last == "")
    #expect(record.err.isEmpty)
  }

  @Test("A progress line without a known length shows the amount so far", arguments: [nil, "0", "-1", "much"])
  func unknown(length: String?) async {
    record.showOnTerminal()
    await account(answering: 8, length)
    #expect(await request() == 0)
    #expect(
      record.passing == ["received 4.0 MiB", "received 8.0 MiB", ""]
    )
  }

  @Test("A progress bar stays at 100 % if more arrives than was promised")
  func tooMuch() async {
    record.showOnTerminal()
    await account(answering: 6, "\(5 * Self.mebibyte)")
    #expect(await request() == 0)
    #expect(
      record.passing.suffix(2) == ["received 100 % of 5.0 MiB [########################]", ""]
    )
  }

  @Test("A progress bar shows what is sent, and is removed when the answer comes")
  func sent() async {
    record.showOnTerminal()
    await account(answering: 0, nil)
    record.provide("big", bytes: Array(repeating: 0x20, count: 4 * Self.mebibyte))
    #expect(await request("-d", "@big") == 0)
    #expect(record.passing.count == 5)
    #expect(record.passing.first == "sent  25 % of 4.0 MiB [######------------------]")
    #expect(record.passing.last == "")
  }

  @Test("A progress bar is not shown for a body that is complete at once")
  func small() async {
    record.showOnTerminal()
    await account(answering: 3, "\(3 * Self.mebibyte)")
    #expect(await request() == 0)
    #expect(record.passing.isEmpty)
  }

  @Test("A progress bar is not shown with --quiet or --json", arguments: [["--quiet"], ["--json"]])
  func unwanted(options: [String]) async {
    record.showOnTerminal()
    await account(answering: 5, nil)
    #expect(await record.run(["request", url] + options) == 0)
    #expect(record.passing.isEmpty)
  }

  @Test("A progress bar is shown beside a body for a file, and not beside one for the terminal")
  func mixed() async {
    record.showOnTerminal()
    record.connectTerminal()
    await account(answering: 5, nil)
    #expect(await request() == 0)
    #expect(record.passing.isEmpty)
    #expect(await request("-o", "file") == 0)
    #expect(record.passing == ["received 4.0 MiB", ""])
  }

  @Test("A progress bar is not shown on a dumb terminal or without a terminal", arguments: [true, false])
  func nowhere(isDumb: Bool) async {
    if isDumb { record.showOnTerminal() }
    record.set("TERM", to: "dumb")
    await account(answering: 5, nil)
    #expect(await request() == 0)
    #expect(record.passing.isEmpty)
    #expect(record.err.isEmpty)
  }
}
