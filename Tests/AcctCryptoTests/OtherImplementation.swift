import AcctTestSupport
import Testing

/// A second opinion on P-256: OpenSSL, by Python's cryptography.
enum OtherImplementation {
  /// Has signatures verified.
  ///
  /// - Parameter lines: A scalar, a message and its signature, each in hexadecimal.
  /// - Returns: The point of each scalar.
  /// - Throws: ``ProcessFailure``, or a failed requirement if a signature is not valid.
  static func verify(_ lines: [[String]]) async throws -> [String] {
    let input = lines.map { $0.joined(separator: " ") }.joined(separator: "\n")
    return try await run(
      """
      for line in sys.stdin:
          scalar, message, signature = line.split()
          key = ec.derive_private_key(int(scalar, 16), ec.SECP256R1()).public_key()
          r, s = int(signature[:64], 16), int(signature[64:], 16)
          key.verify(encode_dss_signature(r, s), bytes.fromhex(message), algorithm)
          print(point(key))
      """,
      input: input
    )
  }

  /// Makes keys and signatures.
  ///
  /// - Returns: For each a scalar, its point, a message and its signature, each in hexadecimal.
  /// - Throws: ``ProcessFailure``, or a failed requirement.
  static func signatures(count: Int) async throws -> [[String]] {
    try await run(
      """
      for number in range(\(count)):
          key, message = ec.generate_private_key(ec.SECP256R1()), f'message {number}'.encode()
          r, s = decode_dss_signature(key.sign(message, algorithm))
          scalar = key.private_numbers().private_value
          print(f'{scalar:064x}', point(key.public_key()), message.hex(), f'{r:064x}{s:064x}')
      """
    ).map { $0.split(separator: " ").map(String.init) }
  }

  private static func run(_ program: String, input: String = "") async throws -> [String] {
    let start = """
      import sys
      from cryptography.hazmat.primitives.asymmetric import ec
      from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
      from cryptography.hazmat.primitives.hashes import SHA256
      algorithm = ec.ECDSA(SHA256())
      def point(key):
          numbers = key.public_numbers()
          return f'{numbers.x:064x}{numbers.y:064x}'

      """
    let python = ChildProcess(Product.source(".build/venv/bin/python"), ["-c", start + program], input: input)
    let output = try await python.run()
    try #require(output.status == 0, "\(output.errorText)")
    return output.text.split(separator: "\n").map(String.init)
  }
}
