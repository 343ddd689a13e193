#pragma once
/* libpq.so.5, loaded when the keyring is on PostgreSQL: linked, its libraries would be loaded at every start.
   Its header gives the types, so that a declaration that differs from the library does not compile. */
#include <dlfcn.h>
#include <postgresql/libpq-fe.h>

/* Every function that is called. */
#define ACCT_LIBPQ_FUNCTIONS(X) \
  X(PQconninfoParse) \
  X(PQconninfoFree) \
  X(PQconnectStartParams) \
  X(PQconnectPoll) \
  X(PQstatus) \
  X(PQsocket) \
  X(PQerrorMessage) \
  X(PQsetErrorVerbosity) \
  X(PQsetNoticeReceiver) \
  X(PQsetnonblocking) \
  X(PQsendQuery) \
  X(PQsendQueryParams) \
  X(PQflush) \
  X(PQconsumeInput) \
  X(PQisBusy) \
  X(PQgetResult) \
  X(PQresultStatus) \
  X(PQresultErrorField) \
  X(PQntuples) \
  X(PQgetisnull) \
  X(PQgetvalue) \
  X(PQgetlength) \
  X(PQclear) \
  X(PQfreemem) \
  X(PQfinish)

typedef struct acct_libpq {
#define X(name) __typeof__(name) *_Nonnull name;
  ACCT_LIBPQ_FUNCTIONS(X)
#undef X
} acct_libpq;

/* Fills the table. Returns what is missing, or NULL. */
static inline const char *_Nullable acct_libpq_load(acct_libpq *_Nonnull table) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library) return "libpq.so.5 is not installed: install the package libpq5";
  void *symbol;
#define X(name) \
  if (!(symbol = dlsym(library, #name))) return "libpq.so.5 is too old"; \
  table->name = (__typeof__(name) *)symbol;
  ACCT_LIBPQ_FUNCTIONS(X)
#undef X
  return 0;
}

/* libpq writes a server's notices to standard error unless they go somewhere else. */
static void acct_libpq_ignore(void *data, const PGresult *notice) { (void)data; (void)notice; }
static inline void acct_libpq_silence(const acct_libpq *_Nonnull libpq, PGconn *_Nonnull connection) {
  libpq->PQsetNoticeReceiver(connection, acct_libpq_ignore, 0);
}

/* Macros of libpq's, which Swift does not import. */
enum { acct_libpq_sql_state = PG_DIAG_SQLSTATE, acct_libpq_message = PG_DIAG_MESSAGE_PRIMARY };
