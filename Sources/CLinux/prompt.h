#pragma once
/* A terminal's mode while a question waits for its answer, and back however the process goes on.
   In C because a signal handler must not run Swift's runtime. One terminal at a time, and all
   calls from one source file: each that includes this has a state of its own. */
#include <errno.h>
#include <signal.h>
#include <termios.h>

static const int acct_prompt_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
enum { ACCT_PROMPT_SIGNALS = sizeof acct_prompt_signals / sizeof *acct_prompt_signals };

/* Within a function, since Swift emits what its code calls and not a header's variables. */
static inline struct acct_prompt {
  volatile sig_atomic_t active;
  int terminal;
  struct termios before;
  struct sigaction handlers[ACCT_PROMPT_SIGNALS];
} *acct_prompt(void) {
  static struct acct_prompt state;
  return &state;
}

/* tcsetattr(3) is one of the few calls that a signal handler may make (signal-safety(7)). */
static inline void acct_prompt_restore(void) {
  if (!acct_prompt()->active) return;
  acct_prompt()->active = 0;
  tcsetattr(acct_prompt()->terminal, TCSANOW, &acct_prompt()->before);
}

/* Gives the terminal back, then lets the signal do what it would have done. */
static inline void acct_prompt_interrupted(int number) {
  int error = errno;
  acct_prompt_restore();
  for (int i = 0; i < ACCT_PROMPT_SIGNALS; i++)
    if (acct_prompt_signals[i] == number) sigaction(number, &acct_prompt()->handlers[i], NULL);
  kill(getpid(), number);
  errno = error;
}

/* Restores the terminal and the signals, except those that other code has taken meanwhile. */
static inline void acct_prompt_end(void) {
  acct_prompt_restore();
  for (int i = 0; i < ACCT_PROMPT_SIGNALS; i++) {
    struct sigaction now;
    sigaction(acct_prompt_signals[i], NULL, &now);
    if (now.sa_handler == acct_prompt_interrupted)
      sigaction(acct_prompt_signals[i], &acct_prompt()->handlers[i], NULL);
  }
}

/* Whether no signal has given the terminal back meanwhile. */
static inline int acct_prompt_is_active(void) { return acct_prompt()->active; }

/* Turns the signal keys off, and echo too for a secret: Ctrl-C and Ctrl-\ end the line and arrive
   in it, so that the one who asked hears of the cancellation. Returns 0, or -1 with errno. */
static inline int acct_prompt_begin(int terminal, int is_secret) {
  if (tcgetattr(terminal, &acct_prompt()->before) != 0) return -1;
  struct termios mode = acct_prompt()->before;
  mode.c_lflag &= ~(tcflag_t)(is_secret ? ECHO | ECHONL | ISIG : ISIG);
  mode.c_lflag |= ICANON | IEXTEN;
  mode.c_cc[VEOL] = 003;
  mode.c_cc[VEOL2] = 034;
  acct_prompt()->terminal = terminal;
  acct_prompt()->active = 1;
  for (int i = 0; i < ACCT_PROMPT_SIGNALS; i++) {
    struct sigaction action = { 0 };
    sigaction(acct_prompt_signals[i], NULL, &acct_prompt()->handlers[i]);
    if (acct_prompt()->handlers[i].sa_handler == SIG_IGN) continue;
    action.sa_handler = acct_prompt_interrupted;
    sigaction(acct_prompt_signals[i], &action, NULL);
  }
  if (tcsetattr(terminal, TCSAFLUSH, &mode) == 0) return 0;
  acct_prompt_end();
  return -1;
}
