import AcctTestSupport
import Testing

/// A second opinion, by pycryptodome, which has its own implementation of all of it.
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
          key = ECC.construct(curve='P-256', d=int(scalar, 16))
          DSS.new(key, 'fips-186-3').verify(SHA256.new(bytes.fromhex(message)), bytes.fromhex(signature))
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
          key, message = ECC.generate(curve='P-256'), f'message {number}'.encode()
          signature = DSS.new(key, 'fips-186-3').sign(SHA256.new(message))
          print(f'{int(key.d):064x}', point(key), message.hex(), signature.hex())
      """
    ).map { $0.split(separator: " ").map(String.init) }
  }

  /// Opens what AES-256-GCM has sealed.
  ///
  /// - Parameters:
  ///   - sealed: The ciphertext and its tag, in hexadecimal like the rest.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes.
  ///   - associatedData: The data that are authenticated with it.
  /// - Returns: The plaintext.
  /// - Throws: ``ProcessFailure``, or a failed requirement if it does not open.
  static func open(_ sealed: String, key: String, nonce: String, associatedData: String) async throws -> [String] {
    try await run(
      """
      sealed, key, nonce, data = map(bytes.fromhex, sys.stdin.read().split())
      cipher = AES.new(key, AES.MODE_GCM, nonce=nonce)
      cipher.update(data)
      print(cipher.decrypt_and_verify(sealed[:-16], sealed[-16:]).hex())
      """,
      input: [sealed, key, nonce, associatedData].joined(separator: " ")
    )
  }

  /// Opens a message of HPKE, and answers with one to the same key.
  ///
  /// - Parameters:
  ///   - scalar: The recipient's, in hexadecimal like the rest.
  ///   - message: The ephemeral key and the ciphertext.
  ///   - info: The purpose.
  ///   - associatedData: The data that are authenticated with it.
  /// - Returns: The plaintext, and the ciphertext and the ephemeral key of the same plaintext.
  /// - Throws: ``ProcessFailure``, or a failed requirement if it does not open.
  static func openAndSeal(
    _ scalar: String,
    _ message: (String, String),
    info: String,
    associatedData: String
  ) async throws -> [String] {
    try await run(
      """
      from Crypto.Protocol import HPKE
      scalar, encapsulated, sealed, info, data = sys.stdin.read().split()
      encapsulated, sealed, info, data = map(bytes.fromhex, (encapsulated, sealed, info, data))
      key, suite = ECC.construct(curve='P-256', d=int(scalar, 16)), HPKE.AEAD.AES256_GCM
      opened = HPKE.new(receiver_key=key, aead_id=suite, enc=encapsulated, info=info).unseal(sealed, data)
      sender = HPKE.new(receiver_key=key.public_key(), aead_id=suite, info=info)
      print(opened.hex(), sender.seal(opened, data).hex(), sender.enc.hex(), sep='\\n')
      """,
      input: [scalar, message.0, message.1, info, associatedData].joined(separator: " ")
    )
  }

  private static func run(_ program: String, input: String = "") async throws -> [String] {
    let start = """
      import sys
      from Crypto.Cipher import AES
      from Crypto.Hash import SHA256
      from Crypto.PublicKey import ECC
      from Crypto.Signature import DSS
      def point(key):
          return f'{int(key.pointQ.x):064x}{int(key.pointQ.y):064x}'

      """
    let python = ChildProcess(Product.source(".build/venv/bin/python"), ["-c", start + program], input: input)
    let output = try await python.run()
    try #require(output.status == 0, "\(output.errorText)")
    return output.text.split(separator: "\n").map(String.init)
  }
}
