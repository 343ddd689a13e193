#pragma once
/* libcurl.so.4, loaded at the first request: linked, its thirty libraries would be loaded at every
   start. Its header gives the types; what is called stands in one table. curl_easy_setopt and
   curl_easy_getinfo are variadic, which Swift can't call: one typed function for each kind. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

typedef struct acct_curl {
  CURLcode (*global_init)(long);
  CURL *(*easy_init)(void);
  void (*easy_cleanup)(CURL *);
  CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
  CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
  CURLcode (*easy_pause)(CURL *, int);
  CURLM *(*multi_init)(void);
  CURLMcode (*multi_cleanup)(CURLM *);
  CURLMcode (*multi_add_handle)(CURLM *, CURL *);
  CURLMcode (*multi_remove_handle)(CURLM *, CURL *);
  CURLMcode (*multi_perform)(CURLM *, int *);
  CURLMcode (*multi_poll)(CURLM *, struct curl_waitfd *, unsigned, int, int *);
  CURLMcode (*multi_setopt)(CURLM *, CURLMoption, ...);
  CURLMsg *(*multi_info_read)(CURLM *, int *);
  struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
  void (*slist_free_all)(struct curl_slist *);
  __typeof__(curl_url) *url;
  __typeof__(curl_url_set) *url_set;
  __typeof__(curl_url_get) *url_get;
  __typeof__(curl_url_cleanup) *url_cleanup;
  __typeof__(curl_free) *free;
  /* OpenSSL's, as libcurl brings it along. */
  int (*crypto_init)(uint64_t options, const void *settings);
  void *(*ssl_ctx_param)(void *ctx);
  void (*ssl_ctx_set_info_callback)(void *ctx, void (*)(const void *ssl, int where, int value));
  void (*param_set_hostflags)(void *param, unsigned flags);
  int (*param_set_host)(void *param, const char *name, size_t length);
  int (*param_set_ip)(void *param, const char *address);
  /* Of LiveHTTP alone: it waits for libcurl's sockets by itself. */
  CURLMcode (*multi_socket_action)(CURLM *, curl_socket_t, int, int *);
} acct_curl;

/* Fills the table. Returns what is missing, or NULL. */
static inline const char *acct_curl_load(acct_curl *table) {
  /* It stays: threads of its own may still run in it. Not lazily: what looks a symbol up at its
     first call saves registers to the stack, with a secret in them. */
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) return "libcurl.so.4 is not installed: install the package libcurl4";
  const struct { const char *name; size_t slot; } needed[] = {
    { "curl_global_init", offsetof(acct_curl, global_init) },
    { "curl_easy_init", offsetof(acct_curl, easy_init) },
    { "curl_easy_cleanup", offsetof(acct_curl, easy_cleanup) },
    { "curl_easy_setopt", offsetof(acct_curl, easy_setopt) },
    { "curl_easy_getinfo", offsetof(acct_curl, easy_getinfo) },
    { "curl_easy_pause", offsetof(acct_curl, easy_pause) },
    { "curl_multi_init", offsetof(acct_curl, multi_init) },
    { "curl_multi_cleanup", offsetof(acct_curl, multi_cleanup) },
    { "curl_multi_add_handle", offsetof(acct_curl, multi_add_handle) },
    { "curl_multi_remove_handle", offsetof(acct_curl, multi_remove_handle) },
    { "curl_multi_perform", offsetof(acct_curl, multi_perform) },
    { "curl_multi_poll", offsetof(acct_curl, multi_poll) },
    { "curl_multi_setopt", offsetof(acct_curl, multi_setopt) },
    { "curl_multi_info_read", offsetof(acct_curl, multi_info_read) },
    { "curl_slist_append", offsetof(acct_curl, slist_append) },
    { "curl_slist_free_all", offsetof(acct_curl, slist_free_all) },
    { "curl_url", offsetof(acct_curl, url) },
    { "curl_url_set", offsetof(acct_curl, url_set) },
    { "curl_url_get", offsetof(acct_curl, url_get) },
    { "curl_url_cleanup", offsetof(acct_curl, url_cleanup) },
    { "curl_free", offsetof(acct_curl, free) },
    { "OPENSSL_init_crypto", offsetof(acct_curl, crypto_init) },
    { "SSL_CTX_get0_param", offsetof(acct_curl, ssl_ctx_param) },
    { "SSL_CTX_set_info_callback", offsetof(acct_curl, ssl_ctx_set_info_callback) },
    { "X509_VERIFY_PARAM_set_hostflags", offsetof(acct_curl, param_set_hostflags) },
    { "X509_VERIFY_PARAM_set1_host", offsetof(acct_curl, param_set_host) },
    { "X509_VERIFY_PARAM_set1_ip_asc", offsetof(acct_curl, param_set_ip) },
    { "curl_multi_socket_action", offsetof(acct_curl, multi_socket_action) },
  };
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    void *symbol = dlsym(library, needed[i].name);
    if (!symbol) return "libcurl.so.4 is too old, or built without OpenSSL";
    memcpy((char *)table + needed[i].slot, &symbol, sizeof symbol);
  }
  /* libcurl has its OpenSSL, which is not acct's own, read the administrator's configuration. It is asked for
     here first to tell errors in it from a failure of TLS. 0x40: OPENSSL_INIT_LOAD_CONFIG. */
  if (!table->crypto_init(0x40, NULL))
    return "libcurl.so.4 does not start: OpenSSL's configuration has errors";
  return table->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? NULL : "libcurl.so.4 does not start";
}

