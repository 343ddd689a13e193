/* How the sanitizers behave in whatever is linked with this: also in acct itself, which tests start
   without any environment of theirs. */

/* Leaks are not looked for: the tests' doubles of the world hold on to each other, the runtime keeps what
   it has made, and acct lets nobody look into it. */
const char *__asan_default_options(void) { return "detect_leaks=0"; }

const char *__ubsan_default_options(void) { return "print_stacktrace=1"; }
