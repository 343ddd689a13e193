import AcctModel
package import AcctPorts
package import AcctProtocol

/// The servers that are known by name: the user's own descriptions have precedence over the shipped ones.
package struct Providers: Sendable {
  private let files: ProviderFiles

  package init(_ world: World) { files = world.providerFiles }

  /// A description, with its source.
  package struct Entry: Sendable {
    package var provider: Provider
    package var source: Source
  }

  package enum Source: Equatable, Sendable {
    /// Shipped with acct.
    case shipped
    /// The user's own file.
    case file(path: String)
  }

  /// The names of all descriptions, in alphabetical order.
  ///
  /// - Throws: ``ProviderError/unreadable(path:reason:)``.
  package func names() throws(EngineError) -> [String] {
    let own: [String]
    do { own = try files.names().filter(ProviderName.isName) } catch {
      throw .provider(ProviderError(error, path: files.path("*")))
    }
    return Set(own + ShippedProviders.names + ShippedProviders.keys).sorted()
  }

  /// All descriptions whose accounts have a key, or all others, in alphabetical order.
  ///
  /// - Parameters:
  ///   - areKeys: `true` for those of kind `key`.
  ///   - report: Gets the reason why a file can't be used: one damaged file does not hide the others.
  /// - Returns: The descriptions.
  /// - Throws: ``ProviderError/unreadable(path:reason:)`` if the files can't be listed.
  package func entries(keys areKeys: Bool, report: (EngineError) -> Void = { _ in }) throws(EngineError) -> [Entry] {
    // Of acct's own, only one kind is parsed.
    let others = areKeys ? ShippedProviders.names : ShippedProviders.keys
    var entries: [Entry] = []
    for name in try names() {
      do throws(EngineError) {
        guard let entry = try others.contains(name) ? own(name) : entry(name) else { continue }
        if (entry.provider.kind == .key) == areKeys { entries.append(entry) }
      } catch {
        report(error)
      }
    }
    return entries
  }

  /// The description with a name, or `nil` if there is none.
  ///
  /// - Throws: ``ProviderError/file(path:_:)``, ``ProviderError/unreadable(path:reason:)``.
  package func entry(_ name: String) throws(EngineError) -> Entry? {
    guard ProviderName.isName(name) else { return nil }
    if let own = try own(name) { return own }
    return try shipped(name)
  }

  /// The provider of keys for a server that has a sign-in, too: `github-token` of `github`.
  package func keyProvider(beside name: String) -> String? {
    ["token", "bot"].map { "\(name)-\($0)" }.first { ShippedProviders.keys.contains($0) }
  }

  private func own(_ name: String) throws(EngineError) -> Entry? {
    guard ProviderName.isName(name) else { return nil }
    let file: ProviderFiles.File?
    do { file = try files.read(name) } catch { throw .provider(ProviderError(error, path: files.path(name))) }
    guard let file else { return nil }
    do {
      return Entry(provider: try Provider(parsing: file.bytes, name: name), source: .file(path: file.path))
    } catch {
      throw .provider(.file(path: file.path, error))
    }
  }

  private func shipped(_ name: String) throws(EngineError) -> Entry? {
    guard let bytes = ShippedProviders.file(name) else { return nil }
    do {
      return Entry(provider: try Provider(parsing: bytes, name: name), source: .shipped)
    } catch {
      throw .provider(.file(path: "\(name).json", error))
    }
  }

  /// The description for a typed name.
  ///
  /// A name with a host refers to a description of servers with hosts: `github:HOST` is the file `github-host`. The
  /// user's files come first, whichever of the two they are.
  ///
  /// - Throws: ``ProviderError``.
  package func find(_ typed: ProviderName) throws(EngineError) -> Entry {
    var found: [Entry] = []
    for name in typed.files { if let entry = try own(name) { found.append(entry) } }
    for name in typed.files { if let entry = try shipped(name) { found.append(entry) } }
    let fitting = found.first { typed.place == nil || !$0.provider.placeholders.isEmpty }
    guard let entry = fitting ?? found.first else { throw .provider(.unknown(typed.name, known: try names())) }
    return entry
  }

  /// The description for a typed name, with all addresses filled in.
  package func resolve(_ typed: ProviderName) throws(EngineError) -> ResolvedProvider {
    let provider = try find(typed).provider
    do { return try provider.resolved(for: typed) } catch { throw .provider(.place(error, usage: provider.usage)) }
  }
}

extension ProviderError {
  /// A file that can't be read.
  fileprivate init(_ failure: FilesFailure, path: String) {
    self =
      switch failure {
      case .failed(let path, let reason), .unsafe(let path, let reason): .unreadable(path: path, reason: reason)
      case .busy, .newer: .unreadable(path: path, reason: nil)
      }
  }
}
