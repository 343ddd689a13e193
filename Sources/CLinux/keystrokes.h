#pragma once
/* A terminal that hands over each keystroke, for a line longer than its own editor takes. */
#include <termios.h>

/* Turns the line editor off. Returns 0, or -1 with errno. */
static inline int acct_keystrokes_begin(int terminal) {
  struct termios mode;
  if (tcgetattr(terminal, &mode) != 0) return -1;
  mode.c_lflag &= ~(tcflag_t)ICANON;
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  return tcsetattr(terminal, TCSANOW, &mode);
}

/* Leaves the signal keys to the terminal, for keys that are read beside other work. */
static inline int acct_keystrokes_keep_signals(int terminal) {
  struct termios mode;
  if (tcgetattr(terminal, &mode) != 0) return -1;
  mode.c_lflag |= ISIG;
  return tcsetattr(terminal, TCSANOW, &mode);
}
