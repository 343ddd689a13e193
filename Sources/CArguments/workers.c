/* libdispatch looks at the states of its threads in /proc about once a second, to start more of them where all wait, and
   ends the process with a signal where it can't open one (src/event/workqueue.c: "registered worker exited prematurely").
   A thread whose state can't be read is not registered for that: the pool then has a thread for each core and no more.

   The linker leads libdispatch's calls here (--wrap in Package.swift). A build with Swift's shared libraries does not, and
   has no symbol that the first declaration could mean. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((weak)) void __real__dispatch_workq_worker_register(void *queue);

void __wrap__dispatch_workq_worker_register(void *queue) {
  // libdispatch opens the first, which /proc has and does not list; proc(5) documents the second, which another version
  // may open. Opened, too: only that tells what a fence or the kernel's security module allows.
  static const char *const names[] = {"/proc/%d/stat", "/proc/self/task/%d/stat"};
  for (int i = 0; i < 2; i++) {
    char path[64];
    snprintf(path, sizeof path, names[i], (int)gettid());
    int state = open(path, O_RDONLY | O_CLOEXEC);
    if (state < 0) return;
    close(state);
  }
  __real__dispatch_workq_worker_register(queue);
}
