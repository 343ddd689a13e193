#pragma once
// All of AcctCrypto, by EVP; and the points of P-256, which EVP computes from no private key.
// None of it is deprecated.
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
