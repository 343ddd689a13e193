/* Puts one fault on one system call of a program (LD_PRELOAD), or tells which calls it makes.

   It knows nothing of the program. Calls of one kind are numbered as they are made, from 1:

     open create read write fsync rename unlink mkdir lock      of regular files and folders
     unix-connect unix-send unix-receive                        of unix sockets, such as a bus's
     inet-connect inet-send inet-receive                        of what the program connects to

   FAULTS_REPORT is a file to which a line "KIND NUMBER" is added for each call, or, where
   FAULTS_AT=KIND:NUMBER is set, one line for that call alone. FAULTS_DO is what befalls it:

     error        EIO, ECONNREFUSED or ECONNRESET, and the call is not made
     full         ENOSPC, and the call is not made
     interrupted  EINTR, and the call is not made
     short        half of the bytes
     before       SIGKILL instead of the call
     after        SIGKILL when the call is done
     stop         SIGSTOP before the call, which is made when the program is woken
     stopped      SIGSTOP when the call is done

   FAULTS_PORT leaves out the inet calls at any other port of the peer.

   Children that the program starts are left alone. What cannot fail for such reasons (an eventfd
   of an event loop) is not counted, nor is a read from a socket with nothing to read, which would
   make the numbers depend on the time; nor are connections that others make to the program, which
   can always make another; nor what a runtime looks up of its own threads in /proc and /sys. */
#define _GNU_SOURCE
/* The fortified and the 64-bit names are wrapped under their own names below. */
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
  OPEN, CREATE, READ, WRITE, FSYNC, RENAME, UNLINK, MKDIR, LOCK,
  UNIX_CONNECT, UNIX_SEND, UNIX_RECEIVE, INET_CONNECT, INET_SEND, INET_RECEIVE, KINDS,
};

static const char *const kinds[KINDS] = {
  "open", "create", "read", "write", "fsync", "rename", "unlink", "mkdir", "lock",
  "unix-connect", "unix-send", "unix-receive", "inet-connect", "inet-send", "inet-receive",
};

enum fault { NONE, ERROR, FULL, INTERRUPTED, SHORT, BEFORE, AFTER, STOP, STOPPED, FAULTS };

static const char *const faults[FAULTS] = {
  "", "error", "full", "interrupted", "short", "before", "after", "stop", "stopped",
};

static pid_t program;
static int report = -1;
static int wanted_kind = -1, wanted_number, wanted_port;
static enum fault wanted_fault;
static atomic_int counts[KINDS];
/* Sockets that others have connected to the program. */
static atomic_char accepted[1024];

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULTS_REPORT"), *at = getenv("FAULTS_AT"), *what = getenv("FAULTS_DO");
  const char *port = getenv("FAULTS_PORT");
  /* What the program starts is not what is tortured. */
  unsetenv("LD_PRELOAD");
  if (path == NULL) return;
  if (port != NULL) wanted_port = atoi(port);
  for (int kind = 0; at != NULL && kind < KINDS; kind++) {
    size_t length = strlen(kinds[kind]);
    if (strncmp(at, kinds[kind], length) == 0 && at[length] == ':') {
      wanted_kind = kind;
      wanted_number = atoi(at + length + 1);
    }
  }
  for (int fault = 1; what != NULL && fault < FAULTS; fault++)
    if (strcmp(what, faults[fault]) == 0) wanted_fault = fault;
  report = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  /* A program may expect its first files at 3, 4, 5. */
  int high = (int)syscall(SYS_fcntl, report, F_DUPFD_CLOEXEC, 900);
  if (high >= 0) {
    syscall(SYS_close, report);
    report = high;
  }
  program = getpid();
}

/* Stops the program: sent to this thread, the signal takes effect before kill returns. */
static void stop(void) { syscall(SYS_tgkill, program, syscall(SYS_gettid), SIGSTOP); }

/* Whether an inet call at this peer is counted. */
static int is_wanted_peer(const struct sockaddr_storage *peer) {
  if (wanted_port == 0) return 1;
  if (peer->ss_family == AF_INET) return ntohs(((const struct sockaddr_in *)peer)->sin_port) == wanted_port;
  if (peer->ss_family == AF_INET6) return ntohs(((const struct sockaddr_in6 *)peer)->sin6_port) == wanted_port;
  return 0;
}

/* Counts a call, and tells what is to befall it. */
static enum fault meet(enum kind kind) {
  if (program == 0 || program != getpid()) return NONE;
  int number = atomic_fetch_add(&counts[kind], 1) + 1;
  int is_wanted = (int)kind == wanted_kind && number == wanted_number;
  if (wanted_kind < 0 || is_wanted) {
    char line[64];
    int length = snprintf(line, sizeof line, "%s %d\n", kinds[kind], number);
    syscall(SYS_write, report, line, (size_t)length);
  }
  if (!is_wanted) return NONE;
  if (wanted_fault == BEFORE) kill(program, SIGKILL);
  if (wanted_fault == STOP) stop();
  return wanted_fault;
}

