/* Swift reads its command line from /proc/self/cmdline, which a container or a chroot may not have:
   every command would then be the one without arguments. The C library passes the real one to each
   function of .init_array, as it does to main (its csu/libc-start.c; also for programs without a
   main of their own in C). */
#include "include/arguments.h"

#include <stddef.h>

static int known = 0;
static char **all = NULL;

__attribute__((constructor)) static void keep(int count, char **arguments) {
  known = count;
  all = arguments;
}

const char *acct_argument(int index) { return index >= 0 && index < known ? all[index] : NULL; }
