import AcctPorts
import PostgresStore
import Testing

@Suite("Failures of PostgreSQL")
struct FailureTests {
  @Test(
    "A server's code decides what its error means",
    arguments: [
      ("42P01", SharedStoreFailure.notPrepared(reason: "words")),
      ("42703", .notPrepared(reason: "words")),
      ("42501", .denied(reason: "words")),
      ("28P01", .denied(reason: "words")),
      ("28000", .denied(reason: "words")),
      ("53100", .noSpace),
      ("25006", .noQuorum),
      ("57014", .timedOut),
      ("55P03", .timedOut),
      ("53300", .unavailable(reason: "words")),
      ("57P01", .unavailable(reason: "words")),
      ("57P02", .unavailable(reason: "words")),
      ("57P03", .unavailable(reason: "words")),
      ("08006", .unavailable(reason: "words")),
      ("XX000", .failed(reason: "words (XX000)")),
    ]
  )
  func codes(state: String, expected: SharedStoreFailure) {
    #expect(SharedStoreFailure(state: state, message: "words") == expected)
  }

  @Test(
    "Words of libpq about a connection are understood",
    arguments: [
      ("FATAL:  28P01: no\nLOCATION:  auth_failed, auth.c:335\n", SharedStoreFailure.denied(reason: "no")),
      ("FATALER FEHLER:  57P03: fährt hoch\n", .unavailable(reason: "fährt hoch")),
      ("session is read-only\n", .noQuorum),
      ("fe_sendauth: no password supplied\n", .denied(reason: "fe_sendauth: no password supplied")),
      ("SSL error: certificate verify failed\n", .untrusted(reason: "SSL error: certificate verify failed")),
      (
        "SSL error: tlsv13 alert certificate required\n",
        .denied(reason: "SSL error: tlsv13 alert certificate required")
      ),
      (
        "SSL SYSCALL error: Connection reset by peer\n",
        .unavailable(reason: "SSL SYSCALL error: Connection reset by peer")
      ),
      (
        "SSL connection has been closed unexpectedly\n",
        .unavailable(reason: "SSL connection has been closed unexpectedly")
      ),
      (
        "server does not support SSL, but SSL was required\n",
        .untrusted(reason: "server does not support SSL, but SSL was required")
      ),
      ("Connection refused\n\tIs the server running?\n", .unavailable(reason: "Connection refused")),
      ("", .unavailable(reason: "it does not say why")),
    ]
  )
  func words(message: String, expected: SharedStoreFailure) {
    #expect(SharedStoreFailure(connecting: message) == expected)
  }

  @Test("A server's words are cut, and control characters in them written out")
  func shown() {
    let long = String(repeating: "a", count: 300)
    #expect(
      SharedStoreFailure(state: "42501", message: "\u{1B}[2J\(long)\nmore")
        == .denied(reason: "\\u{1b}[2J" + String(repeating: "a", count: 196) + "…")
    )
  }
}