static inline CURLcode acct_curl_set_long(const acct_curl *curl, CURL *easy, CURLoption option, long value) {
  return curl->easy_setopt(easy, option, value);
}
static inline CURLcode acct_curl_set_size(const acct_curl *curl, CURL *easy, CURLoption option, curl_off_t value) {
  return curl->easy_setopt(easy, option, value);
}
/* libcurl copies strings, but not CURLOPT_POSTFIELDS. */
static inline CURLcode acct_curl_set_string(const acct_curl *curl, CURL *easy, CURLoption option, const char *value) {
  return curl->easy_setopt(easy, option, value);
}
static inline CURLcode acct_curl_set_pointer(const acct_curl *curl, CURL *easy, CURLoption option, void *value) {
  return curl->easy_setopt(easy, option, value);
}
/* For CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION and CURLOPT_READFUNCTION. */
static inline CURLcode acct_curl_set_callback(
  const acct_curl *curl, CURL *easy, CURLoption option, size_t (*callback)(char *, size_t, size_t, void *)
) {
  return curl->easy_setopt(easy, option, callback);
}
static inline CURLcode acct_curl_set_prerequisite(
  const acct_curl *curl, CURL *easy, int (*callback)(void *, char *, char *, int, int)
) {
  return curl->easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}
/* The sockaddr of a curl_sockaddr is a member of unknown size, which Swift does not import. */
static inline const struct sockaddr *acct_curl_address(const struct curl_sockaddr *address) { return &address->addr; }
static inline curl_socket_t acct_curl_socket(const struct curl_sockaddr *address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}
static inline CURLcode acct_curl_set_open_socket(
  const acct_curl *curl, CURL *easy,
  curl_socket_t (*callback)(void *, curlsocktype, struct curl_sockaddr *)
) {
  return curl->easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}
static inline long acct_curl_get_long(const acct_curl *curl, CURL *easy, CURLINFO info) {
  long value = 0;
  curl->easy_getinfo(easy, info, &value);
  return value;
}
static inline curl_off_t acct_curl_get_size(const acct_curl *curl, CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  curl->easy_getinfo(easy, info, &value);
  return value;
}
static inline void *acct_curl_get_pointer(const acct_curl *curl, CURL *easy, CURLINFO info) {
  void *value = NULL;
  curl->easy_getinfo(easy, info, &value);
  return value;
}
/* The result stands in a union of CURLMsg. */
static inline CURLcode acct_curl_result(const CURLMsg *message) { return message->data.result; }

static inline CURLMcode acct_curl_keep_connections(const acct_curl *curl, CURLM *multi, long most) {
  return curl->multi_setopt(multi, CURLMOPT_MAXCONNECTS, most);
}
static inline CURLMcode acct_curl_watch_sockets(
  const acct_curl *curl, CURLM *multi, void *data,
  int (*watch)(CURL *, curl_socket_t, int, void *, void *), int (*set_timer)(CURLM *, long, void *)
) {
  CURLMcode code = curl->multi_setopt(multi, CURLMOPT_SOCKETDATA, data);
  if (!code) code = curl->multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
  if (!code) code = curl->multi_setopt(multi, CURLMOPT_TIMERDATA, data);
  return code ? code : curl->multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
}

/* epoll(7), whose event is a packed structure with a union, in libcurl's terms: CURL_POLL_IN and _OUT for what
   is waited for, CURL_CSELECT_IN, _OUT and _ERR for what has come. */
