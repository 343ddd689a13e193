#pragma once
// What the vault and sealed exports are made with: AES-256-GCM and scrypt, by EVP. None of it is deprecated.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
