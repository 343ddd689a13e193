package import AcctModel
package import AcctPorts

/// Which proxy, if any, the environment has for a server over TLS; the rules are curl's.
///
/// Lower-case names come before upper-case ones, `HTTPS_PROXY` before `ALL_PROXY`.
package struct ProxySettings {
  private let proxy: (variable: String, url: String)?
  private let exceptions: ProxyExceptions

  /// - Parameter environment: Looks a variable up; an empty one counts as not set.
  package init(environment: (_ name: String) -> String?) {
    func first(_ names: String...) -> (variable: String, value: String)? {
      for name in names {
        if let value = environment(name), !value.isEmpty { return (name, value) }
      }
      return nil
    }
    proxy = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY").map { ($0.variable, $0.value) }
    exceptions = ProxyExceptions(first("no_proxy", "NO_PROXY")?.value ?? "")
  }

  /// Returns the proxy for an origin, or `nil` if the way there is direct.
  ///
  /// Loopback is always direct: this machine's loopback is not the proxy's.
  ///
  /// - Throws: ``HTTPFailure/proxy(reason:)`` if there is one and it can't be used.
  package func proxy(for origin: Origin) throws(HTTPFailure) -> Proxy? {
    guard let proxy, !origin.isLoopback, !exceptions.contain(origin) else { return nil }
    let library = try CurlLibrary.loaded()
    do { return try Proxy(proxy.url, library) } catch {
      throw .proxy(reason: "\(proxy.variable) can't be used: \(error.reason)")
    }
  }
}
