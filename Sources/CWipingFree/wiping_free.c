/* malloc(3) and its family, with a free(3) that wipes.

   Secrets pass through code that is not ours: libcurl's and OpenSSL's buffers, messages of the bus, the
   storage of Swift's strings. None of it wipes what it frees, and freed memory keeps its contents until
   it is used again. Defined in the executable, these functions take the place of the C library's for
   every library of the process. They are the whole set that the GNU C Library manual names in "Replacing
   malloc", so that no block of one allocator ever reaches the free(3) of another, also not where
   LD_PRELOAD brings a third one.

   Each block has a head that says how long it is and where it begins. malloc_usable_size(3) of the C
   library could say the length, too, but has no second name by which one of the same name can call it.
   Below the heads the C library's own allocator does the work. */
#include "wiping_free.h"
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The sanitizers bring allocators of their own, which these must not stand in for. */
#if !defined(__has_feature) || !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))

/* The C library's own, by the names that it keeps for replacements. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

/* What lies before each block; as long as the alignment that malloc(3) promises. */
struct head {
  size_t size;
  void *start;
};
enum { HEAD = 16 };
_Static_assert(sizeof(struct head) <= HEAD && _Alignof(max_align_t) <= HEAD, "a head keeps blocks aligned");

static struct head *head_of(void *block) { return (struct head *)((char *)block - HEAD); }

/* Makes a block in memory from `start` on, `before` bytes behind it. */
static void *block_in(void *start, size_t before, size_t size) {
  if (!start) return NULL;
  void *block = (char *)start + before;
  *head_of(block) = (struct head){size, start};
  return block;
}

/* Whether a size, with room for a head and for alignment, is one that an object can have. */
static int is_possible(size_t size, size_t before) {
  if (before <= PTRDIFF_MAX && size <= PTRDIFF_MAX - before) return 1;
  errno = ENOMEM;
  return 0;
}

void *malloc(size_t size) {
  return is_possible(size, HEAD) ? block_in(__libc_malloc(HEAD + size), HEAD, size) : NULL;
}

void *calloc(size_t count, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(count, size, &all)) all = SIZE_MAX;
  return is_possible(all, HEAD) ? block_in(__libc_calloc(1, HEAD + all), HEAD, all) : NULL;
}

void free(void *block) {
  if (!block) return;
  struct head *head = head_of(block);
  explicit_bzero(block, head->size);
  __libc_free(head->start);
}

/* The C library's would leave the old block as it is when it moves, and the tail when it shrinks. */
void *realloc(void *block, size_t size) {
  if (!block) return malloc(size);
  if (size == 0) {
    free(block);
    return NULL;
  }
  size_t old = head_of(block)->size;
  void *moved = malloc(size);
  if (!moved) return NULL;
  memcpy(moved, block, old < size ? old : size);
  free(block);
  return moved;
}

void *reallocarray(void *block, size_t count, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(count, size, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(block, all);
}

size_t malloc_usable_size(void *block) { return block ? head_of(block)->size : 0; }

/* Like the C library's, it takes an alignment that is no power of two for the next one that is. */
void *memalign(size_t alignment, size_t size) {
  size_t before = HEAD;
  while (before < alignment) {
    if (before > PTRDIFF_MAX / 2) {
      errno = EINVAL;
      return NULL;
    }
    before *= 2;
  }
  if (before == HEAD) return malloc(size);
  if (!is_possible(size, before)) return NULL;
  return block_in(__libc_memalign(before, before + size), before, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

/* It returns the error, and leaves errno and, where it fails, the result alone. */
int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) || alignment == 0 || alignment & (alignment - 1)) return EINVAL;
  int before = errno;
  void *block = memalign(alignment, size);
  errno = before;
  if (!block) return ENOMEM;
  *result = block;
  return 0;
}

void *valloc(size_t size) { return memalign((size_t)sysconf(_SC_PAGESIZE), size); }

void *pvalloc(size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (!is_possible(size, page)) return NULL;
  return memalign(page, (size + page - 1) / page * page);
}

#endif
