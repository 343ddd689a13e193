extension Secret {
  /// The secret of a file of one line, without the LF or CRLF at its end; with CRLF also what ends with the CR, since the
  /// secret may have been used so.
  package var withoutLineEnd: (line: Secret, withReturn: Secret?) {
    withBytes { bytes in
      guard bytes.count > 0, bytes[bytes.count - 1] == UInt8(ascii: "\n") else { return (self, nil) }
      let line = Secret(bytes.extracting(droppingLast: 1))
      guard bytes.count > 1, bytes[bytes.count - 2] == UInt8(ascii: "\r") else { return (line, nil) }
      return (Secret(bytes.extracting(droppingLast: 2)), line)
    }
  }
}
