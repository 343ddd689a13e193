import AcctPorts

/// The page for the browser: fixed words, and nothing of the request.
struct CallbackAnswer {
  private let status: String
  private let sign: Sign
  private let title: String
  /// A line each.
  private let words: [String]
  private var fields: [String] = []
  /// The one script that a page may have.
  private var script: String?

  /// The picture above the words, and the color of both.
  private enum Sign: String {
    case good
    case bad
    case odd

    /// The path that is drawn into a circle of the radius 32.
    var path: String {
      switch self {
      case .good: "M21 33l8 8 15-17"
      case .bad: "M23 23l18 18M41 23L23 41"
      case .odd: "M32 19v16M32 44v.5"
      }
    }
  }

  /// The answer to a callback.
  init(_ page: CallbackPage) {
    switch page {
    case .done:
      // The code is yet to be exchanged, and that may fail.
      self.init(
        "200 OK",
        .good,
        "Done in the browser",
        ["acct finishes signing in at the terminal.", "You can close this window."]
      )
    case .failed: self.init("200 OK", .bad, "Not signed in", ["The terminal says why.", "You can close this window."])
    case .unexpected:
      self.init(
        "400 Bad Request",
        .odd,
        "Not the expected answer",
        ["acct is waiting for another one.", "Go back to the page where you sign in."]
      )
    case .withoutAnswer:
      self.init(
        "400 Bad Request",
        .odd,
        "No answer in this address",
        ["acct is waiting for the answer of the server.", "Go back to the page where you sign in."]
      )
      script = CallbackStyle.script
    case .refused:
      self.init("403 Forbidden", .bad, "Refused", ["Only the browser of the user who signs in can bring the answer."])
    }
  }

  private init(_ status: String, _ sign: Sign, _ title: String, _ words: [String]) {
    self.status = status
    self.sign = sign
    self.title = title
    self.words = words
  }

  static let wrongHost = CallbackAnswer("403 Forbidden", .bad, "Forbidden", ["This address is not served here."])
  static let notFound = CallbackAnswer("404 Not Found", .odd, "Not found", ["There is no such page."])
  static var wrongMethod: CallbackAnswer {
    var answer = CallbackAnswer("405 Method Not Allowed", .odd, "Not allowed", ["Only GET is allowed."])
    answer.fields = ["Allow: GET"]
    return answer
  }

  /// The whole response (RFC 9112, section 2.1).
  ///
  /// The address of the page holds a code: it is not cached, not sent on as a referrer, and the
  /// page brings in nothing that could read it. The policy allows its style and its script, and nothing else.
  var message: String {
    let policy =
      ["default-src 'none'", "style-src 'sha256-\(CallbackStyle.hash)'"]
      + (script == nil ? [] : ["script-src 'sha256-\(CallbackStyle.scriptHash)'"])
      + ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
    let page = self.page
    let head =
      [
        "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8", "Content-Length: \(page.utf8.count)",
        "Connection: close", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
        "X-Content-Type-Options: nosniff", "Content-Security-Policy: \(policy.joined(separator: "; "))",
      ] + fields
    return head.map { $0 + "\r\n" }.joined() + "\r\n" + page
  }

  private var page: String {
    """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(title) · acct</title>
    <style>\(CallbackStyle.sheet)</style>
    <main class="\(sign.rawValue)">
    <svg viewBox="0 0 64 64" aria-hidden="true">
    <circle cx="32" cy="32" r="32"/><path d="\(sign.path)"/>
    </svg>
    <h1>\(title)</h1>
    \(words.map { "<p>\($0)</p>" }.joined(separator: "\n"))
    <footer>acct</footer>
    </main>
    \(script.map { "<script>\($0)</script>\n" } ?? "")
    """
  }
}

/// The style of the pages for the browser: one sheet, which their Content-Security-Policy allows by its hash.
enum CallbackStyle {
  /// The text between `<style>` and `</style>`, to the byte.
  static let sheet = """
    :root {
      color-scheme: light dark;
      --back: #f4f5f7; --card: #fff; --line: #e3e5e9; --text: #16181d; --quiet: #5b616e;
      --good: #1a7f45; --bad: #c4302b; --odd: #9a6200;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --back: #111317; --card: #1a1d23; --line: #2c3038; --text: #eceef2; --quiet: #a3a9b6;
        --good: #4cc38a; --bad: #ff7b72; --odd: #e3b341;
      }
    }
    * { box-sizing: border-box; margin: 0; }
    body {
      min-height: 100vh; min-height: 100svh; display: grid; place-items: center; padding: 1.5rem;
      background: var(--back); color: var(--text);
      font: 1rem/1.5 system-ui, sans-serif; text-align: center; text-wrap: balance;
    }
    main {
      width: 100%; max-width: 25rem; padding: 2.75rem 2rem 1.5rem;
      background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
      box-shadow: 0 1px 2px rgb(0 0 0 / .05), 0 12px 32px rgb(0 0 0 / .07);
    }
    svg {
      display: block; width: 4rem; height: 4rem; margin: 0 auto 1.25rem; fill: none;
      stroke: currentColor; stroke-width: 4; stroke-linecap: round; stroke-linejoin: round;
    }
    circle { fill: currentColor; fill-opacity: .12; stroke: none; }
    .good svg { color: var(--good); }
    .bad svg { color: var(--bad); }
    .odd svg { color: var(--odd); }
    h1 { margin-bottom: .5rem; font-size: 1.375rem; font-weight: 650; line-height: 1.3; }
    p { color: var(--quiet); }
    footer {
      margin-top: 2.25rem; padding-top: 1.25rem; border-top: 1px solid var(--line);
      color: var(--quiet); font: .8125rem/1.2 ui-monospace, monospace;
    }
    """

  /// The SHA-256 of ``sheet`` in Base64, as the policy names it (Content Security Policy 3, section 6.7.3.3).
  ///
  /// Written down, because this room contains no hash function; a test computes it.
  static let hash = "SRGfqSKy1qcD2kxxJu8MjaaURqyiUc1NDZn8at8UsyU="

  /// The text between `<script>` and `</script>` of the page that has no answer: it calls the page's own address with the
  /// fragment as the query, in the place of the address with the fragment.
  static let script =
    #"if(location.hash.length>1)location.replace(location.pathname+"?"+location.hash.slice(1))"#

  /// The SHA-256 of ``script``, as that of ``sheet``.
  static let scriptHash = "CFolnihRLb7tFItbj91TkEGmsPjm8Ykjh5f5+ooBkK4="
}