static inline int acct_epoll_change(int queue, int change, int descriptor, int what) {
  struct epoll_event event = { .events = 0, .data = { .fd = descriptor } };
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  return epoll_ctl(queue, change, descriptor, &event);
}
/* Reports each write to it once, and so need not be read. */
static inline int acct_epoll_add_waker(int queue, int descriptor) {
  struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data = { .fd = descriptor } };
  return epoll_ctl(queue, EPOLL_CTL_ADD, descriptor, &event);
}
typedef struct acct_event { int descriptor, what; } acct_event;
enum { ACCT_EVENTS = 64 };
static inline int acct_epoll_wait(int queue, acct_event *ready, int timeout) {
  struct epoll_event events[ACCT_EVENTS];
  int count = epoll_wait(queue, events, ACCT_EVENTS, timeout);
  for (int i = 0; i < count; i++) {
    unsigned came = events[i].events;
    ready[i].descriptor = events[i].data.fd;
    ready[i].what = (came & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0) | (came & EPOLLOUT ? CURL_CSELECT_OUT : 0)
      | (came & EPOLLERR ? CURL_CSELECT_ERR : 0);
  }
  return count;
}
static inline int acct_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static inline int acct_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

/* What a connection must bring along. */
typedef struct acct_curl_host {
  const acct_curl *curl;
  const char *name;
  int is_address;
  /* Is told what OpenSSL does; see acct_curl_is_goodbye. */
  void (*info)(const void *ssl, int where, int value);
  /* The connection's handshake takes the client's key, which is of no use after it. */
  int forgets_key;
  /* The client's certificates, in PEM, where the key of the first is in a device; else NULL. */
  const char *certificates;
  /* Has the device sign a digest of 32 bytes: writes r and s, 32 bytes each, and returns 1. */
  int (*sign)(void *device, const unsigned char *digest, unsigned char *signature);
  void *device;
} acct_curl_host;

/* What of OpenSSL, as libcurl brings it along, presents a client's certificate: with a key that the connection forgets, or
   with signatures that are made elsewhere. Not all of it is in every build; it is looked up when a certificate is used. EC_KEY_METHOD is deprecated in favour of providers, which would
   be ten times the code for one signature. */
typedef struct acct_curl_foreign {
  void *(*bio_new_mem_buf)(const void *, int);
  int (*bio_free)(void *);
  void *(*pem_read_x509)(void *, void **, void *, void *);
  void (*x509_free)(void *);
  void *(*x509_pubkey)(void *);
  void *(*pkey_get1_ec)(void *);
  void *(*pkey_new)(void);
  int (*pkey_set1_ec)(void *, void *);
  void (*pkey_free)(void *);
  void *(*ec_dup)(const void *);
  void (*ec_free)(void *);
  int (*ec_set_method)(void *, const void *);
  int (*ec_set_ex_data)(void *, int, void *);
  void *(*ec_get_ex_data)(const void *, int);
  const void *(*ec_openssl)(void);
  void *(*method_new)(const void *);
  void (*method_set_sign)(void *, void *, void *, void *);
  int (*new_index)(int, long, void *, void *, void *, void *);
  int (*use_certificate)(void *, void *);
  int (*use_key)(void *, void *);
  int (*ssl_use_key)(const void *, void *);
  void *(*ssl_ctx)(const void *);
  void *(*ctx_certificate)(const void *);
  long (*ctx_ctrl)(void *, int, long, void *);
  void (*clear_error)(void);
  /* 0 where a part is missing that only a key in a device needs. */
  int is_whole;
  /* Made once, and never freed. */
  void *method;
  int index;
  /* Of all hosts the same. */
  void (*info)(const void *ssl, int where, int value);
} acct_curl_foreign;

static inline acct_curl_foreign *acct_curl_foreign_table(void) {
  static acct_curl_foreign table;
  return &table;
}

