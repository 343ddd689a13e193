#pragma once
/* Linux calls that Swift cannot make itself, because they are variadic in C or
   because glibc has no wrapper for them. One inline function for each, nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* open(2): a handle on a folder that need not be readable; glibc hides it behind _GNU_SOURCE. */
static const int ACCT_O_PATH = __O_PATH;

/* prctl(2): closes core dumps and ptrace by other processes of the same user. */
static inline int acct_set_dumpable(int on) { return prctl(PR_SET_DUMPABLE, on, 0, 0, 0); }
static inline int acct_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

/* add_key(2), with the key type "user". */
static inline long acct_key_add(const char *description, const void *payload, size_t length, int keyring) {
  return syscall(SYS_add_key, "user", description, payload, length, keyring);
}
/* keyctl(2) KEYCTL_SEARCH, with the key type "user". */
static inline long acct_key_search(int keyring, const char *description) {
  return syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, "user", description, 0);
}
static inline long acct_key_read(int key, void *buffer, size_t capacity) {
  return syscall(SYS_keyctl, KEYCTL_READ, key, buffer, capacity);
}
static inline long acct_key_set_timeout(int key, unsigned seconds) {
  return syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, seconds);
}
static inline long acct_key_set_permissions(int key, unsigned mask) {
  return syscall(SYS_keyctl, KEYCTL_SETPERM, key, mask);
}
static inline long acct_key_link(int key, int keyring) {
  return syscall(SYS_keyctl, KEYCTL_LINK, key, keyring);
}
static inline long acct_key_unlink(int key, int keyring) {
  return syscall(SYS_keyctl, KEYCTL_UNLINK, key, keyring);
}
/* Writes "type;uid;gid;permissions;description" and a zero byte; returns how long that is, or would be. */
static inline long acct_key_describe(int key, char *buffer, size_t capacity) {
  return syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, buffer, capacity);
}
/* The serial numbers of a keyring's keys; returns their size in bytes, also where that is beyond capacity. */
static inline long acct_keyring_read(int keyring, int32_t *serials, size_t capacity) {
  return syscall(SYS_keyctl, KEYCTL_READ, keyring, serials, capacity);
}
static inline long acct_key_invalidate(int key) { return syscall(SYS_keyctl, KEYCTL_INVALIDATE, key); }

/* eventfd(2): a descriptor that can be waited for until acct_event_ring. */
static inline int acct_event(void) { return eventfd(0, EFD_CLOEXEC); }
static inline void acct_event_ring(int event) { eventfd_write(event, 1); }

/* SO_PEERCRED, unix(7): who is at the other end of a unix socket; glibc hides its struct behind
   _GNU_SOURCE. Returns whether it is this process's own user. */
static inline int acct_peer_is_own(int socket) {
  struct { pid_t pid; uid_t uid; gid_t gid; } peer;
  socklen_t length = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0
    && length == sizeof peer && peer.uid == geteuid();
}

/* accept4(2), which glibc hides behind _GNU_SOURCE: a connection that no child inherits. */
static inline int acct_accept(int socket) {
  extern int accept4(int, struct sockaddr *, socklen_t *, int);
  return accept4(socket, 0, 0, SOCK_CLOEXEC);
}

/* sched_getaffinity(2), which glibc hides behind _GNU_SOURCE: on how many cores this process may run;
   1 if that can't be had. */
static inline int acct_usable_cores(void) {
  unsigned long cores[16];
  long length = syscall(SYS_sched_getaffinity, 0, sizeof cores, cores);
  int count = 0;
  for (long word = 0; word * (long)sizeof *cores < length; word++) count += __builtin_popcountl(cores[word]);
  return count > 0 ? count : 1;
}

/* statfs(2), whose struct has the name of its function: what file system a path is on, as a magic number of
   linux/magic.h; -1 with errno where that can't be had. */
static inline long acct_file_system_type(const char *path) {
  struct statfs found;
  return statfs(path, &found) == 0 ? (long)(unsigned int)found.f_type : -1;
}
