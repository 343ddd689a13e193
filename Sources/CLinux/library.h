#pragma once
/* The libraries that this system has, for a report of a bug. Functions that only this calls are looked up, since each one that is
   linked is adjusted by the loader at every start. */
#include <dlfcn.h>
#include <stddef.h>

/* dlinfo(3)'s request for the loader's entry of a library, which glibc hides behind _GNU_SOURCE. */
enum { acct_linkmap_request = 2 };

/* The public members of `struct link_map` up to the path. link.h has it, and elf.h with it, which Swift's module of glibc
   declares otherwise. */
struct acct_library {
  size_t address;
  char *path;
};

/* The path that the loader finds a library at, which stays loaded; NULL if there is none of that name. */
static inline const char *acct_library_path(const char *name) {
  void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  int (*information)(void *, int, void *) = (int (*)(void *, int, void *))dlsym(NULL, "dlinfo");
  struct acct_library *entry = NULL;
  if (!library || !information || information(library, acct_linkmap_request, &entry) != 0) return NULL;
  return entry->path;
}

/* The version of the C library; empty if it is not glibc. */
static inline const char *acct_libc_version(void) {
  const char *(*version)(void) = (const char *(*)(void))dlsym(NULL, "gnu_get_libc_version");
  return version ? version() : "";
}
