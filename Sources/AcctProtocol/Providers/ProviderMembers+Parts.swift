import AcctModel
import StrictJSON
import Text

/// The members of a provider's file that are more than a text.
extension ProviderMembers {
  /// A page whose fields its address fills in; `{redirect}` in it is the address to come back to.
  func page(_ name: String) throws(ProviderFlaw) -> ProviderAddress? {
    guard let text = try string(name) else { return nil }
    do { return try ProviderAddress(text.replacing("{redirect}", with: ProviderAddress.redirectMark)) } catch {
      throw ProviderFlaw(path(of: name), error)
    }
  }

  func address(
    _ name: String,
    allowing allowed: Set<ProviderAddress.Placeholder> = [.host, .tenant, .realm]
  ) throws(ProviderFlaw) -> ProviderAddress? {
    guard let text = try string(name) else { return nil }
    let address: ProviderAddress
    do { address = try ProviderAddress(text, allowing: allowed) } catch { throw ProviderFlaw(path(of: name), error) }
    // A query could name another client, another redirect address, or a code challenge.
    guard name == "registerAt" || !text.contains("?") else { throw ProviderFlaw(path(of: name), .malformed) }
    return address
  }

  func endpoints() throws(ProviderFlaw) -> [EndpointName: ProviderAddress] {
    let known = EndpointName.allCases.map(\.rawValue)
    guard let members = try members("endpoints", known: known) else { return [:] }
    var endpoints: [EndpointName: ProviderAddress] = [:]
    for name in EndpointName.allCases { endpoints[name] = try members.address(name.rawValue) }
    return endpoints
  }

  /// Origins: addresses without a path.
  func origins() throws(ProviderFlaw) -> [ProviderAddress] {
    var origins: [ProviderAddress] = []
    for text in try list("origins") ?? [] {
      let origin: ProviderAddress
      do { origin = try ProviderAddress(text, allowing: [.host]) } catch {
        throw ProviderFlaw(path(of: "origins"), error)
      }
      let sample = filling(text) { $0 == .host ? "host.invalid" : nil }
      guard (try? Origin(sample)) != nil else { throw ProviderFlaw(path(of: "origins"), .malformed) }
      origins.append(origin)
    }
    return origins
  }

  /// A text of visible ASCII characters.
  func visible(_ name: String) throws(ProviderFlaw) -> String? {
    let text = try string(name)
    guard text?.utf8.allSatisfy(\.isVisibleASCII) ?? true else {
      throw ProviderFlaw(path(of: name), .malformed)
    }
    return text
  }

  func scope() throws(ProviderFlaw) -> String? {
    let text = try string("scope")
    guard text?.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) ?? true else {
      throw ProviderFlaw(path(of: "scope"), .malformed)
    }
    return text
  }

  func separator() throws(ProviderFlaw) -> String {
    guard let text = try string("scopeSeparator") else { return " " }
    guard [" ", ","].contains(text) else { throw ProviderFlaw(path(of: "scopeSeparator"), .notOneOf([" ", ","])) }
    return text
  }

  func parameters(
    _ name: String,
    in place: RequestParameter.Place = .authorization
  ) throws(ProviderFlaw) -> [RequestParameter] {
    guard let members = try members(name, known: nil) else { return [] }
    var parameters: [RequestParameter] = []
    for name in members.names {
      let path = members.path(of: name)
      guard let value = try members.string(name) else { throw ProviderFlaw(path, .missing) }
      parameters.append(try parameter(name, value, at: path, in: place))
    }
    return parameters
  }

  func parameter(
    _ name: String,
    _ value: String,
    at path: String,
    in place: RequestParameter.Place = .authorization
  ) throws(ProviderFlaw) -> RequestParameter {
    do { return try RequestParameter(name: name, value: value, in: place) } catch .ownParameter {
      throw ProviderFlaw(path, .ownParameter)
    } catch {
      throw ProviderFlaw(path, .malformed)
    }
  }

  func defaults() throws(ProviderFlaw) -> ProviderPlace {
    var place = ProviderPlace()
    if let host = try string("host") {
      do { place.host = try ProviderPlace.host(host) } catch { throw ProviderFlaw(path(of: "host"), .malformed) }
    }
    if let tenant = try string("tenant") {
      do { place.tenant = try ProviderPlace.name(tenant) } catch { throw ProviderFlaw(path(of: "tenant"), .malformed) }
    }
    return place
  }
}
