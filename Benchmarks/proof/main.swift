// Measures the making of a DPoP proof beside OpenSSL's own P-256 signature, in one process.
//
// usage: proof                        prints both, in microseconds, and their ratio
//        proof TOKEN_BYTES COUNT      makes so many proofs, for valgrind to count allocations of
import Release
import AcctCrypto
import AcctModel
import AcctProtocol
import COpenSSL
import Glibc
import StrictJSON

/// RFC 7515, appendix A.3.
let jwk: JSON = [
  "kty": "EC", "crv": "P-256",
  "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
]

/// The best of many batches, in microseconds for one: what else the machine does only adds to it.
func microseconds(_ body: () async throws -> Void) async rethrows -> Double {
  var best = Duration.seconds(3_600)
  for _ in 0..<300 {
    let time = try await ContinuousClock().measure { for _ in 0..<20 { try await body() } }
    best = min(best, time)
  }
  return best / .microseconds(20)
}

/// SHA-256 and ECDSA of as many bytes as a proof has, by OpenSSL alone.
func ownSignature() -> (() -> Void)? {
  guard let making = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
  var key: OpaquePointer?
  guard unsafe EVP_PKEY_keygen_init(making) == 1, unsafe EVP_PKEY_CTX_set_group_name(making, "P-256") == 1,
    unsafe EVP_PKEY_generate(making, &key) == 1
  else { return nil }
  let message = [UInt8](repeating: 1, count: 400)
  var signature = [UInt8](repeating: 0, count: 80)
  return {
    var count = signature.count
    let context = unsafe EVP_MD_CTX_new()
    unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key)
    unsafe EVP_DigestSign(context, &signature, &count, message, message.count)
    unsafe EVP_MD_CTX_free(context)
  }
}

func proof(tokenBytes: Int) throws -> () async throws -> Void {
  let key = try DPoPKey(jwk: jwk)
  let token = try Token(String(repeating: "a", count: tokenBytes))
  let url = try HTTPURL("https://pds.example/xrpc/app.bsky.feed.getTimeline")
  let random = [UInt8](repeating: 7, count: 16)
  return {
    _ = try await DPoPProof.make(
      key: key,
      method: "GET",
      url: url,
      issuedAt: Timestamp(clamped: 1_800_000_000),
      random: random,
      nonce: "a nonce of the length that servers give",
      accessToken: token
    )
  }
}

let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
if numbers.count == 2 {
  let make = try proof(tokenBytes: numbers[0])
  for _ in 0..<numbers[1] { try await make() }
} else if let sign = ownSignature() {
  let own = await microseconds(sign)
  let ours = try await microseconds(try proof(tokenBytes: 1_000))
  let long = try await microseconds(try proof(tokenBytes: 8_000))
  func shown(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
  print("OpenSSL's signature: \(shown(own)) µs")
  print("a proof for 1,000 bytes of token: \(shown(ours)) µs, \(shown(ours / own)) times")
  print("a proof for 8,000 bytes of token: \(shown(long)) µs, \(shown(long / own)) times")
}
