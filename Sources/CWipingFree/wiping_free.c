/* free(3) and realloc(3) that wipe what they give back.

   Secrets pass through code that is not ours: libcurl's and OpenSSL's buffers, GDBus's messages, the
   storage of Swift's strings. None of it wipes what it frees, and freed memory keeps its contents until
   somebody happens to use it again. Defined in the executable, these two take the place of the C
   library's for every library of the process (malloc(3) documents that one may, in the GNU C Library
   manual's "Replacing malloc"). They hand on to the real ones, and cost a memset of what is freed. */
#include "wiping_free.h"
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* The sanitizers bring allocators of their own, which these must not stand in for. */
#if !defined(__has_feature) || !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))

extern void __libc_free(void *);

void free(void *block) {
  if (!block) return;
  explicit_bzero(block, malloc_usable_size(block));
  __libc_free(block);
}

/* The real one would leave the old block as it is when it moves, and the tail when it shrinks. */
void *realloc(void *block, size_t size) {
  if (!block) return malloc(size);
  if (size == 0) {
    free(block);
    return NULL;
  }
  size_t usable = malloc_usable_size(block);
  void *moved = malloc(size);
  if (!moved) return NULL;
  memcpy(moved, block, usable < size ? usable : size);
  free(block);
  return moved;
}

#endif
