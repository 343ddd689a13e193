#pragma once
/* The system's resolver, whose state is a struct with unions that Swift can't fill in. */
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <resolv.h>
#include <string.h>

/* Asks for the TXT records of a name: at an IPv4 address and port, or, if that is NULL, at the
   system's resolvers. Returns the length of the answer, or -1 if there was none. A truncated
   answer is asked for again by TCP. */
static inline int acct_query_txt(const char *name, const char *address, unsigned short port, int seconds,
                                 unsigned char *answer, int capacity) {
  struct __res_state state;
  memset(&state, 0, sizeof state);
  if (res_ninit(&state) != 0) return -1;
  if (address) {
    state.nscount = 1;
    state.nsaddr_list[0].sin_family = AF_INET;
    state.nsaddr_list[0].sin_port = htons(port);
    if (inet_pton(AF_INET, address, &state.nsaddr_list[0].sin_addr) != 1) return -1;
  }
  /* Two tries, the second of which waits twice as long: three times this in all. */
  state.retry = 2;
  state.retrans = seconds < 3 ? 1 : seconds / 3;
  unsigned char query[NS_PACKETSZ];
  int length = res_nmkquery(&state, ns_o_query, name, ns_c_in, ns_t_txt, NULL, 0, NULL, query, sizeof query);
  int received = length < 0 ? -1 : res_nsend(&state, query, length, answer, capacity);
  res_nclose(&state);
  return received;
}
