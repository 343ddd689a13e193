#pragma once
/* A program that works for this process and is waited for. */
#include "detached.h"
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* pipe2(2): what is written to the second can be read from the first; neither is handed on, and a read never waits. */
static inline int acct_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

/* What the child gets for its standard streams; -1: it keeps this process's own. */
struct acct_streams { int input, output, errors; };

/* The child's part, under the rules of acct_become. Descriptor 3 carries the error number of exec(3), and closes
   if that succeeds. */
static inline void acct_become_worker(
  char *const arguments[], char **environment, struct acct_streams streams, int failure, int is_detached,
  mode_t mask, rlim_t core_limit
) {
  extern char **environ;
  if (is_detached) setsid();
  /* With the thread that waits for it, which ends with acct. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (streams.input >= 0) dup2(streams.input, 0);
  if (streams.output >= 0) dup2(streams.output, 1);
  if (streams.errors >= 0) dup2(streams.errors, 2);
  if (failure != 3) {
    dup2(failure, 3);
    fcntl(3, F_SETFD, FD_CLOEXEC);
  }
  acct_close_from(4);
  acct_reset_process(mask, core_limit);
  environ = environment;
  execvp(arguments[0], arguments);
  int error = errno;
  if (write(3, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

/* Starts a program with these streams, all of which lie above 2 and are closed at exec(3), in a session of its own if it
   is detached. It is found on PATH and gets this environment but for one variable. Returns its id, or -1 with errno,
   also if it can't be run. */
static inline pid_t acct_start_program(
  char *const arguments[], const char *unwanted, struct acct_streams streams, int is_detached, mode_t mask,
  rlim_t core_limit
) {
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return -1;
  char **environment = acct_environment_without(unwanted);
  if (!environment) {
    close(failure[0]);
    close(failure[1]);
    errno = ENOMEM;
    return -1;
  }
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child == 0)
    acct_become_worker(arguments, environment, streams, failure[1], is_detached, mask, core_limit);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  free(environment);
  close(failure[1]);
  if (child > 0) {
    ssize_t got;
    do got = read(failure[0], &error, sizeof error); while (got < 0 && errno == EINTR);
    if (got == sizeof error) {
      pid_t reaped;
      do reaped = waitpid(child, NULL, 0); while (reaped < 0 && errno == EINTR);
      child = -1;
    }
  }
  close(failure[0]);
  errno = error;
  return child;
}

/* A descriptor that is readable once the child has ended, or -1 on kernels before 5.3. */
static inline int acct_watch_child(pid_t child) { return (int)syscall(434 /* pidfd_open */, child, 0); }

/* The exit status that waitpid(2) gave, as shells count it. */
static inline int acct_exit_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
