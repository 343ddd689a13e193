import AcctModel
import CLibPQ
import Glibc

/// Begins to connect; returns `nil` if there is no memory.
///
/// The password is in no `String`, whose copies could not be wiped; libpq wipes its own copy when the
/// connection ends.
func begin(_ options: [String: String], _ password: Secret?, _ library: Library) -> OpaquePointer? {
  var options = options
  // A value that is not empty keeps the variable out. Older poolers refuse the option: only where needed.
  if options["options"] == nil, unsafe getenv("PGOPTIONS") != nil { options["options"] = " " }
  let names = Array(options.keys)
  // An empty value is none to libpq.
  var secret: [UInt8] = []
  secret.reserveCapacity((password?.count ?? 0) + 1)
  password?.withBytes { bytes in for index in bytes.indices { secret.append(bytes[index]) } }
  secret.append(0)
  defer { wipe(&secret) }
  return unsafe withCStrings(names + ["password"]) { keywords in
    unsafe withCStrings(names.map { options[$0] ?? "" }) { values in
      unsafe secret.withUnsafeBytes { secret in
        let last = unsafe secret.baseAddress?.assumingMemoryBound(to: CChar.self)
        // Both end with a null; the password goes before it.
        let all = unsafe values.dropLast() + [last, nil]
        return unsafe library.call.PQconnectStartParams(keywords, Array(all), 0)
      }
    }
  }
}

/// Lends strings as C wants them: an array of pointers that ends with a null.
func withCStrings<Result>(_ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
  let copies = unsafe strings.map { unsafe strdup($0) }
  defer { unsafe copies.forEach { unsafe free($0) } }
  return unsafe body(copies.map { unsafe UnsafePointer($0) } + [nil])
}
