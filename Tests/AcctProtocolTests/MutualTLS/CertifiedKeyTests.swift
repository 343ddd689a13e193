import AcctModel
import AcctProtocol
import AcctTestSupport
import Secrets
import Testing

@Suite("A client certificate and its key")
struct CertifiedKeyTests {
  private static let kinds: [(String, String, String)] = [
    (MadeUpCertificates.p256, MadeUpCertificates.p256Key, MadeUpCertificates.p256Thumbprint),
    (MadeUpCertificates.p256, MadeUpCertificates.p256SEC1Key, MadeUpCertificates.p256Thumbprint),
    (MadeUpCertificates.p384, MadeUpCertificates.p384Key, MadeUpCertificates.p384Thumbprint),
    (MadeUpCertificates.rsa, MadeUpCertificates.rsaKey, MadeUpCertificates.rsaThumbprint),
  ]

  private func flaw(_ certificate: String, _ key: String) -> CertifiedKeyError? {
    do throws(CertifiedKeyError) {
      _ = try CertifiedKey(certificate: Secret(certificate), key: Secret(key))
      return nil
    } catch { return error }
  }

  @Test("A certificate and its key of P-256, P-384 or RSA are taken, with thumbprint and end", arguments: kinds)
  func taken(_ certificate: String, _ key: String, _ thumbprint: String) throws {
    let certified = try CertifiedKey(certificate: Secret(certificate), key: Secret(key))
    #expect(certified.thumbprint == thumbprint)
    #expect(certified.endsAt.description == "2049-01-01T00:00:00Z")
    // What is stored reads the same.
    let again = try CertifiedKey(certificate: certified.certificate, key: certified.keyItem)
    #expect(again.certificate == certified.certificate && again.keyItem == certified.keyItem)
  }

  @Test("A key in SEC 1 is stored in PKCS #8, and a file of both is taken apart")
  func normalized() throws {
    let both = Secret("\(MadeUpCertificates.p256SEC1Key)\n\(MadeUpCertificates.p256)\n")
    let certified = try CertifiedKey(certificate: both, key: both)
    #expect(certified.keyItem == Secret(MadeUpCertificates.p256Key + "\n"))
    #expect(certified.certificate == Secret(MadeUpCertificates.p256 + "\n"))
  }

  @Test("A certificate with the key of another one is rejected")
  func otherKey() {
    #expect(flaw(MadeUpCertificates.p256, MadeUpCertificates.p384Key) == .otherKey)
    #expect(flaw(MadeUpCertificates.rsa, MadeUpCertificates.p256Key) == .otherKey)
    #expect(flaw(MadeUpCertificates.p256, MadeUpKeys.p256) == .otherKey)
  }

  @Test("A key on another curve, or too short, is rejected with the reason")
  func unsuitable() {
    #expect(flaw(MadeUpCertificates.p521, MadeUpCertificates.p521) == .unsupportedKey)
    #expect(flaw(MadeUpCertificates.shortRSA, MadeUpCertificates.shortRSA) == .keyLength)
  }

  @Test("Files without a certificate or without a key are rejected, and so are damaged ones")
  func damaged() {
    let certificate = MadeUpCertificates.p256
    #expect(flaw("", MadeUpCertificates.p256Key) == .certificate)
    #expect(flaw(MadeUpCertificates.p256Key, MadeUpCertificates.p256Key) == .certificate)
    #expect(flaw(String(certificate.prefix(200)), MadeUpCertificates.p256Key) == .certificate)
    #expect(flaw(certificate + "\n" + certificate.prefix(200), MadeUpCertificates.p256Key) == .certificate)
    #expect(flaw(String(repeating: certificate + "\n", count: 6), MadeUpCertificates.p256Key) == .certificate)
    #expect(flaw(certificate, certificate) == .key)
    #expect(flaw(certificate, "") == .key)
  }
}
