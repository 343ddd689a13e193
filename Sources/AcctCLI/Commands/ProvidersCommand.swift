import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import ArgumentParser
import StrictJSON

/// Shows the servers that are known by name, or the description of one.
struct ProvidersCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "providers",
    abstract: "Show the servers that `acct add` knows by name, or one of them.",
    discussion: "They come with acct, or are files of your own: see `man acct-provider`."
  )

  @Argument(help: "The provider; all of them by default.")
  var name: String?

  @Flag(help: "Show those whose accounts have an API key or a token.")
  var keys = false

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard name == nil || !keys else { throw ValidationError("--keys lists providers: leave out the name of one") }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let providers = Providers(context.world)
    guard let name else {
      try list(providers, context)
      return .done
    }
    guard let typed = ProviderName(name) else { throw .provider(.unknown(name, known: try providers.names())) }
    try show(try providers.find(typed), context)
    return .done
  }

  private func list(_ providers: Providers, _ context: Context) throws(EngineError) {
    let entries = try providers.entries(keys: keys) { error in context.notice(ErrorMessage(error).text) }
    if options.json {
      try context.output(envelope(["providers": .array(entries.map(\.json))]))
    } else if keys {
      let table = Table(
        columns: [
          Table.Column("PROVIDER"), Table.Column("SERVICE", floor: 8, rank: 2),
          Table.Column("ORIGIN", floor: 12, rank: 1),
          Table.Column("VARIABLE", floor: 8, rank: 0),
        ],
        rows: entries.map { entry in
          [
            Cell(entry.provider.usage, .strong), Cell(entry.provider.title ?? "-"),
            Cell(entry.provider.keyOrigin), Cell(entry.provider.key?.variables.first ?? "-", .faint),
          ]
        }
      )
      try context.output(table.lines(on: context.screen))
    } else {
      let table = Table(
        columns: [
          Table.Column("PROVIDER"), Table.Column("SERVER", floor: 10, rank: 1),
          Table.Column("SOURCE", floor: 8, rank: 0),
        ],
        rows: entries.map { entry in
          [Cell(entry.provider.usage, .strong), Cell(entry.provider.title ?? "-"), Cell(entry.source.words, .faint)]
        }
      )
      try context.output(table.lines(on: context.screen))
      context.notice("`acct providers --keys` lists those whose accounts have an API key")
    }
  }

  private func show(_ entry: Providers.Entry, _ context: Context) throws(EngineError) {
    if options.json {
      try context.output(envelope(["provider": entry.json]))
      return
    }
    let summary = [Field("provider", entry.provider.usage, .strong), Field("source", entry.source.words, .faint)]
    let members = fields(entry.provider.document, under: "")
    try context.output(lines(summary + members, on: context.screen))
  }
}

/// The members of a file as they stand in it.
private func fields(_ object: JSONObject, under path: String) -> [Field] {
  object.filter { $0.name != "comment" }.flatMap { member -> [Field] in
    let name = path.isEmpty ? member.name : "\(path).\(member.name)"
    return switch member.value {
    case .null: []
    case .object(let members): fields(members, under: name)
    case .string(let text): [Field(name, text)]
    case .array(let elements): [Field(name, elements.compactMap(\.stringValue).joined(separator: " "))]
    case .bool(let isTrue): [Field(name, isTrue ? "yes" : "no")]
    case .number: []
    }
  }
}

extension Provider {
  /// The first origin that its keys are sent to, with the host that is used where the user types none.
  fileprivate var keyOrigin: String {
    guard let origin = origins.first?.template else { return "-" }
    return defaults.host.map { origin.replacing("{host}", with: $0) } ?? origin
  }
}

extension Providers.Entry {
  /// The object of the contract: the form in which it is typed, its source, and the file itself.
  fileprivate var json: JSON {
    [
      "name": .string(provider.name),
      "usage": .string(provider.usage),
      "title": .init(provider.title),
      "source": .string(source == .shipped ? "acct" : "file"),
      "file": .init(source.path),
      "data": .object(provider.document),
    ]
  }
}

extension Providers.Source {
  fileprivate var path: String? { if case .file(let path) = self { path } else { nil } }
  fileprivate var words: String { path ?? "acct" }
}
