#pragma once
/* The interface that every PKCS#11 module has; a module itself is loaded when a key in it is used. */
#include <dlfcn.h>
#include <p11-kit-1/p11-kit/pkcs11.h>
#include <stdio.h>

/* Keeps what modules print out of acct's own output. They print by stdio, whose standard streams are
   ordinary variables in glibc ("Standard Streams" in its manual); acct writes to descriptors, and leaves
   1 and 2 as they are. To be called before the first module is loaded: C++'s streams copy the pointers then. */
static inline void acct_pkcs11_silence(void) {
  FILE *nowhere = fopen("/dev/null", "we");
  if (!nowhere) return;
  fflush(stdout);
  stdout = nowhere;
  stderr = nowhere;
}

/* Loads a module, for good: many start threads, which unloading would leave without their code. Returns
   NULL, or why it can't be loaded. */
static inline const char *acct_pkcs11_load(const char *path, void **library) {
  *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return *library ? NULL : dlerror();
}

/* Asks a library for its functions; CKR_FUNCTION_NOT_SUPPORTED if it is no module. */
static inline CK_RV acct_pkcs11_functions(void *library, CK_FUNCTION_LIST **list) {
  CK_C_GetFunctionList get = (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList");
  *list = NULL;
  return get ? get(list) : CKR_FUNCTION_NOT_SUPPORTED;
}