/* Sets errno for a fault that keeps the call from being made; 0 if it is made after all. */
static int refuses(enum fault fault, enum kind kind) {
  switch (fault) {
  case ERROR:
    errno = kind < UNIX_CONNECT ? EIO : kind == UNIX_CONNECT || kind == INET_CONNECT ? ECONNREFUSED : ECONNRESET;
    return 1;
  case FULL: errno = ENOSPC; return 1;
  case INTERRUPTED: errno = EINTR; return 1;
  default: return 0;
  }
}

static long done(enum fault fault, long result) {
  int error = errno;
  if (fault == AFTER) kill(program, SIGKILL);
  if (fault == STOPPED) stop();
  errno = error;
  return result;
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* A call that is made or not. */
#define WRAP(kind, name, parameters, arguments) \
  int name parameters { \
    REAL(name); \
    enum fault fault = meet(kind); \
    if (refuses(fault, kind)) return -1; \
    return (int)done(fault, real arguments); \
  }

WRAP(FSYNC, fsync, (int file), (file))
WRAP(FSYNC, fdatasync, (int file), (file))
WRAP(RENAME, rename, (const char *from, const char *to), (from, to))
WRAP(RENAME, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
WRAP(RENAME, renameat2, (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags))
WRAP(RENAME, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
WRAP(UNLINK, unlink, (const char *path), (path))
WRAP(UNLINK, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
WRAP(MKDIR, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(MKDIR, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
WRAP(LOCK, flock, (int file, int operation), (file, operation))

static mode_t mode_of(int flags, va_list arguments) {
  return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

static int is_kernel(const char *path) {
  return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0;
}

#define WRAP_OPEN(name, parameters, ...) \
  int name parameters { \
    REAL(name); \
    va_list variable; \
    va_start(variable, flags); \
    mode_t mode = mode_of(flags, variable); \
    va_end(variable); \
    enum kind kind = flags & O_CREAT ? CREATE : OPEN; \
    enum fault fault = is_kernel(path) ? NONE : meet(kind); \
    if (refuses(fault, kind)) return -1; \
    return (int)done(fault, real(__VA_ARGS__, mode)); \
  }

WRAP_OPEN(open, (const char *path, int flags, ...), path, flags)
WRAP_OPEN(open64, (const char *path, int flags, ...), path, flags)
WRAP_OPEN(openat, (int folder, const char *path, int flags, ...), folder, path, flags)
WRAP_OPEN(openat64, (int folder, const char *path, int flags, ...), folder, path, flags)

int fcntl(int file, int command, ...) {
  REAL(fcntl);
  va_list variable;
  va_start(variable, command);
  void *argument = va_arg(variable, void *);
  va_end(variable);
  int locks = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
  enum fault fault = locks ? meet(LOCK) : NONE;
  if (refuses(fault, LOCK)) return -1;
  return (int)done(fault, real(file, command, argument));
}

/* Which kind of reading or writing it is at a descriptor; -1 for what is not counted. */
static int kind_at(int file, enum kind of_file, enum kind of_unix, enum kind of_inet) {
  struct stat status;
  if (program == 0 || fstat(file, &status) != 0) return -1;
  if (S_ISREG(status.st_mode)) return (int)of_file;
  if (!S_ISSOCK(status.st_mode)) return -1;
  if (file < (int)(sizeof accepted) && accepted[file]) return -1;
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(file, (struct sockaddr *)&address, &length) != 0) return -1;
  int is_unix = address.ss_family == AF_UNIX;
  /* A socketpair has no names: an event loop's own, which nothing can disturb. */
  length = sizeof address;
  if (is_unix && (getpeername(file, (struct sockaddr *)&address, &length) != 0 || length <= sizeof(sa_family_t)))
    return -1;
  if (!is_unix) {
    if (address.ss_family != AF_INET && address.ss_family != AF_INET6) return -1;
    length = sizeof address;
    if (wanted_port != 0 && (getpeername(file, (struct sockaddr *)&address, &length) != 0 || !is_wanted_peer(&address)))
      return -1;
  }
  if (of_unix == UNIX_RECEIVE) {
    struct pollfd request = {.fd = file, .events = POLLIN};
    if (poll(&request, 1, 0) != 1) return -1;
  }
  return (int)(is_unix ? of_unix : of_inet);
}

/* Half, but something: nothing would be the end. */
static size_t half(size_t count) { return count > 1 ? count / 2 : count; }

#define WRAP_BYTES(of_file, of_unix, of_inet, name, parameters, arguments) \
  ssize_t name parameters { \
    REAL(name); \
    int kind = kind_at(file, of_file, of_unix, of_inet); \
    if (kind < 0) return real arguments; \
    enum fault fault = meet((enum kind)kind); \
    if (refuses(fault, (enum kind)kind)) return -1; \
    if (fault == SHORT) count = half(count); \
    return done(fault, real arguments); \
  }
#define WRAP_READ(name, parameters, arguments) \
  WRAP_BYTES(READ, UNIX_RECEIVE, INET_RECEIVE, name, parameters, arguments)
#define WRAP_WRITE(name, parameters, arguments) \
  WRAP_BYTES(WRITE, UNIX_SEND, INET_SEND, name, parameters, arguments)

WRAP_READ(read, (int file, void *bytes, size_t count), (file, bytes, count))
WRAP_READ(pread, (int file, void *bytes, size_t count, off_t offset), (file, bytes, count, offset))
WRAP_READ(recv, (int file, void *bytes, size_t count, int flags), (file, bytes, count, flags))
WRAP_READ(recvfrom, (int file, void *bytes, size_t count, int flags, struct sockaddr *from, socklen_t *length),
          (file, bytes, count, flags, from, length))
WRAP_WRITE(write, (int file, const void *bytes, size_t count), (file, bytes, count))
WRAP_WRITE(pwrite, (int file, const void *bytes, size_t count, off_t offset), (file, bytes, count, offset))
WRAP_WRITE(send, (int file, const void *bytes, size_t count, int flags), (file, bytes, count, flags))
WRAP_WRITE(sendto, (int file, const void *bytes, size_t count, int flags, const struct sockaddr *to, socklen_t length),
           (file, bytes, count, flags, to, length))

/* What programs call that were compiled with _FORTIFY_SOURCE. */
ssize_t __read_chk(int file, void *bytes, size_t count, size_t room) {
  if (count > room) abort();
  return read(file, bytes, count);
}
ssize_t __recv_chk(int file, void *bytes, size_t count, size_t room, int flags) {
  if (count > room) abort();
  return recv(file, bytes, count, flags);
}

/* Several buffers; a short one is half of the first. */
#define WRAP_BUFFERS(of_file, of_unix, of_inet, name, parameters, arguments, buffers, buffer_count) \
  ssize_t name parameters { \
    REAL(name); \
    int kind = kind_at(file, of_file, of_unix, of_inet); \
    if (kind < 0) return real arguments; \
    enum fault fault = meet((enum kind)kind); \
    if (refuses(fault, (enum kind)kind)) return -1; \
    struct iovec first; \
    if (fault == SHORT && buffer_count > 0) { \
      first = buffers[0]; \
      first.iov_len = half(first.iov_len); \
      buffers = &first; \
      buffer_count = 1; \
    } \
    return done(fault, real arguments); \
  }

WRAP_BUFFERS(READ, UNIX_RECEIVE, INET_RECEIVE, readv, (int file, const struct iovec *buffers, int count),
             (file, buffers, count), buffers, count)
WRAP_BUFFERS(WRITE, UNIX_SEND, INET_SEND, writev, (int file, const struct iovec *buffers, int count),
             (file, buffers, count), buffers, count)

ssize_t sendmsg(int file, const struct msghdr *given, int flags) {
  REAL(sendmsg);
  int kind = kind_at(file, WRITE, UNIX_SEND, INET_SEND);
  if (kind < 0) return real(file, given, flags);
  enum fault fault = meet((enum kind)kind);
  if (refuses(fault, (enum kind)kind)) return -1;
  struct msghdr message = *given;
  struct iovec first;
  if (fault == SHORT && message.msg_iovlen > 0) {
    first = message.msg_iov[0];
    first.iov_len = half(first.iov_len);
    message.msg_iov = &first;
    message.msg_iovlen = 1;
  }
  return done(fault, real(file, &message, flags));
}

ssize_t recvmsg(int file, struct msghdr *message, int flags) {
  REAL(recvmsg);
  int kind = kind_at(file, READ, UNIX_RECEIVE, INET_RECEIVE);
  if (kind < 0) return real(file, message, flags);
  enum fault fault = meet((enum kind)kind);
  if (refuses(fault, (enum kind)kind)) return -1;
  if (fault != SHORT || message->msg_iovlen == 0) return done(fault, real(file, message, flags));
  struct iovec *buffers = message->msg_iov, first = buffers[0];
  size_t count = message->msg_iovlen;
  first.iov_len = half(first.iov_len);
  message->msg_iov = &first;
  message->msg_iovlen = 1;
  ssize_t result = real(file, message, flags);
  message->msg_iov = buffers;
  message->msg_iovlen = count;
  return result;
}

int connect(int file, const struct sockaddr *address, socklen_t length) {
  REAL(connect);
  if (file >= 0 && file < (int)(sizeof accepted)) accepted[file] = 0;
  int is_inet = address->sa_family == AF_INET || address->sa_family == AF_INET6;
  if (!is_inet && address->sa_family != AF_UNIX) return real(file, address, length);
  struct sockaddr_storage peer = {0};
  memcpy(&peer, address, length < sizeof peer ? length : sizeof peer);
  if (is_inet && !is_wanted_peer(&peer)) return real(file, address, length);
  enum kind kind = is_inet ? INET_CONNECT : UNIX_CONNECT;
  enum fault fault = meet(kind);
  if (refuses(fault, kind)) return -1;
  return (int)done(fault, real(file, address, length));
}

static int taken(int file) {
  if (file >= 0 && file < (int)(sizeof accepted)) accepted[file] = 1;
  return file;
}

int accept(int file, struct sockaddr *address, socklen_t *length) {
  REAL(accept);
  return taken(real(file, address, length));
}

int accept4(int file, struct sockaddr *address, socklen_t *length, int flags) {
  REAL(accept4);
  return taken(real(file, address, length, flags));
}
