#pragma once
// What signs and hashes is deprecated in favour of EVP, whose first use in a process lists all
// algorithms of all providers: twelve times the work of the signature itself (CONTRIBUTING, Speed).
// RAND_set_rand_method is likewise the only way to the kernel's generator that does not first set up
// one of OpenSSL's own.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <errno.h>
#include <openssl/bn.h>
#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <sys/random.h>

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

// Readies OpenSSL for arithmetic: its random numbers come from getrandom(2) from here on, in the whole
// process, and its configuration is left for copenssl_configure.
static inline int copenssl_start(void) {
  static const RAND_METHOD method = {
    .bytes = copenssl_random, .pseudorand = copenssl_random, .status = copenssl_random_status,
  };
  return OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) && RAND_set_rand_method(&method);
}

// Reads the administrator's configuration, which says what providers are and do.
static inline int copenssl_configure(void) {
  return CONF_modules_load_file(
    NULL, NULL, CONF_MFLAGS_DEFAULT_SECTION | CONF_MFLAGS_IGNORE_MISSING_FILE | CONF_MFLAGS_IGNORE_RETURN_CODES
  ) > 0;
}
