package import AcctModel
import Secrets
import AcctPorts
package import KeyDevices
import Synchronization
import Testing

/// A token in memory with the PIN 123456, which wants it for everything but to list its keys.
package final class InMemoryToken: Sendable {
  private struct State {
    var keys: [String: DeviceKey] = [:]
    var failure: HardwareKeyFailure?
    var wantsTouch = false
    var sent: [Secret] = []
    var pins = 0
    var whenMade: (@Sendable () -> Void)?
    var copied: Set<String> = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Unplugs it, makes it fail otherwise, or puts it back.
  package func fail(with failure: HardwareKeyFailure?) { state.withLock { $0.failure = failure } }
  package func wantTouch() { state.withLock { $0.wantsTouch = true } }
  /// The objects that it has.
  package var objects: [String] { state.withLock { $0.keys.keys.sorted() } }
  /// Makes a key as another program does.
  ///
  /// - Parameters:
  ///   - object: Its label.
  ///   - isBrought: Whether it was made elsewhere, and so may have been copied.
  package func makeKey(_ object: String, isBrought: Bool = false) {
    guard let key = DeviceKey() else { return }
    state.withLock { state in
      state.keys[object] = key
      if isBrought { state.copied.insert(object) }
    }
  }
  /// Has something happen when it has made a key for acct.
  package func whenMade(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.whenMade = action } }
  package func removeKeys() { state.withLock { $0.keys = [:] } }
  /// How often the PIN was asked for.
  package var pinsAsked: Int { state.withLock { $0.pins } }

  package var keys: PKCS11Keys {
    PKCS11Keys(
      take: { uri, holder throws(HardwareKeyFailure) in
        try self.check()
        let object = self.object(uri)
        if let key = self.state.withLock({ $0.keys[object] }) {
          let isBrought = self.state.withLock { $0.copied.contains(object) }
          return PKCS11Key(uri: uri, point: key.point, isNew: false, mayHaveCopies: isBrought)
        }
        try self.logIn(uri, holder)
        guard let key = DeviceKey() else { throw .failed(reason: "no key") }
        self.state.withLock { $0.keys[object] = key }
        self.state.withLock { $0.whenMade }?()
        return PKCS11Key(uri: uri, point: key.point, isNew: true)
      },
      sign: { uri, digest, holder throws(HardwareKeyFailure) in
        try self.check()
        if digest.count != 32 { Issue.record("a token signs digests of 32 bytes") }
        try self.logIn(uri, holder)
        guard let key = self.state.withLock({ $0.keys[self.object(uri)] }) else { throw .gone }
        if self.state.withLock({ $0.wantsTouch }) { holder.touch() }
        return key.sign(digest)
      },
      certificate: { _, _ throws(HardwareKeyFailure) in
        try self.check()
        throw .unsuitable(reason: "it has no certificate")
      },
      remove: { uri, holder throws(HardwareKeyFailure) in
        try self.check()
        try self.logIn(uri, holder)
        self.state.withLock { $0.keys[self.object(uri)] = nil }
      },
      list: { uri in
        let failure = self.state.withLock { $0.failure }
        if let failure { return [PKCS11Slot(module: "/lib/memory.so", failure: failure)] }
        let keys = self.state.withLock { $0.keys }.sorted { $0.key < $1.key }
          .filter { uri == nil || $0.key == uri.map(self.object) }
          .compactMap { object, key -> PKCS11Key? in
            guard let name = try? PKCS11URI("pkcs11:token=Memory;object=\(object)") else { return nil }
            let isBrought = self.state.withLock { $0.copied.contains(object) }
            return PKCS11Key(uri: name, point: key.point, isNew: false, mayHaveCopies: isBrought)
          }
        return [PKCS11Slot(module: "/lib/memory.so", token: "Memory", serial: "0042", keys: keys)]
      }
    )
  }

  private func check() throws(HardwareKeyFailure) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  private func attribute(_ name: String, of uri: PKCS11URI) -> String? {
    uri.description.dropFirst(7).split { $0 == ";" || $0 == "?" }
      .first { $0.hasPrefix("\(name)=") }
      .map { String($0.dropFirst(name.count + 1)) }
  }

  private func object(_ uri: PKCS11URI) -> String { attribute("object", of: uri) ?? "acct" }

  private func logIn(_ uri: PKCS11URI, _ holder: KeyHolder) throws(HardwareKeyFailure) {
    let file = attribute("pin-source", of: uri).map { $0.hasPrefix("file:") ? String($0.dropFirst(5)) : $0 }
    state.withLock { $0.pins += 1 }
    let pin = try holder.pin(PINRequest(device: "Memory", file: file))
    let isRepeated = state.withLock { state in
      defer { state.sent.append(pin) }
      return state.sent.contains(pin)
    }
    guard pin == Secret("123456") else {
      if isRepeated { Issue.record("a wrong PIN was sent twice") }
      throw .wrongPIN(triesLeft: 2)
    }
  }
}
