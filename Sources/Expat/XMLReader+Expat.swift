import AcctModel
package import AcctPorts
import CExpat
import Secrets

extension XMLReader {
  /// Reads by libexpat, as UTF-8 whatever the document says.
  ///
  /// Its buffers are freed by the process's own `free`, which wipes them.
  package static func expat() -> XMLReader {
    XMLReader { document throws(XMLFailure) in
      guard document.count <= limit else { throw .malformed }
      let expat = try ExpatTable.loaded().call
      guard let parser = unsafe expat.XML_ParserCreate("UTF-8") else { throw .unavailable(reason: "out of memory") }
      defer { unsafe expat.XML_ParserFree(parser) }
      let texts = unsafe CollectedTexts(parser, expat)
      unsafe expat.XML_SetUserData(parser, Unmanaged.passUnretained(texts).toOpaque())
      unsafe expat.XML_SetElementHandler(
        parser,
        { user, name, _ in unsafe CollectedTexts.of(user)?.begin(name) },
        { user, _ in unsafe CollectedTexts.of(user)?.end() }
      )
      unsafe expat.XML_SetCharacterDataHandler(parser) { user, bytes, count in
        unsafe CollectedTexts.of(user)?.add(bytes, Int(count))
      }
      // Without a declaration there are no entities but the five of XML, and none that leads to another place.
      unsafe expat.XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in
        unsafe CollectedTexts.of(user)?.stop()
      }
      let status = document.withBytes { bytes in
        unsafe bytes.withUnsafeBytes { raw in
          withExtendedLifetime(texts) {
            unsafe expat.XML_Parse(
              parser,
              raw.baseAddress?.assumingMemoryBound(to: CChar.self),
              Int32(raw.count),
              Int32(1)
            )
          }
        }
      }
      guard status == XML_STATUS_OK, !texts.isStopped else { throw .malformed }
      return texts.found
    }
  }
}

/// The texts of the elements that have no others in them, while a document is read.
@safe private final class CollectedTexts {
  private(set) var found: [XMLText] = []
  private(set) var isStopped = false
  /// The names from the root to the element that is open.
  private var path: [String] = []
  private var text: [UInt8] = []
  /// `true` between the start of an element and the next start or end.
  private var isInnermost = false
  private let parser: XML_Parser
  private let expat: acct_expat

  init(_ parser: XML_Parser, _ expat: acct_expat) {
    unsafe self.parser = parser
    self.expat = expat
  }

  deinit { wipe(&text) }

  static func of(_ user: UnsafeMutableRawPointer?) -> CollectedTexts? {
    unsafe user.map { unsafe Unmanaged<CollectedTexts>.fromOpaque($0).takeUnretainedValue() }
  }

  func begin(_ name: UnsafePointer<CChar>?) {
    guard let name = unsafe name, path.count < XMLReader.depth, found.count < XMLReader.elements else { return stop() }
    path.append(unsafe String(cString: name))
    wipe(&text)
    text.removeAll()
    isInnermost = true
  }

  func end() {
    guard !isStopped else { return }
    if isInnermost { found.append(XMLText(path: path.joined(separator: "/"), text: Secret(consuming: &text))) }
    text = []
    isInnermost = false
    path.removeLast()
  }

  func add(_ bytes: UnsafePointer<CChar>?, _ count: Int) {
    guard let bytes = unsafe bytes, isInnermost, !isStopped else { return }
    let copied = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
    text.reserveCapacity(text.count + count)
    unsafe text.append(contentsOf: copied)
  }

  /// Ends the parsing; what was collected is not used.
  func stop() {
    isStopped = true
    _ = unsafe expat.XML_StopParser(parser, 0)
  }
}

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