static inline int acct_curl_load_foreign(void) {
  acct_curl_foreign *table = acct_curl_foreign_table();
  if (table->use_key) return 1;
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  const struct { const char *name; size_t slot; } needed[] = {
    { "BIO_new_mem_buf", offsetof(acct_curl_foreign, bio_new_mem_buf) },
    { "BIO_free", offsetof(acct_curl_foreign, bio_free) },
    { "PEM_read_bio_X509", offsetof(acct_curl_foreign, pem_read_x509) },
    { "X509_free", offsetof(acct_curl_foreign, x509_free) },
    { "X509_get0_pubkey", offsetof(acct_curl_foreign, x509_pubkey) },
    { "EVP_PKEY_get1_EC_KEY", offsetof(acct_curl_foreign, pkey_get1_ec) },
    { "EVP_PKEY_new", offsetof(acct_curl_foreign, pkey_new) },
    { "EVP_PKEY_set1_EC_KEY", offsetof(acct_curl_foreign, pkey_set1_ec) },
    { "EVP_PKEY_free", offsetof(acct_curl_foreign, pkey_free) },
    { "EC_KEY_dup", offsetof(acct_curl_foreign, ec_dup) },
    { "EC_KEY_free", offsetof(acct_curl_foreign, ec_free) },
    { "EC_KEY_set_method", offsetof(acct_curl_foreign, ec_set_method) },
    { "EC_KEY_set_ex_data", offsetof(acct_curl_foreign, ec_set_ex_data) },
    { "EC_KEY_get_ex_data", offsetof(acct_curl_foreign, ec_get_ex_data) },
    { "EC_KEY_OpenSSL", offsetof(acct_curl_foreign, ec_openssl) },
    { "EC_KEY_METHOD_new", offsetof(acct_curl_foreign, method_new) },
    { "EC_KEY_METHOD_set_sign", offsetof(acct_curl_foreign, method_set_sign) },
    { "CRYPTO_get_ex_new_index", offsetof(acct_curl_foreign, new_index) },
    { "SSL_CTX_use_certificate", offsetof(acct_curl_foreign, use_certificate) },
    { "SSL_CTX_use_PrivateKey", offsetof(acct_curl_foreign, use_key) },
    { "SSL_use_PrivateKey", offsetof(acct_curl_foreign, ssl_use_key) },
    { "SSL_get_SSL_CTX", offsetof(acct_curl_foreign, ssl_ctx) },
    { "SSL_CTX_get0_certificate", offsetof(acct_curl_foreign, ctx_certificate) },
    { "SSL_CTX_ctrl", offsetof(acct_curl_foreign, ctx_ctrl) },
    { "ERR_clear_error", offsetof(acct_curl_foreign, clear_error) },
  };
  table->is_whole = library != NULL;
  for (size_t i = 0; library && i < sizeof needed / sizeof *needed; i++) {
    void *symbol = dlsym(library, needed[i].name);
    if (!symbol) table->is_whole = 0;
    memcpy((char *)table + needed[i].slot, &symbol, sizeof symbol);
  }
  return table->use_key && table->ssl_use_key && table->ssl_ctx && table->ctx_certificate && table->x509_pubkey
    && table->clear_error;
}

/* Writes a number of 32 bytes as an INTEGER of DER; returns its length. */
static inline unsigned acct_der_integer(const unsigned char *number, unsigned char *out) {
  unsigned skipped = 0;
  while (skipped < 31 && !number[skipped]) skipped++;
  unsigned count = 32 - skipped, pad = number[skipped] >> 7;
  out[0] = 2;
  out[1] = (unsigned char)(count + pad);
  out[2] = 0;
  memcpy(out + 2 + pad, number + skipped, count);
  return 2 + pad + count;
}

/* ECDSA signs the leftmost 32 bytes of a longer digest (SEC 1, section 4.1.3). */
static int acct_curl_device_sign(
  int type, const unsigned char *digest, int length, unsigned char *out, unsigned *count,
  const void *kinv, const void *r, void *key
) {
  (void)type, (void)kinv, (void)r;
  const acct_curl_foreign *table = acct_curl_foreign_table();
  const acct_curl_host *host = table->ec_get_ex_data(key, table->index);
  unsigned char own[32] = { 0 }, signature[64];
  if (!host || length < 1) return 0;
  if (length >= 32) memcpy(own, digest, 32);
  else memcpy(own + 32 - length, digest, (size_t)length);
  if (!host->sign(host->device, own, signature)) return 0;
  unsigned written = acct_der_integer(signature, out + 2);
  written += acct_der_integer(signature + 32, out + 2 + written);
  out[0] = 0x30;
  out[1] = (unsigned char)written;
  *count = 2 + written;
  return 1;
}
static void *acct_curl_no_sign(const unsigned char *digest, int length, const void *kinv, const void *r, void *key) {
  (void)digest, (void)length, (void)kinv, (void)r, (void)key;
  return NULL;
}

