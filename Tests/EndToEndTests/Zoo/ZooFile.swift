import AcctTestSupport
import Foundation
import StrictJSON

/// A server of the zoo, as its file describes it (`Tests/Zoo/README.md`).
struct ZooFile: Sendable {
  /// What the server is called.
  let server: String
  /// Its description as a provider, if acct is to know it by name.
  let provider: ZooProvider?
  let play: [ZooStep]

  /// The paths of all files below `Tests/Zoo`, without `.json`, in order.
  static let names = (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
    .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(".json".count)) }.sorted()

  /// `true` for a file of a server that is there for something else than signing people in.
  static func isService(_ name: String) -> Bool {
    ["apps", "clouds", "mcp", "self-hosted"].contains { name.hasPrefix("\($0)/") }
  }

  private static let folder = Product.source("Tests/Zoo")

  static func path(of name: String) -> String { "\(folder)/\(name).json" }

  /// - Throws: ``HarnessFailure``, `JSONError`.
  init(_ name: String) throws {
    try self.init(JSON(parsing: Array(try Data(contentsOf: URL(filePath: Self.path(of: name))))))
  }

  /// - Throws: ``HarnessFailure`` for a member that is not known, or is missing.
  init(_ json: JSON) throws {
    var members = try ZooMembers(json)
    server = try members.text("server")
    let known = try members.texts("known")
    provider = try members.take("provider").map(ZooProvider.init)
    play = try members.list("play").map(ZooStep.init)
    // The server reads the rest, and starts with none that it does not know.
    for name in ["issuer", "settings", "tokens", "at", "documents", "answers"] { _ = members.take(name) }
    try members.expectNone()
    guard !known.isEmpty, play.contains(where: \.expectsSomething) else {
      throw HarnessFailure("\(server): it says nothing of where it is known from, or of what is expected")
    }
  }
}

/// How acct knows a server of the zoo by name.
struct ZooProvider: Sendable {
  let name: String
  /// The file's text, in which `${…}` stands for a running server's addresses.
  let description: String

  init(_ json: JSON) throws {
    var members = try ZooMembers(json)
    if let described = members.take("described") {
      name = try members.text("name")
      description = String(decoding: described.serialized(), as: UTF8.self)
    } else {
      // The description that acct comes with, but for its hosts.
      name = try members.text("shipped")
      let shipped = Product.source("Sources/AcctProtocol/Providers/Shipped/\(name).json")
      var text = try String(contentsOfFile: shipped, encoding: .utf8)
      for (host, place) in members.take("hosts")?.objectValue ?? [:] {
        text = text.replacingOccurrences(of: host, with: place.stringValue ?? "")
      }
      description = text
    }
    try members.expectNone()
  }
}

/// The members of an object, each to be taken once.
struct ZooMembers {
  private var members: [String: JSON]

  init(_ json: JSON) throws {
    guard let object = json.objectValue else { throw HarnessFailure("not an object: \(json)") }
    members = object.reduce(into: [:]) { $0[$1.name] = $1.value }
  }

  mutating func take(_ name: String) -> JSON? { members.removeValue(forKey: name) }

  mutating func text(_ name: String) throws -> String {
    guard let text = take(name)?.stringValue, !text.isEmpty else { throw HarnessFailure("\(name) is no text") }
    return text
  }

  /// An array; none if it is left out.
  mutating func list(_ name: String) throws -> [JSON] {
    guard let value = take(name) else { return [] }
    guard let list = value.arrayValue else { throw HarnessFailure("\(name) is no array") }
    return list
  }

  mutating func texts(_ name: String) throws -> [String] {
    try list(name).map { each in
      guard let text = each.stringValue, !text.isEmpty else { throw HarnessFailure("a member of \(name) is no text") }
      return text
    }
  }

  /// An integer; `otherwise` if it is left out.
  mutating func integer(_ name: String, otherwise: Int64) throws -> Int64 {
    guard let value = take(name) else { return otherwise }
    guard let integer = value.numberValue?.integer else { throw HarnessFailure("\(name) is no integer") }
    return integer
  }

  /// - Throws: ``HarnessFailure`` if one is left.
  func expectNone() throws {
    guard members.isEmpty else { throw HarnessFailure("unknown members: \(members.keys.sorted())") }
  }
}
