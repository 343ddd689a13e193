#pragma once
/* The end of a folder with all that is in it, by calls that a signal handler may make: readdir(3) is none of them. */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Deletes what is in an open folder, and in the folders in it down to this depth. */
static inline void acct_empty_folder(int folder, int depth) {
  /* getdents64(2). */
  struct entry { uint64_t inode; int64_t offset; uint16_t length; uint8_t type; char name[]; };
  _Alignas(struct entry) char entries[2048];
  lseek(folder, 0, SEEK_SET);
  long size;
  while ((size = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
    for (long at = 0; at < size;) {
      const struct entry *entry = (const void *)(entries + at);
      at += entry->length;
      if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0) continue;
      if (unlinkat(folder, entry->name, 0) == 0 || depth == 0) continue;
      int inner = openat(folder, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (inner < 0) continue;
      acct_empty_folder(inner, depth - 1);
      close(inner);
      unlinkat(folder, entry->name, AT_REMOVEDIR);
    }
}

/* Deletes an open folder, which has this name in another. Returns 0, or -1 with errno. */
static inline int acct_remove_folder(int place, int folder, const char *name) {
  acct_empty_folder(folder, 3);
  return unlinkat(place, name, AT_REMOVEDIR);
}
