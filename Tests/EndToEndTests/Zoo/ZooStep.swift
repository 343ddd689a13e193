import AcctTestSupport
import StrictJSON

/// A step of a play: a command of acct's, something that happens to the server, or what it has been asked so far.
enum ZooStep: Sendable {
  case acct(ZooCommand)
  case control(String, JSON?)
  case asked([String: Int64])

  init(_ json: JSON) throws {
    var members = try ZooMembers(json)
    if let command = members.take("control")?.stringValue {
      self = .control(command, members.take("body"))
    } else if let asked = members.take("asked")?.objectValue {
      self = .asked(asked.reduce(into: [:]) { $0[$1.name] = $1.value.numberValue?.integer ?? -1 })
    } else {
      self = .acct(try ZooCommand(&members))
    }
    try members.expectNone()
  }

  /// `true` if it looks at more than a command's success.
  var expectsSomething: Bool {
    switch self {
    case .acct(let command): command.expectsSomething
    case .asked(let counts): !counts.isEmpty
    case .control: false
    }
  }
}

/// A command of acct's, and what must come out of it.
struct ZooCommand: Sendable {
  let arguments: [String]
  /// What the user does in the browser.
  let browser: String
  /// How many seconds the machine's clock is ahead.
  let later: Int64
  let exit: Int64
  /// What standard error has in it, and has not; and standard output.
  let says: [String]
  let unsaid: [String]
  let prints: [String]
  /// Members of the JSON on standard output, which may have others.
  let json: JSON?

  var expectsSomething: Bool { exit != 0 || json != nil || !(says + unsaid + prints).isEmpty }

  fileprivate init(_ members: inout ZooMembers) throws {
    arguments =
      switch members.take("acct") {
      case .string(let line)?: line.split(separator: " ").map(String.init)
      case .array(let words)?: words.compactMap(\.stringValue)
      default: throw HarnessFailure("a step is none of acct, control and asked")
      }
    browser = members.take("browser")?.stringValue ?? "approve"
    later = try members.integer("later", otherwise: 0)
    exit = try members.integer("exit", otherwise: 0)
    says = try members.texts("says")
    unsaid = try members.texts("unsaid")
    prints = try members.texts("prints")
    json = members.take("json")
  }
}

extension JSON {
  /// Where this has not what `expected` has: members of objects, or another value; empty if it has all.
  ///
  /// A member that is expected to be `null` may be left out.
  func differences(from expected: JSON, at path: String = "") -> [String] {
    switch (expected, self) {
    case (.object(let wanted), .object(let found)):
      wanted.flatMap { (found[$0.name] ?? .null).differences(from: $0.value, at: "\(path).\($0.name)") }
    case (.array(let wanted), .array(let found)) where wanted.count == found.count:
      zip(wanted, found).enumerated().flatMap { $1.1.differences(from: $1.0, at: "\(path)[\($0)]") }
    default: self == expected ? [] : ["\(path): \(text), not \(expected.text)"]
    }
  }

  private var text: String { String(decoding: serialized(), as: UTF8.self) }
}