/* Puts the public key in the place of the private one when the handshake is done (SSL_CB_HANDSHAKE_DONE): the connection
   may be kept for another request, and would keep the key in memory for as long. */
static void acct_curl_forget_key(const void *ssl, int where, int value) {
  acct_curl_foreign *f = acct_curl_foreign_table();
  if (where == 0x20) {
    void *context = f->ssl_ctx(ssl);
    void *own = f->ctx_certificate(context);
    void *public = own ? f->x509_pubkey(own) : NULL;
    if (public) {
      f->use_key(context, public);
      f->ssl_use_key(ssl, public);
    }
    f->clear_error();
  }
  if (f->info) f->info(ssl, where, value);
}

/* Has a connection present the certificates, with the device's signature. */
static int acct_curl_use_device(void *context, const acct_curl_host *host) {
  if (!acct_curl_load_foreign() || !acct_curl_foreign_table()->is_whole) return 0;
  acct_curl_foreign *f = acct_curl_foreign_table();
  if (!f->method) {
    f->index = f->new_index(8, 0, NULL, NULL, NULL, NULL); /* CRYPTO_EX_INDEX_EC_KEY */
    void *method = f->method_new(f->ec_openssl());
    if (!method || f->index < 0) return 0;
    f->method_set_sign(method, (void *)acct_curl_device_sign, NULL, (void *)acct_curl_no_sign);
    f->method = method;
  }
  int done = 0;
  void *bio = f->bio_new_mem_buf(host->certificates, -1);
  void *own = bio ? f->pem_read_x509(bio, NULL, NULL, NULL) : NULL;
  void *public = own ? f->pkey_get1_ec(f->x509_pubkey(own)) : NULL;
  void *key = public ? f->ec_dup(public) : NULL;
  void *whole = key ? f->pkey_new() : NULL;
  if (whole && f->ec_set_method(key, f->method) && f->ec_set_ex_data(key, f->index, (void *)host))
    done = f->pkey_set1_ec(whole, key) && f->use_certificate(context, own) == 1 && f->use_key(context, whole) == 1;
  void *next;
  while (done && (next = f->pem_read_x509(bio, NULL, NULL, NULL))) {
    done = f->ctx_ctrl(context, 89, 1, next) == 1; /* SSL_CTRL_CHAIN_CERT, which takes a reference */
    f->x509_free(next);
  }
  f->clear_error();
  if (whole) f->pkey_free(whole);
  if (key) f->ec_free(key);
  if (public) f->ec_free(public);
  if (own) f->x509_free(own);
  if (bio) f->bio_free(bio);
  return done;
}

/* libcurl takes a certificate's common name where there is no alternative name; OpenSSL itself is
   told not to (RFC 9525, section 6.3), and so says what is wrong in its verification result. */
static CURLcode acct_curl_name_host(CURL *easy, void *context, void *data) {
  (void)easy;
  const acct_curl_host *host = data;
  void *param = host->curl->ssl_ctx_param(context);
  if (!param) return CURLE_SSL_CERTPROBLEM;
  /* X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT */
  host->curl->param_set_hostflags(param, 0x4 | 0x20);
  int done = host->is_address
    ? host->curl->param_set_ip(param, host->name) : host->curl->param_set_host(param, host->name, 0);
  host->curl->ssl_ctx_set_info_callback(context, host->info);
  if (host->forgets_key) {
    if (!acct_curl_load_foreign()) return CURLE_SSL_CERTPROBLEM;
    acct_curl_foreign_table()->info = host->info;
    host->curl->ssl_ctx_set_info_callback(context, acct_curl_forget_key);
  }
  if (host->certificates && !acct_curl_use_device(context, host)) return CURLE_SSL_CERTPROBLEM;
  return done ? CURLE_OK : CURLE_SSL_CERTPROBLEM;
}

/* Whether an info callback is told of the server's close_notify: SSL_CB_READ_ALERT, and a warning
   alert with the number 0. */
static inline int acct_curl_is_goodbye(int where, int value) { return where == 0x4004 && value == 0x100; }

/* The SSL of a transfer, while it runs. */
static inline const void *acct_curl_session(const acct_curl *curl, CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  curl->easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session);
  return session ? session->internals : NULL;
}

static inline CURLcode acct_curl_expect_host(const acct_curl *curl, CURL *easy, acct_curl_host *host) {
  CURLcode code = curl->easy_setopt(easy, CURLOPT_SSL_CTX_DATA, host);
  return code ? code : curl->easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, acct_curl_name_host);
}
