#pragma once
/* Linux calls that Swift cannot make itself, because they are variadic in C or
   because glibc has no wrapper for them. One inline function for each, nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
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

/* inotify(7): a queue of changes, which is read without waiting. */
static inline int acct_watch_queue(void) { return inotify_init1(IN_CLOEXEC | IN_NONBLOCK); }
/* Any change of a folder, of its place, and of the files in it; reading is none. */
static inline int acct_watch_folder(int queue, const char *path) {
  return inotify_add_watch(queue, path, IN_ONLYDIR | IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB |
                                            IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF | IN_DELETE_SELF);
}
/* That another folder may take a folder's place. */
static inline int acct_watch_place(int queue, const char *path) {
  return inotify_add_watch(queue, path, IN_ONLYDIR | IN_MOVE_SELF | IN_DELETE_SELF);
}
/* Whether after an event other folders may have to be watched: one has come or gone, or events were lost. */
static inline int acct_watch_is_over(uint32_t mask) {
  return (mask & (IN_ISDIR | IN_IGNORED | IN_UNMOUNT | IN_MOVE_SELF | IN_DELETE_SELF | IN_Q_OVERFLOW)) != 0;
}

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

/* memfd_secret(2), which glibc has no function for: zeroed memory that the kernel takes out of its own map, so that
   neither /proc/PID/mem nor process_vm_readv(2) can read it; no child has it. NULL where the kernel does not have it,
   or RLIMIT_MEMLOCK is smaller. */
static inline void *acct_secret_memory(size_t size) {
#ifdef SYS_memfd_secret
  int file = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
#else
  int file = (int)syscall(447, O_CLOEXEC);
#endif
  if (file < 0) return NULL;
  void *memory = ftruncate(file, (off_t)size) == 0
    ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  if (memory == MAP_FAILED) return NULL;
  if (madvise(memory, size, MADV_DONTFORK) == 0) return memory;
  munmap(memory, size);
  return NULL;
}

/* landlock(7), by the numbers that all architectures share: older headers lack them, and the newer rights. */
struct acct_landlock { uint64_t files, ports, scopes; };
static inline long acct_landlock_version(void) { return syscall(444, NULL, 0, 1); }
static inline int acct_landlock_create(const struct acct_landlock *handled) {
  return (int)syscall(444, handled, sizeof *handled, 0);
}
/* A rule for what lies beneath an open folder, or for an open file. */
static inline long acct_landlock_allow_path(int rules, int folder, uint64_t rights) {
  struct { uint64_t rights; int32_t folder; } __attribute__((packed)) rule = { rights, folder };
  return syscall(445, rules, 1, &rule, 0);
}
/* A rule for a TCP port. */
static inline long acct_landlock_allow_port(int rules, uint64_t port, uint64_t rights) {
  struct { uint64_t rights, port; } rule = { rights, port };
  return syscall(445, rules, 2, &rule, 0);
}
/* Of this thread, and of those that it makes from now on. */
static inline int acct_landlock_begin(int rules) {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(446, rules, 0) == 0 ? 0 : -1;
}
