import AcctCrypto
import Secrets
import Testing

@Suite("Published test vectors")
struct VectorTests {
  @Test("SHA-256 agrees with the published vectors")
  func sha256() throws {
    let lines = try vectors("sha-256.txt")
    #expect(lines.count == 3)
    for line in lines {
      #expect(AcctCrypto.SHA256.hash(bytes(line[1]).span) == bytes(line[2]), "\(line[0])")
    }
  }

  @Test("HMAC with SHA-256 agrees with the published vectors, and so does a derived key")
  func hmac() throws {
    let lines = try vectors("hmac-sha-256.txt")
    #expect(lines.count == 7)
    for line in lines {
      let (key, message) = (Secret(bytes(line[1])), bytes(line[2]))
      #expect(HMACSHA256.code(message.span, key: key) == bytes(line[3]), "\(line[0])")
      guard let label = String(validating: message, as: UTF8.self) else { continue }
      #expect(HMACSHA256.derivedKey(label, from: key) == Secret(bytes(line[3])), "\(line[0])")
    }
  }

  @Test("The key derivation scrypt agrees with the published vectors")
  func scrypt() throws {
    let lines = try vectors("scrypt.txt")
    #expect(lines.count == 3)
    for line in lines {
      let key = try Scrypt.deriveKey(
        passphrase: Secret(bytes(line[1])),
        salt: bytes(line[2]),
        n: #require(UInt64(line[3])),
        r: #require(UInt64(line[4])),
        p: #require(UInt64(line[5])),
        length: 64
      )
      #expect(key == Secret(bytes(line[6])), "\(line[0])")
    }
  }

  @Test("AES-256-GCM agrees with the published vectors in both directions")
  func aesGCM() throws {
    let lines = try vectors("aes-256-gcm.txt")
    #expect(lines.count == 70)
    for line in lines {
      let (key, nonce) = (Secret(bytes(line[1])), bytes(line[2]))
      let (data, plaintext, sealed) = (bytes(line[3]), bytes(line[4]), bytes(line[5]) + bytes(line[6]))
      let made = try AESGCM.seal(Secret(plaintext), key: key, nonce: nonce, associatedData: data)
      #expect((made == sealed) == (line[7] == "valid"), "\(line[0])")
      do {
        let opened = try AESGCM.open(sealed, key: key, nonce: nonce, associatedData: data)
        #expect(line[7] == "valid" && opened == Secret(plaintext), "\(line[0])")
      } catch {
        #expect(line[7] == "invalid" && error == .authenticationFailed, "\(line[0])")
      }
    }
  }

  @Test("ECDSA with P-256 and SHA-256 agrees with the published vectors")
  func ecdsa() throws {
    let lines = try vectors("ecdsa-p256-sha256.txt")
    #expect(lines.count == 252)
    for line in lines {
      let key = try P256PublicKey(x: bytes(line[1]), y: bytes(line[2]))
      let isValid = key.isValidSignature(bytes(line[4]), of: bytes(line[3]).span)
      #expect(isValid == (line[5] == "valid"), "\(line[0])")
    }
  }

  @Test("HPKE's keys and contexts agree with the published vectors, of the sender and of the recipient")
  func hpke() throws {
    let lines = try vectors("hpke-p256.txt")
    #expect(lines.count == 2)
    for line in lines {
      let aead = HPKE.AEAD(number: try #require(UInt16(line[1])), keyCount: try #require(Int(line[2])))
      let (info, encapsulated) = (bytes(line[3]), bytes(line[9]))
      let ephemeral = try HPKE.key(of: Secret(bytes(line[4])))
      let recipient = try HPKE.key(of: Secret(bytes(line[6])))
      #expect(ephemeral.rawScalar == Secret(bytes(line[5])), "\(line[0])")
      #expect(recipient.rawScalar == Secret(bytes(line[7])), "\(line[0])")
      #expect(recipient.publicKey.point == bytes(line[8]), "\(line[0])")
      #expect(ephemeral.publicKey.point == encapsulated, "\(line[0])")
      let sent = try HPKE.context(from: ephemeral, to: recipient.publicKey, info: info, aead)
      let received = try HPKE.context(of: encapsulated, to: recipient, info: info, aead)
      // As a key in a device gives it.
      let agreed = try recipient.agreement(with: try HPKE.sender(of: encapsulated))
      let shared = HPKE.context(of: encapsulated, to: recipient.publicKey, agreed: agreed, info: info, aead)
      for context in [sent, received, shared] {
        #expect(context.key == Secret(bytes(line[11])), "\(line[0])")
        #expect(context.nonce == bytes(line[12]), "\(line[0])")
      }
    }
  }
}
