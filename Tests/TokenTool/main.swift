import AcctModel
import Secrets
import AcctPorts
import KeyDevices
import Glibc
import PKCS11
import PrivateFiles
import Synchronization

// Tests only: one operation on a token, in a process with an environment of its own.
//
// usage: TokenTool take|sign|remove|list URI [NAME=VALUE ...]
//
// `locks` is a folder for the locks, `pin` the PIN, `modules` a folder with files of p11-kit's, `digest` what is signed
// in hexadecimal digits, `times` how often. `touch-after` and `limit` are in milliseconds, and `touched` is a file
// that is made when a touch is asked for. Each answer is a line; the status is 1 if it is a failure.

func say(_ line: String) { _ = try? writeAll(Array("\(line)\n".utf8).span, to: 1) }

func hex(_ bytes: [UInt8]) -> String {
  bytes.map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined()
}

func bytes(hex: String) -> [UInt8] {
  var rest = hex[...]
  var bytes: [UInt8] = []
  while rest.count >= 2 {
    bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
    rest = rest.dropFirst(2)
  }
  return bytes
}

let words = Array(CommandLine.arguments.dropFirst())
var options: [String: String] = [:]
for word in words.dropFirst(2) {
  let parts = word.split(separator: "=", maxSplits: 1)
  if parts.count == 2 { options[String(parts[0])] = String(parts[1]) }
}
let given = options

func milliseconds(_ name: String, else fallback: Duration) -> Duration {
  given[name].flatMap { Int($0) }.map { .milliseconds($0) } ?? fallback
}

let tokens = Tokens(
  locks: PrivateFolder(at: given["locks"] ?? "/tmp/acct-locks"),
  configuration: ModuleConfiguration(
    folders: given["modules"].map { [$0] } ?? [],
    libraries: given["libraries"].map { [$0] } ?? []
  ),
  entropy: Entropy { count in (0..<count).map { _ in .random(in: 0...255) } },
  patience: Tokens.OutageBudget(
    touch: milliseconds("touch-after", else: .seconds(1)),
    limit: milliseconds("limit", else: .seconds(120))
  )
)

let asked = Mutex(0)
let holder = KeyHolder(
  pin: { request throws(HardwareKeyFailure) in
    asked.withLock { $0 += 1 }
    say("asked for the PIN of \(request.device), file \(request.file ?? "none")")
    guard let pin = given["pin"] else { throw .noPIN(reason: "nobody can be asked") }
    return Secret(pin)
  },
  touch: {
    say("asked for a touch")
    if let file = given["touched"] { close(unsafe creat(file, 0o600)) }
  }
)

func line(_ key: PKCS11Key) -> String {
  "\(key.isNew ? "new" : "found") \(hex(key.point.x)) \(hex(key.point.y)) \(key.uri.description)"
    + (key.mayHaveCopies ? " copied" : "")
}

func run() async -> Int32 {
  do {
    let uri = try PKCS11URI(words.count > 1 ? words[1] : "")
    switch words.first {
    case "take": say(line(try await tokens.keys.take(uri, holder)))
    case "sign":
      let digest = bytes(hex: given["digest"] ?? String(repeating: "ab", count: 32))
      for _ in 0..<(given["times"].flatMap { Int($0) } ?? 1) {
        say("signed \(hex(try await tokens.keys.sign(uri, digest, holder)))")
      }
    case "remove":
      try await tokens.keys.remove(uri, holder)
      say("removed")
    case "list":
      for slot in await tokens.keys.list(uri) {
        say("slot \(slot.module) \(slot.token ?? "none") \(slot.failure.map { "\($0)" } ?? "ok")")
        for key in slot.keys { say(line(key)) }
      }
    default: return 64
    }
    return 0
  } catch {
    say("failure \(error)")
    return 1
  }
}

let status = await run()
tokens.end()
_exit(status)
