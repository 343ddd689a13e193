#pragma once
/* The end of a folder with all that is in it, by calls that a signal handler may make: readdir(3) is none of them. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Deletes what is in a folder of an open one, and in the folders in it down to this depth. */
static inline void acct_empty_folder(int place, const char *name, int depth) {
  /* getdents64(2). */
  struct entry { uint64_t inode; int64_t offset; uint16_t length; uint8_t type; char name[]; };
  _Alignas(struct entry) char entries[2048];
  int folder = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  long size;
  while ((size = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
    for (long at = 0; at < size;) {
      const struct entry *entry = (const void *)(entries + at);
      const char *inner = entry->name;
      at += entry->length;
      /* The folder itself, and the one above. */
      if (inner[0] == '.' && (!inner[1] || (inner[1] == '.' && !inner[2]))) continue;
      if (unlinkat(folder, inner, 0) == 0 || depth == 0) continue;
      acct_empty_folder(folder, inner, depth - 1);
      unlinkat(folder, inner, AT_REMOVEDIR);
    }
  close(folder);
}

/* Deletes an open folder, which has this name in another. Returns 0, or -1 with errno. */
static inline int acct_remove_folder(int place, int folder, const char *name) {
  acct_empty_folder(folder, ".", 3);
  return unlinkat(place, name, AT_REMOVEDIR);
}
