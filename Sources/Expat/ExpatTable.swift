import AcctPorts
import CExpat

/// libexpat, loaded when the first answer in XML is read, and never unloaded.
@safe struct ExpatTable: @unchecked Sendable {
  /// Function pointers, which never change.
  let call: acct_expat

  /// - Throws: ``XMLFailure/unavailable(reason:)`` if there is no library that can be used.
  static func loaded() throws(XMLFailure) -> ExpatTable { try outcome.get() }

  private static let outcome: Result<ExpatTable, XMLFailure> =
    unsafe withUnsafeTemporaryAllocation(of: acct_expat.self, capacity: 1) { table in
      guard let place = table.baseAddress else { return .failure(.unavailable(reason: "out of memory")) }
      if let missing = unsafe acct_expat_load(place) {
        return .failure(.unavailable(reason: unsafe String(cString: missing)))
      }
      return unsafe .success(ExpatTable(call: place.pointee))
    }
}
