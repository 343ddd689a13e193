import AcctModel
package import AcctPorts

/// Why a connection failed to do its work.
struct Trouble: Error, Equatable {
  var failure: SharedStoreFailure
  /// The server's code, such as `42P01`; `nil` if the words are libpq's own.
  var state: String?
  /// `true` if the connection broke during the wait for an answer: the statement may have been carried out.
  var isLost = false

  init(_ failure: SharedStoreFailure, state: String? = nil, isLost: Bool = false) {
    self.failure = failure
    self.state = state
    self.isLost = isLost
  }

  /// An error that the server reports, by its code and its words.
  init(state: String, message: String) {
    self.init(SharedStoreFailure(state: state, message: message), state: state)
    // The server ends this connection, or itself: 57P01 to 57P05 but 57P03 and 57P04, which refuse a new one.
    isLost = state.hasPrefix("08") || ["57P01", "57P02", "57P05"].contains(state)
  }
}

extension SharedStoreFailure {
  /// Translates an error of the server's; `state` is an SQLSTATE of its manual's appendix A.
  package init(state: String, message: String) {
    let reason = shortened(message)
    self =
      switch state {
      // No such table, or one without the columns.
      case "42P01", "42703": .notPrepared(reason: reason)
      // No right to a table, a wrong password, a role that may not log in or is not in pg_hba.conf.
      case "42501", "28P01", "28000": .denied(reason: reason)
      case "53100": .noSpace
      // A standby.
      case "25006": .noQuorum
      // A statement, or its wait for a lock, took longer than allowed.
      case "57014", "55P03": .timedOut
      // Too many connections; it is starting, or going down.
      case "53300", "57P01", "57P02", "57P03", "57P05": .unavailable(reason: reason)
      case _ where state.hasPrefix("08"): .unavailable(reason: reason)
      default: .failed(reason: "\(reason) (\(state))")
      }
  }

  /// Translates libpq's words about a connection that it could not make.
  ///
  /// They are in its verbose form: with the server's code, if it was the server that refused.
  package init(connecting message: String) {
    if let (state, words) = serverError(in: message) {
      self.init(state: state, message: words)
      return
    }
    let lines = message.split(separator: "\n")
    // One for each address of a host; the last one counts.
    let line = lines.last { $0.hasPrefix("connection to server") } ?? lines.first ?? ""
    let reason = shortened(String(line))
    let has = { (parts: [String]) in parts.contains { message.contains($0) } }
    self =
      if has(["session is read-only", "server is in hot standby mode"]) {
        .noQuorum
      } else if has(["private key file"]) {
        .denied(
          reason: has(["bad decrypt", "bad password"])
            ? "\(reason); a key that has a passphrase can't be used" : reason
        )
      } else if has(["no password supplied", " alert "]) {
        .denied(reason: reason)
      } else if has(["SSL SYSCALL error", "closed"]) {
        .unavailable(reason: reason)
      } else if has(["certificate", "SSL", "server signature", "host name must be specified"]) {
        .untrusted(reason: reason)
      } else if has(["channel binding"]) {
        .untrusted(reason: reason)
      } else {
        .unavailable(reason: reason)
      }
  }
}

/// The server's code and words in a message of libpq's, as in `FATAL:  28P01: no such role`.
private func serverError(in message: String) -> (state: String, words: String)? {
  for line in message.split(separator: "\n").reversed() {
    // Only the form counts: the severity before it is in the server's language.
    let parts = Array(line.utf8)
    for index in parts.indices.dropLast(9)
    where parts[index...].starts(with: ":  ".utf8) && parts[(index + 8)...].starts(with: ": ".utf8) {
      let code = parts[(index + 3)..<(index + 8)]
      guard code.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) }) else { continue }
      return (String(decoding: code, as: UTF8.self), String(decoding: parts[(index + 10)...], as: UTF8.self))
    }
  }
  return nil
}

/// The first line of a server's or libpq's message, as it can be shown.
func shortened(_ message: String) -> String {
  let line = message.split(whereSeparator: \.isNewline).first ?? "it does not say why"
  return printable(String(line.prefix(200))) + (line.count > 200 ? "…" : "")
}
