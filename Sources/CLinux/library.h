#pragma once
/* The libraries that this system has, for a report of a bug. */
#include <gnu/libc-version.h>
#include <link.h>
#include <stddef.h>

/* dlinfo(3), which glibc hides behind _GNU_SOURCE, as its request for the loader's entry of a library. */
extern int dlinfo(void *library, int request, void *info);
enum { acct_linkmap_request = 2 };

/* The path that the loader finds a library at, which stays loaded; NULL if there is none of that name. */
static inline const char *acct_library_path(const char *name) {
  void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  struct link_map *entry = NULL;
  if (!library || dlinfo(library, acct_linkmap_request, &entry) != 0) return NULL;
  return entry->l_name;
}

static inline const char *acct_libc_version(void) { return gnu_get_libc_version(); }
