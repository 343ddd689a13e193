#pragma once
/* Another program in the place of this process. In C because Swift hides execvpe(3), and because
   nothing may run between the new environment and the call. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Becomes a program, which is found on PATH as a shell does (a script without `#!` is one of sh(1)),
   with this environment and signal mask. Returns errno if it can't; the mask and the environment are
   then as before. */
static inline int acct_exec(char *const arguments[], char **environment, const sigset_t *mask) {
  extern char **environ;
  char **before_environment = environ;
  sigset_t before_mask;
  pthread_sigmask(SIG_SETMASK, mask, &before_mask);
  environ = environment;
  execvp(arguments[0], arguments);
  int error = errno;
  environ = before_environment;
  pthread_sigmask(SIG_SETMASK, &before_mask, NULL);
  return error;
}

/* Whether a path is that of a program: 0, or the errno that exec(3) would give. */
static inline int acct_check_program(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) return errno;
  return S_ISREG(status.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

/* Looks for a program where execvp(3) would: 0 if it is there, or the errno of that call. */
static inline int acct_find_program(const char *name) {
  if (strchr(name, '/')) return acct_check_program(name);
  if (strlen(name) > NAME_MAX) return ENAMETOOLONG;
  const char *folder = getenv("PATH");
  if (!folder) folder = "/bin:/usr/bin";
  int result = ENOENT;
  for (;;) {
    size_t length = strcspn(folder, ":");
    char path[PATH_MAX];
    /* An empty element is the working directory. */
    int size = snprintf(path, sizeof path, "%.*s%s%s", (int)length, folder, length ? "/" : "./", name);
    int error = size < (int)sizeof path ? acct_check_program(path) : ENAMETOOLONG;
    if (error == 0) return 0;
    if (error == EACCES) result = EACCES;
    if (!folder[length]) return result;
    folder += length + 1;
  }
}

/* What the program was given, or NULL; the variables live as long as the process. */
static inline char **acct_environment(void) {
  extern char **environ;
  return environ;
}

/* Takes a handler away; a signal that is ignored, as a parent may have left it, stays so. */
static inline void acct_stop_handling(int number) {
  struct sigaction action;
  if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN)
    signal(number, SIG_DFL);
}

/* Ignores a signal; nonzero if it was ignored before. */
static inline int acct_ignore(int number) { return signal(number, SIG_IGN) == SIG_IGN; }

/* renameat2(2): gives a file its name unless something has it already. */
static inline int acct_rename_new(int folder, const char *from, const char *to) {
  return (int)syscall(SYS_renameat2, folder, from, folder, to, 1 /* RENAME_NOREPLACE */);
}
