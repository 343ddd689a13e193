#pragma once
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/rand.h>

// Macros that Swift cannot see, and strings that an OSSL_PARAM points to and that must last.
static const int COPENSSL_PKEY_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY;
static const int COPENSSL_PKEY_KEYPAIR = EVP_PKEY_KEYPAIR;
static const char *const COPENSSL_PARAM_GROUP_NAME = OSSL_PKEY_PARAM_GROUP_NAME;
static const char *const COPENSSL_PARAM_PUB_KEY = OSSL_PKEY_PARAM_PUB_KEY;
static const char *const COPENSSL_PARAM_PRIV_KEY = OSSL_PKEY_PARAM_PRIV_KEY;
static const char *const COPENSSL_GROUP_P256 = SN_X9_62_prime256v1;
