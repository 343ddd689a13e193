import AcctPorts
import CLibPQ

/// The answer to a statement.
@safe final class Rows {
  private let library: Library
  private let result: OpaquePointer

  /// Takes a result of libpq's, and frees it in the end.
  init(owning result: OpaquePointer, _ library: Library) {
    unsafe self.result = result
    self.library = library
  }

  deinit { unsafe library.call.PQclear(result) }

  /// The error that it is, if it is one.
  var failure: Trouble? {
    switch unsafe library.call.PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return nil
    default:
      let message = field(acct_libpq_message) ?? "the connection broke"
      guard let state = field(acct_libpq_sql_state) else {
        return Trouble(SharedStoreFailure(connecting: message), isLost: true)
      }
      return Trouble(state: state, message: message)
    }
  }

  private func field(_ code: some BinaryInteger) -> String? {
    guard let text = unsafe library.call.PQresultErrorField(result, Int32(code)) else { return nil }
    return unsafe String(cString: text)
  }

  /// The number of rows.
  var count: Int { Int(unsafe library.call.PQntuples(result)) }

  /// A value's bytes; `nil` if there is none.
  func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
    let (row, column) = (Int32(row), Int32(column))
    guard row < count, unsafe library.call.PQgetisnull(result, row, column) == 0,
      let value = unsafe library.call.PQgetvalue(result, row, column)
    else { return nil }
    let length = Int(unsafe library.call.PQgetlength(result, row, column))
    return unsafe Array(UnsafeRawBufferPointer(start: value, count: length))
  }

  /// A value that is text.
  func text(_ row: Int, _ column: Int) -> String? { bytes(row, column).map { String(decoding: $0, as: UTF8.self) } }

  /// A `bigint` in binary form: 8 bytes, the highest first.
  func integer(_ row: Int, _ column: Int) -> Int64? {
    guard let bytes = bytes(row, column), bytes.count == 8 else { return nil }
    return bytes.reduce(0) { $0 << 8 | Int64($1) }
  }
}
