import CLinux
import Glibc
package import PrivateFiles
package import Secrets

/// The kernel's key store, where small secrets are kept for a while (keyrings(7)).
///
/// It is a convenience: if a sandbox or a quota forbids it, every operation says so by its result,
/// and the vault asks for its passphrase more often.
package struct KernelKey: Sendable {
  /// Returns the payload of a name, or `nil`.
  package var read: @Sendable (_ name: String) -> Secret?
  /// Stores a payload for so many seconds; returns the error by which the kernel refuses it, `nil` if it does not.
  package var keep: @Sendable (_ name: String, _ payload: Secret, _ seconds: UInt32) -> FileError?
  /// Restarts the time of a stored payload, and returns whether that could be done.
  package var extend: @Sendable (_ name: String, _ seconds: UInt32) -> Bool
  /// Deletes a payload at once, and returns whether none is left.
  package var forget: @Sendable (_ name: String) -> Bool
  /// Deletes every payload whose name begins so, and returns whether none is left.
  package var forgetAll: @Sendable (_ prefix: String) -> Bool

  /// Returns the number of the key that has this name now, of which there is no second; `nil` without one.
  package var serial: @Sendable (_ name: String) -> Int32?

  package init(
    read: @escaping @Sendable (_ name: String) -> Secret?,
    keep: @escaping @Sendable (_ name: String, _ payload: Secret, _ seconds: UInt32) -> FileError?,
    extend: @escaping @Sendable (_ name: String, _ seconds: UInt32) -> Bool,
    forget: @escaping @Sendable (_ name: String) -> Bool,
    forgetAll: @escaping @Sendable (_ prefix: String) -> Bool,
    serial: @escaping @Sendable (_ name: String) -> Int32? = { _ in nil }
  ) {
    self.read = read
    self.keep = keep
    self.extend = extend
    self.forget = forget
    self.forgetAll = forgetAll
    self.serial = serial
  }

  /// The user keyring, which all processes of one user share until the last of them ends.
  package static let live = KernelKey(
    read: { name in find(name).flatMap(payload) },
    keep: { name, payload, seconds in rest(name, payload, seconds) },
    extend: { name, seconds in find(name).map { acct_key_set_timeout($0, seconds) == 0 } ?? false },
    forget: { name in find(name).map { acct_key_invalidate($0) == 0 } ?? true },
    forgetAll: { prefix in forgetKeys(prefix) },
    serial: { name in find(name) }
  )

  /// A kernel that keeps nothing.
  package static let refusing = KernelKey(
    read: { _ in nil },
    keep: { _, _, _ in .system(ENOSYS) },
    extend: { _, _ in false },
    forget: { _ in true },
    forgetAll: { _ in true }
  )
}

private typealias Serial = Int32

private func find(_ name: String) -> Serial? {
  let serial = unsafe acct_key_search(KEY_SPEC_USER_KEYRING, name)
  return serial < 0 ? nil : Serial(serial)
}

private func payload(of key: Serial) -> Secret? {
  var buffer = [UInt8](repeating: 0, count: 64)
  let count = unsafe acct_key_read(key, &buffer, buffer.count)
  defer { unsafe explicit_bzero(&buffer, buffer.count) }
  guard (0...buffer.count).contains(count) else { return nil }
  return Secret(buffer[..<count])
}

/// Adds a key with its rights and its time, and only then links it where other processes see it.
///
/// A key that is added to the user keyring directly cannot be read back by a process whose session
/// does not include that keyring, as under cron or systemd: its owner may by default only view it,
/// and may not change that. So it is made in a keyring of this thread's own, given its rights and
/// its time, and only then linked.
private func rest(_ name: String, _ payload: Secret, _ seconds: UInt32) -> FileError? {
  let added = payload.withBytes { bytes in
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe acct_key_add(name, bytes.baseAddress, bytes.count, KEY_SPEC_THREAD_KEYRING)
    }
  }
  guard added > 0 else { return .last }
  let key = Serial(added)
  defer { _ = acct_key_unlink(key, KEY_SPEC_THREAD_KEYRING) }
  let isKept =
    acct_key_set_permissions(key, ownerRights) == 0
    && acct_key_set_timeout(key, seconds) == 0
    && acct_key_link(key, KEY_SPEC_USER_KEYRING) == 0
  return isKept ? nil : .last
}

/// Invalidates each key of the user keyring whose name begins so.
private func forgetKeys(_ prefix: String) -> Bool {
  guard let serials = serials() else { return false }
  // Not `allSatisfy`: one that the kernel does not forget keeps none of the others.
  return serials.filter { name(of: $0)?.hasPrefix(prefix) ?? false }
    .count { acct_key_invalidate($0) != 0 && !isOver } == 0
}

/// `true` if the last call found a key that another process has deleted since it was listed, or that has expired.
private var isOver: Bool { [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(errno) }

/// The keys of the user keyring; `nil` where the kernel has the keyring and does not show it.
private func serials() -> [Serial]? {
  // Keys may be added between two calls, which the next one sees.
  var serials: [Serial] = []
  while true {
    let size = serials.count * MemoryLayout<Serial>.size
    let needed = unsafe acct_keyring_read(KEY_SPEC_USER_KEYRING, &serials, size)
    // A kernel or a sandbox without key store keeps none.
    guard needed >= 0 else { return errno == ENOSYS || errno == EPERM ? [] : nil }
    let count = needed / MemoryLayout<Serial>.size
    if count <= serials.count { return Array(serials.prefix(count)) }
    serials = [Serial](repeating: 0, count: count)
  }
}

/// The name of a key of ours; `nil` for another kind of key, and for one that has just expired.
private func name(of key: Serial) -> String? {
  // The kernel's limit for a description is 4,095 bytes.
  var buffer = [CChar](repeating: 0, count: 4_200)
  let count = unsafe acct_key_describe(key, &buffer, buffer.count)
  guard (1...buffer.count).contains(count) else { return nil }
  let text = String(decoding: buffer.prefix(count - 1).map(UInt8.init(bitPattern:)), as: UTF8.self)
  // The description comes last, and may itself hold semicolons.
  let parts = text.split(separator: ";", maxSplits: 4, omittingEmptySubsequences: false)
  return parts.count == 5 && parts[0] == "user" ? String(parts[4]) : nil
}

/// View, read, search and set attributes for the user, and for a possessor to link it too; nothing
/// for the group and for others (`KEY_POS_…` and `KEY_USR_…` of keyctl_setperm(3)).
private let ownerRights: UInt32 = 0x3B2B_0000
