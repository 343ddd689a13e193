#pragma once
/* libexpat.so.1, loaded when the first answer in XML is read: linked, it would be loaded at every start.
   Its header gives the types, so that a declaration that differs from the library does not compile. */
#include <dlfcn.h>
#include <expat.h>

/* Every function that is called. */
#define ACCT_EXPAT_FUNCTIONS(X) \
  X(XML_ParserCreate) \
  X(XML_SetUserData) \
  X(XML_SetElementHandler) \
  X(XML_SetCharacterDataHandler) \
  X(XML_SetStartDoctypeDeclHandler) \
  X(XML_StopParser) \
  X(XML_Parse) \
  X(XML_ParserFree)

typedef struct acct_expat {
#define X(name) __typeof__(name) *_Nonnull name;
  ACCT_EXPAT_FUNCTIONS(X)
#undef X
} acct_expat;

/* Fills the table. Returns what is missing, or NULL. */
static inline const char *_Nullable acct_expat_load(acct_expat *_Nonnull table) {
  void *library = dlopen("libexpat.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return "libexpat.so.1 is not installed";
  void *symbol;
#define X(name) \
  if (!(symbol = dlsym(library, #name))) return "libexpat.so.1 is too old"; \
  table->name = (__typeof__(name) *)symbol;
  ACCT_EXPAT_FUNCTIONS(X)
#undef X
  return 0;
}
