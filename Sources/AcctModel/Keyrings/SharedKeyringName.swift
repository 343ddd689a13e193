/// The name of a keyring on an engine, as in `/acct/NAME/`.
package enum SharedKeyringName {
  /// Accepts 1 to 64 letters, digits, `-` and `_` of ASCII, so that no name is a part of another's keys.
  ///
  /// - Throws: ``KeyringSettingsFlaw/name``.
  package static func check(_ name: String) throws(KeyringSettingsFlaw) {
    let isUsable = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isUsable, (1...64).contains(name.utf8.count) else { throw .name }
  }
}
