/* How the sanitizers behave in whatever is linked with this: also in acct itself, which tests start
   without any environment of theirs.

   Reports go to REPORTS/report.EXECUTABLE.PID, where .ci/sanitize looks when the tests are done: a test may
   have started, killed or replaced the process without a look at its status and its standard error. */
#define TO_FILES "log_path=" REPORTS "/report:log_exe_name=1"

/* Leaks are not looked for: the tests' doubles of the world hold on to each other, the runtime keeps what
   it has made, and acct lets no other process look into it. */
const char *__asan_default_options(void) { return TO_FILES ":detect_leaks=0"; }

/* What was suppressed is not listed: that would be a report, too. And there is no wait of a second (the default) at
   the end of thousands of processes for what other threads may do meanwhile. */
const char *__tsan_default_options(void) {
  return TO_FILES ":print_suppressions=0:atexit_sleep_ms=10";
}

const char *__ubsan_default_options(void) { return TO_FILES ":print_stacktrace=1"; }
