import AcctPorts

/// The page for the browser: fixed words, and nothing of the request.
struct CallbackAnswer {
  private let status: String
  private let title: String
  private let words: String
  private var fields: [String] = []

  /// The answer to a callback.
  init(_ page: CallbackPage) {
    switch page {
    case .done:
      // The code is yet to be exchanged, and that may fail.
      self.init("200 OK", "Back to the terminal", "acct continues there. You can close this page.")
    case .failed:
      self.init("200 OK", "Not signed in", "The terminal says why. You can close this page.")
    case .unexpected:
      self.init(
        "400 Bad Request",
        "Not this one",
        "This is not the answer that acct is waiting for. Go back to the page where you sign in."
      )
    case .refused:
      self.init(
        "403 Forbidden",
        "Refused",
        "Only the browser of the user who signs in can bring the answer."
      )
    }
  }

  private init(_ status: String, _ title: String, _ words: String) {
    self.status = status
    self.title = title
    self.words = words
  }

  static let wrongHost = CallbackAnswer(
    "403 Forbidden",
    "Forbidden",
    "This address is not served here."
  )
  static let notFound = CallbackAnswer("404 Not Found", "Not found", "There is no such page.")
  static var wrongMethod: CallbackAnswer {
    var answer = CallbackAnswer("405 Method Not Allowed", "Not allowed", "Only GET is allowed.")
    answer.fields = ["Allow: GET"]
    return answer
  }

  /// The whole response (RFC 9112, section 2.1).
  ///
  /// The address of the page holds a code: it is not cached, not sent on as a referrer, and the
  /// page brings in nothing that could read it.
  var message: String {
    let page = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>\(title)</title>
      <h1>\(title)</h1>
      <p>\(words)</p>

      """
    let head =
      [
        "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8",
        "Content-Length: \(page.utf8.count)", "Connection: close", "Cache-Control: no-store",
        "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
        "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
      ] + fields
    return head.map { $0 + "\r\n" }.joined() + "\r\n" + page
  }
}
