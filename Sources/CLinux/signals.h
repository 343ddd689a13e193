#pragma once
/* SIGHUP, SIGINT and SIGTERM noted instead of acted on, in whichever thread they arrive.
   In C because a signal handler must not run Swift's runtime. All calls from one source file: each
   that includes this has a state of its own. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

static const int acct_noted_signals[] = { SIGHUP, SIGINT, SIGTERM };
enum { ACCT_NOTED_SIGNALS = sizeof acct_noted_signals / sizeof *acct_noted_signals };

/* Within a function, since Swift emits what its code calls and not a header's variables. */
static inline struct acct_signals {
  /* A bit for each signal that came. The __atomic builtins on an int take no lock. */
  int noted;
  /* Whether the notes will be read. */
  int active;
  /* An eventfd that is rung for each note. */
  int bell;
  struct sigaction before[ACCT_NOTED_SIGNALS];
} *acct_signals(void) {
  static struct acct_signals state;
  return &state;
}

/* Sends the noted signals again that no watch has taken. They go to the process and not to this
   thread, which may be one of those that block every signal. */
static inline void acct_signals_send(int mask) {
  int noted = __atomic_fetch_and(&acct_signals()->noted, ~mask, __ATOMIC_SEQ_CST) & mask;
  for (int i = 0; i < ACCT_NOTED_SIGNALS; i++)
    if (noted & 1 << i) kill(getpid(), acct_noted_signals[i]);
}

static inline void acct_signal_came(int number) {
  int error = errno, bit = 0;
  for (int i = 0; i < ACCT_NOTED_SIGNALS; i++)
    if (acct_noted_signals[i] == number) bit = 1 << i;
  __atomic_fetch_or(&acct_signals()->noted, bit, __ATOMIC_SEQ_CST);
  uint64_t one = 1;
  /* It fails only after 2^64 - 2 unheard rings. */
  if (write(acct_signals()->bell, &one, sizeof one) < 0) {}
  /* Another thread may have given the signals back between this one's delivery and its note. */
  if (!__atomic_load_n(&acct_signals()->active, __ATOMIC_SEQ_CST)) acct_signals_send(bit);
  errno = error;
}

/* Whether one came since the last time; forgets it. */
static inline int acct_signals_take(void) {
  return __atomic_exchange_n(&acct_signals()->noted, 0, __ATOMIC_SEQ_CST) != 0;
}

/* Notes signals from here on, and rings the bell for each. One that is ignored, as SIGHUP under
   nohup(1), stays ignored. */
static inline void acct_signals_begin(int bell) {
  acct_signals()->bell = bell;
  __atomic_store_n(&acct_signals()->active, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < ACCT_NOTED_SIGNALS; i++) {
    struct sigaction action = { .sa_handler = acct_signal_came, .sa_flags = SA_RESTART };
    sigaction(acct_noted_signals[i], NULL, &acct_signals()->before[i]);
    if (acct_signals()->before[i].sa_handler == SIG_IGN) continue;
    sigaction(acct_noted_signals[i], &action, NULL);
  }
}

/* Gives the signals back, then lets those that were noted do what they would have done. */
static inline void acct_signals_end(void) {
  for (int i = 0; i < ACCT_NOTED_SIGNALS; i++)
    if (acct_signals()->before[i].sa_handler != SIG_IGN)
      sigaction(acct_noted_signals[i], &acct_signals()->before[i], NULL);
  __atomic_store_n(&acct_signals()->active, 0, __ATOMIC_SEQ_CST);
  acct_signals_send(~0);
}
