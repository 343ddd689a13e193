import NIOHTTP1

extension HTTPHeaders {
  /// Whether a browser says that a page has loaded this, and that no user navigated there.
  ///
  /// Browsers name the purpose of every request to loopback (Fetch Metadata, section 2); pages
  /// can't change that. A callback is a navigation of a whole tab. Programs that are not browsers,
  /// and old browsers, send no such field.
  var areOfPage: Bool {
    let modes = self[canonicalForm: "Sec-Fetch-Mode"]
    let destinations = self[canonicalForm: "Sec-Fetch-Dest"]
    let sites = self[canonicalForm: "Sec-Fetch-Site"]
    if modes.contains(where: { $0 != "navigate" }) { return true }
    // A page's frame is a navigation as well, and not one that the user sees.
    if destinations.contains(where: { $0 != "document" }) { return true }
    if sites.contains("cross-site") && modes.isEmpty { return true }
    // A page that is loaded before the user asks for it.
    return self[canonicalForm: "Sec-Purpose"].contains { $0.hasPrefix("prefetch") }
  }
}
