import AcctEngine
import AcctModel
import AcctPorts
import AcctPrograms
import AcctProtocol
import Expat
import Secrets
import StrictJSON

/// The answer of AWS's STS, in XML.
func stsAnswerViolation(_ bytes: [UInt8]) -> String? {
  guard let texts = try? XMLReader.expat().texts(Secret(bytes)) else { return nil }
  guard texts.count <= XMLReader.elements, bytes.count <= XMLReader.limit else { return "more than the limits" }
  guard texts.allSatisfy({ $0.path.split(separator: "/").count <= XMLReader.depth && !$0.path.isEmpty }) else {
    return "an element without a place"
  }
  // An entity of its own could make more of a document than it is.
  guard texts.reduce(0, { $0 + $1.text.count }) <= bytes.count else { return "more text than was written" }
  for status in [200, 400] {
    switch RoleAnswer(status, texts, redact: { $0 }) {
    case .malformed: break
    case .refused(let code, _):
      guard status != 200, !code.isEmpty, code.utf8.allSatisfy({ (0x2E...0x7A).contains($0) }) else {
        return "a code that can't be shown"
      }
    case .keys(let keys):
      guard status == 200 else { return "keys in a refusal" }
      let answer = (try? keys.answer())?.withBytes { span in try? JSON(parsing: span) }?.objectValue
      guard answer?["Version"] == 1, answer?.names.count == 5 else { return "an answer that is no credential" }
      var kept = KeptRoleKeys()
      kept.put(keys, for: "role", at: .epoch)
      let isPast = keys.expiresAt <= .epoch
      guard isPast || (try? KeptRoleKeys(kept.item))?["role"] == keys else { return "keys that change when kept" }
    }
  }
  return nil
}

/// The keys of roles that are kept for an account.
func roleKeysViolation(_ bytes: [UInt8]) -> String? {
  guard let keys = try? KeptRoleKeys(Secret(bytes)) else { return nil }
  guard keys.count <= KeptRoleKeys.limit else { return "more keys than are kept" }
  guard let again = try? KeptRoleKeys(keys.item), again.item == keys.item else {
    return "keys that change when they are written"
  }
  return nil
}
