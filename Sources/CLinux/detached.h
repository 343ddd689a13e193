#pragma once
/* A program that has nothing to do with this process any more. fork(2) rather than posix_spawn(3),
   which can give back neither the umask nor a limit, and which Swift can't call in full. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The last real-time one. 32 and 33 are glibc's own, which refuses to change them. */
enum { ACCT_LAST_SIGNAL = 64 };

/* Closes what lies at this number and above: not every library marks its descriptors. */
static inline void acct_close_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0u, 0u) != 0)
    for (unsigned number = first; number < 1024; number++) close((int)number);
}

/* Gives back what acct has changed for itself; every signal is as in a fresh login. */
static inline void acct_reset_process(mode_t mask, rlim_t core_limit) {
  umask(mask);
  struct rlimit limit;
  if (getrlimit(RLIMIT_CORE, &limit) == 0) {
    limit.rlim_cur = core_limit;
    setrlimit(RLIMIT_CORE, &limit);
  }
  for (int number = 1; number <= ACCT_LAST_SIGNAL; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The child's part: nothing here but what a child of many threads may call (signal-safety(7)), and
   execvp(3), which in glibc allocates nothing. */
static inline void acct_become(
  char *const arguments[], char **environment, mode_t mask, rlim_t core_limit
) {
  extern char **environ;
  setsid();
  int null = open("/dev/null", O_RDWR);
  for (int number = 0; number < 3; number++) dup2(null, number);
  /* A browser may live for weeks. */
  acct_close_from(3);
  acct_reset_process(mask, core_limit);
  environ = environment;
  execvp(arguments[0], arguments);
  _exit(127);
}

/* This environment but for one variable, to be freed, or NULL without memory. */
static inline char **acct_environment_without(const char *unwanted) {
  extern char **environ;
  size_t count = 0, kept = 0, length = strlen(unwanted);
  while (environ && environ[count]) count++;
  char **environment = malloc((count + 1) * sizeof *environment);
  if (!environment) return NULL;
  for (size_t i = 0; i < count; i++)
    if (strncmp(environ[i], unwanted, length) != 0 || environ[i][length] != '=')
      environment[kept++] = environ[i];
  environment[kept] = NULL;
  return environment;
}

/* Starts a program in a session of its own and on /dev/null, with every signal as in a fresh login.
   It is found on PATH and gets this environment but for one variable. Returns its id, or -1 with
   errno; a program that can't be run ends with status 127. */
static inline pid_t acct_start_detached(
  char *const arguments[], const char *unwanted, mode_t mask, rlim_t core_limit
) {
  char **environment = acct_environment_without(unwanted);
  if (!environment) return -1;
  /* Until the child has its own dispositions, a signal must not run this process's handlers there. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child == 0) acct_become(arguments, environment, mask, core_limit);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  free(environment);
  errno = error;
  return child;
}
