/* Gives a program the same random numbers in each run (LD_PRELOAD), as copies of one virtual machine may have.
   REPEATED_RANDOMNESS, set to anything, turns it on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_on;

/* OpenSSL mixes the address of its generator in as well: the program is started once more, with the addresses that it
   has without randomization. */
__attribute__((constructor)) static void begin(int count, char **arguments) {
  (void)count;
  is_on = getenv("REPEATED_RANDOMNESS") != NULL;
  if (!is_on) return;
  int given = personality(0xffffffff);
  if (given & ADDR_NO_RANDOMIZE) return;
  Dl_info this;
  if (personality((unsigned long)given | ADDR_NO_RANDOMIZE) == -1 || dladdr(&is_on, &this) == 0) {
    fputs("repeated_randomness: addresses can't be fixed here: personality(2) is refused\n", stderr);
    abort();
  }
  setenv("LD_PRELOAD", this.dli_fname, 1);
  execv("/proc/self/exe", arguments);
  abort();
}

/* Another byte each time, so that a program that draws again until it likes what it gets goes on. */
static void repeat(unsigned char *bytes, size_t count) {
  static uint32_t state = 1;
  for (size_t i = 0; i < count; i++) {
    state = state * 1664525 + 1013904223;
    bytes[i] = (unsigned char)(state >> 24);
  }
}

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  if (!is_on) return syscall(SYS_getrandom, bytes, count, flags);
  repeat(bytes, count);
  return (ssize_t)count;
}

int getentropy(void *bytes, size_t count) { return getrandom(bytes, count, 0) == (ssize_t)count ? 0 : -1; }

/* OpenSSL mixes the process, the thread and the time into what seeds its generator; the copies have them in common as
   well. It asks for the thread right after the process. Others, who need the real one, do not. */
static __thread int asked;

pid_t getpid(void) {
  asked = is_on;
  return is_on ? 1000 : (pid_t)syscall(SYS_getpid);
}

pthread_t pthread_self(void) {
  static __typeof__(&pthread_self) real;
  if (asked) {
    asked = 0;
    return 1000;
  }
  if (real == NULL) real = (__typeof__(&pthread_self))dlsym(RTLD_NEXT, "pthread_self");
  return real();
}

/* Some libraries call the kernel by this. */
long syscall(long number, ...) {
  static __typeof__(&syscall) real;
  if (real == NULL) real = (__typeof__(&syscall))dlsym(RTLD_NEXT, "syscall");
  long given[6];
  va_list arguments;
  va_start(arguments, number);
  for (int i = 0; i < 6; i++) given[i] = va_arg(arguments, long);
  va_end(arguments);
  if (is_on && number == SYS_getrandom) return getrandom((void *)given[0], (size_t)given[1], (unsigned)given[2]);
  return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
