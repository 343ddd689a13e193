#pragma once
/* libqrencode.so.4, looked for when a code is to be made: few need it, and none must miss it. */
#include <dlfcn.h>
#include <stddef.h>

/* The library's QRcode. */
struct acct_qrcode {
  int version;
  int width;
  /* Row by row; the lowest bit says whether a module is dark. */
  unsigned char *modules;
};

/* A code for a text of bytes, with the least error correction: on a screen nothing is worn off.
   NULL without the library, or if the text is too long. */
static inline struct acct_qrcode *acct_qrcode_make(const char *text) {
  void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) return NULL;
  struct acct_qrcode *(*encode)(const char *, int, int) =
    (struct acct_qrcode *(*)(const char *, int, int))dlsym(library, "QRcode_encodeString8bit");
  return encode ? encode(text, 0, 0) : NULL;
}

static inline void acct_qrcode_free(struct acct_qrcode *code) {
  void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
  void (*release)(struct acct_qrcode *) =
    library ? (void (*)(struct acct_qrcode *))dlsym(library, "QRcode_free") : NULL;
  if (release) release(code);
}
