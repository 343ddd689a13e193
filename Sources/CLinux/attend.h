#pragma once
/* Another program beside this process, which passes signals on to it. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "exec.h"
#include "signals.h"

/* The program, or 0 without one, and a bit for each signal that came before it was there. */
static inline struct acct_attended {
  pid_t child;
  int early;
} *acct_attended(void) {
  static struct acct_attended state;
  return &state;
}

/* A signal that the terminal sends goes to every process there, and so to the program by itself. */
static inline void acct_pass_on(int number, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  pid_t child = __atomic_load_n(&acct_attended()->child, __ATOMIC_SEQ_CST);
  if (info->si_code != SI_KERNEL) {
    if (child > 0) kill(child, number);
    else
      for (int i = 0; i < ACCT_NOTED_SIGNALS; i++)
        if (acct_noted_signals[i] == number) __atomic_fetch_or(&acct_attended()->early, 1 << i, __ATOMIC_SEQ_CST);
  }
  errno = error;
}

/* Passes the signals on from here on. One that is ignored, as SIGHUP under nohup(1), stays ignored. */
static inline void acct_pass_signals_on(void) {
  for (int i = 0; i < ACCT_NOTED_SIGNALS; i++) {
    struct sigaction action = { .sa_sigaction = acct_pass_on, .sa_flags = SA_RESTART | SA_SIGINFO }, before;
    sigaction(acct_noted_signals[i], NULL, &before);
    if (before.sa_handler != SIG_IGN) sigaction(acct_noted_signals[i], &action, NULL);
  }
}

/* Starts a program in this process's group, with its streams, this environment and signal mask. Returns its id, or -1
   with errno, also if it can't be run. */
static inline pid_t acct_attend(char *const arguments[], char **environment, const sigset_t *mask) {
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return -1;
  acct_pass_signals_on();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < ACCT_NOTED_SIGNALS; i++) {
      struct sigaction now;
      sigaction(acct_noted_signals[i], NULL, &now);
      if (now.sa_handler != SIG_IGN) signal(acct_noted_signals[i], SIG_DFL);
    }
    int error = acct_exec(arguments, environment, mask);
    if (write(failure[1], &error, sizeof error) < 0) {}
    _exit(127);
  }
  int error = errno;
  if (child > 0) __atomic_store_n(&acct_attended()->child, child, __ATOMIC_SEQ_CST);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(failure[1]);
  if (child > 0) {
    int early = __atomic_exchange_n(&acct_attended()->early, 0, __ATOMIC_SEQ_CST);
    for (int i = 0; i < ACCT_NOTED_SIGNALS; i++)
      if (early & 1 << i) kill(child, acct_noted_signals[i]);
    ssize_t got;
    do got = read(failure[0], &error, sizeof error); while (got < 0 && errno == EINTR);
    if (got == sizeof error) {
      __atomic_store_n(&acct_attended()->child, 0, __ATOMIC_SEQ_CST);
      pid_t reaped;
      do reaped = waitpid(child, NULL, 0); while (reaped < 0 && errno == EINTR);
      child = -1;
    }
  }
  close(failure[0]);
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
