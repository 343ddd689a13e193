/* Gives a program the same random numbers in each run (LD_PRELOAD), as copies of one virtual machine may have.
   REPEATED_RANDOMNESS, set to anything, turns it on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_on;

__attribute__((constructor)) static void begin(void) { is_on = getenv("REPEATED_RANDOMNESS") != NULL; }

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

/* BoringSSL calls the kernel by this. */
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
