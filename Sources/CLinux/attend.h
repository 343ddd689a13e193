#pragma once
/* What a signal means to a process that keeps a folder of secret files: the files go first; and to one that waits for
   another program beside it: the program gets the signal. All calls from one source file: each that includes this has a
   state of its own. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include "exec.h"
#include "remove.h"

enum { ACCT_SIGNALS = 64 };
#define ACCT_SIGNAL(number) ((uint64_t)1 << ((number) - 1))

static inline struct acct_attended {
  /* Whether signals are the program's; its id, or 0 while there is none, and the signals that came before it. */
  int attends;
  pid_t child;
  uint64_t early;
  /* The folder to delete, or 0 without one, and its name in the folder that it lies in. */
  int folder, place;
  char name[64];
} *acct_attended(void) {
  static struct acct_attended state;
  return &state;
}

/* The signals that end a process, and can be caught: all but those that do nothing or stop it, the two of glibc's own,
   and SIGPIPE and SIGXFSZ, which acct ignores. */
static inline uint64_t acct_ending_signals(void) {
  return ~(ACCT_SIGNAL(SIGKILL) | ACCT_SIGNAL(SIGSTOP) | ACCT_SIGNAL(SIGTSTP) | ACCT_SIGNAL(SIGTTIN) |
           ACCT_SIGNAL(SIGTTOU) | ACCT_SIGNAL(SIGCONT) | ACCT_SIGNAL(SIGCHLD) | ACCT_SIGNAL(SIGURG) |
           ACCT_SIGNAL(SIGWINCH) | ACCT_SIGNAL(SIGPIPE) | ACCT_SIGNAL(SIGXFSZ) | ACCT_SIGNAL(32) |
           ACCT_SIGNAL(33));
}

/* Returns the folder to the first caller, which deletes it; 0 to every other. */
static inline int acct_take_folder(void) {
  return __atomic_exchange_n(&acct_attended()->folder, 0, __ATOMIC_SEQ_CST);
}

/* Whether the process itself has failed: the kernel says so, or abort(3). */
static inline int acct_is_fault(int number, const siginfo_t *info) {
  uint64_t faults = ACCT_SIGNAL(SIGILL) | ACCT_SIGNAL(SIGTRAP) | ACCT_SIGNAL(SIGABRT) | ACCT_SIGNAL(SIGBUS) |
                    ACCT_SIGNAL(SIGFPE) | ACCT_SIGNAL(SIGSEGV) | ACCT_SIGNAL(SIGSYS);
  return (faults & ACCT_SIGNAL(number)) && (info->si_code > 0 || info->si_pid == getpid());
}

/* Whether the program has the signal by itself, since what a terminal sends goes to every process there. */
static inline int acct_stays_here(int number, const siginfo_t *info) {
  uint64_t terminal = ACCT_SIGNAL(SIGHUP) | ACCT_SIGNAL(SIGINT) | ACCT_SIGNAL(SIGQUIT);
  return info->si_code == SI_KERNEL && (terminal & ACCT_SIGNAL(number)) != 0;
}

static inline void acct_on_signal(int number, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  struct acct_attended *state = acct_attended();
  if (!__atomic_load_n(&state->attends, __ATOMIC_SEQ_CST) || acct_is_fault(number, info)) {
    int folder = acct_take_folder();
    if (folder) acct_remove_folder(state->place, folder, state->name);
    /* What it would have done without a folder, as soon as this returns. */
    signal(number, SIG_DFL);
    kill(getpid(), number);
  } else if (!acct_stays_here(number, info)) {
    pid_t child = __atomic_load_n(&state->child, __ATOMIC_SEQ_CST);
    if (child > 0) kill(child, number);
    else __atomic_fetch_or(&state->early, ACCT_SIGNAL(number), __ATOMIC_SEQ_CST);
  }
  errno = error;
}

/* Gives the signals that acct_keep_folder has taken their default again. */
static inline void acct_release_signals(void) {
  for (int number = 1; number <= ACCT_SIGNALS; number++) {
    struct sigaction now;
    if (sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == acct_on_signal)
      signal(number, SIG_DFL);
  }
}

/* Deletes an open folder, which has this name in another, when a signal ends the process. One that is ignored, as SIGHUP
   under nohup(1), stays ignored. */
static inline void acct_keep_folder(int place, int folder, const char *name) {
  struct acct_attended *state = acct_attended();
  state->place = place;
  for (unsigned long at = 0; at < sizeof state->name - 1 && name[at]; at++) state->name[at] = name[at];
  __atomic_store_n(&state->folder, folder, __ATOMIC_SEQ_CST);
  for (int number = 1; number <= ACCT_SIGNALS; number++) {
    struct sigaction action = { .sa_sigaction = acct_on_signal, .sa_flags = SA_RESTART | SA_SIGINFO }, before;
    if (!(acct_ending_signals() & ACCT_SIGNAL(number)) || sigaction(number, NULL, &before) != 0) continue;
    if (before.sa_handler == SIG_DFL) sigaction(number, &action, NULL);
  }
}

/* Forgets the folder. Returns 0 if a signal handler deletes it just now: it needs its descriptors. */
static inline int acct_forget_folder(void) {
  int is_taken = acct_take_folder();
  __atomic_store_n(&acct_attended()->attends, 0, __ATOMIC_SEQ_CST);
  acct_release_signals();
  return is_taken;
}

/* Starts a program in this process's group, with its streams, this environment and signal mask. Returns its id, or -1
   with errno, also if it can't be run. */
static inline pid_t acct_attend(char *const arguments[], char **environment, const sigset_t *mask) {
  struct acct_attended *state = acct_attended();
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return -1;
  __atomic_store_n(&state->attends, 1, __ATOMIC_SEQ_CST);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child == 0) {
    acct_release_signals();
    int error = acct_exec(arguments, environment, mask);
    if (write(failure[1], &error, sizeof error) < 0) {}
    _exit(127);
  }
  int error = errno;
  if (child > 0) __atomic_store_n(&state->child, child, __ATOMIC_SEQ_CST);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(failure[1]);
  if (child > 0) {
    uint64_t early = __atomic_exchange_n(&state->early, 0, __ATOMIC_SEQ_CST);
    for (int number = 1; number <= ACCT_SIGNALS; number++)
      if (early & ACCT_SIGNAL(number)) kill(child, number);
    ssize_t got;
    do got = read(failure[0], &error, sizeof error); while (got < 0 && errno == EINTR);
    if (got == sizeof error) {
      __atomic_store_n(&state->child, 0, __ATOMIC_SEQ_CST);
      pid_t reaped;
      do reaped = waitpid(child, NULL, 0); while (reaped < 0 && errno == EINTR);
      child = -1;
    }
  }
  close(failure[0]);
  if (child < 0) __atomic_store_n(&state->attends, 0, __ATOMIC_SEQ_CST);
  errno = error;
  return child;
}

/* Waits for the program's end, and returns what waitpid(2) gives. Nothing is passed on to its id any more before that is
   free for another process. */
static inline int acct_attended_end(pid_t child) {
  siginfo_t info;
  int status = 0, result;
  do result = waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT); while (result < 0 && errno == EINTR);
  __atomic_store_n(&acct_attended()->child, 0, __ATOMIC_SEQ_CST);
  do result = waitpid(child, &status, 0); while (result < 0 && errno == EINTR);
  return status;
}
