/* Sets the time of day for a program, and leaves its other clocks as they are (LD_PRELOAD).

     CLOCK_AT=SECONDS      it stands, so many seconds after 1970
     CLOCK_AHEAD=SECONDS   it is so far ahead

   libfaketime also moves the deadlines of timers by what the clock is ahead. Where that is more than the time since the
   machine's start, they never come. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *at;
static long ahead;

__attribute__((constructor)) static void begin(void) {
  const char *seconds = getenv("CLOCK_AHEAD");
  if (seconds != NULL) ahead = atol(seconds);
  at = getenv("CLOCK_AT");
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || clock != CLOCK_REALTIME) return result;
  if (at != NULL) *time = (struct timespec){.tv_sec = atol(at)};
  time->tv_sec += ahead;
  return 0;
}
