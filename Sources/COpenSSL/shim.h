#pragma once
// The algorithms of the vault and of sealed exports, AES-256-GCM and scrypt, and RSA keys of clients, all by EVP.
// None of it is deprecated.
#include <openssl/bn.h>
#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
