#pragma once
// All of AcctCrypto, by EVP; and the points of P-256, which EVP computes from no private key.
// None of it is deprecated but what acct_ecdsa_sign() is made of.
#include <openssl/bn.h>
#include <openssl/conf.h>
#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

// Signs a digest by ECDSA with a private scalar of a group; NULL without memory.
//
// By EC_KEY, which OpenSSL 3 calls deprecated: EVP makes the curve and its tables anew for each key, which takes as long
// as the signature. A key that is kept would not need that, but its scalar would lie where root can read it. So the
// scalar is taken out, and wiped, before the EC_KEY is kept for the next signature, which then need not copy the curve.
// Where two threads sign at once, each has its own.
static inline ECDSA_SIG *acct_ecdsa_sign(OSSL_LIB_CTX *library, const EC_GROUP *group, const BIGNUM *scalar,
                                         const unsigned char *digest, int count) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  static EC_KEY *spare;
  EC_KEY *key = __atomic_exchange_n(&spare, NULL, __ATOMIC_ACQ_REL);
  if (!key && (key = EC_KEY_new_ex(library, NULL)) && EC_KEY_set_group(key, group) != 1) {
    EC_KEY_free(key);
    key = NULL;
  }
  ECDSA_SIG *signature = NULL;
  if (key && EC_KEY_set_private_key(key, scalar) == 1) signature = ECDSA_do_sign(digest, count, key);
  if (key) EC_KEY_set_private_key(key, NULL);
  // OpenSSL before 3.0.6 leaves it there.
  if (key && EC_KEY_get0_private_key(key)) {
    EC_KEY_free(key);
    key = NULL;
  }
  EC_KEY_free(__atomic_exchange_n(&spare, key, __ATOMIC_ACQ_REL));
  return signature;
#pragma clang diagnostic pop
}
