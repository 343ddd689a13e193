#pragma once
// RAND_set_rand_method is deprecated in favour of providers, and is the only way to the kernel's
// generator that does not first set up one of OpenSSL's own.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <errno.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/rand.h>
#include <sys/random.h>

// Macros that Swift cannot see, and strings that an OSSL_PARAM points to and that must last.
static const int COPENSSL_PKEY_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY;
static const int COPENSSL_PKEY_KEYPAIR = EVP_PKEY_KEYPAIR;
static const char *const COPENSSL_PARAM_GROUP_NAME = OSSL_PKEY_PARAM_GROUP_NAME;
static const char *const COPENSSL_PARAM_PUB_KEY = OSSL_PKEY_PARAM_PUB_KEY;
static const char *const COPENSSL_PARAM_PRIV_KEY = OSSL_PKEY_PARAM_PRIV_KEY;
static const char *const COPENSSL_GROUP_P256 = SN_X9_62_prime256v1;

static inline int copenssl_random(unsigned char *bytes, int count) {
  for (int done = 0; done < count;) {
    ssize_t got = getrandom(bytes + done, (size_t)(count - done), 0);
    if (got > 0) done += (int)got;
    // Interrupted by a signal; anything else the kernel does not have.
    else if (got == 0 || errno != EINTR) return 0;
  }
  return 1;
}
static inline int copenssl_random_status(void) { return 1; }

// Has OpenSSL take its random numbers from getrandom(2), in the whole process.
static inline int copenssl_use_kernel_randomness(void) {
  static const RAND_METHOD method = {
    .bytes = copenssl_random, .pseudorand = copenssl_random, .status = copenssl_random_status,
  };
  return RAND_set_rand_method(&method);
}
