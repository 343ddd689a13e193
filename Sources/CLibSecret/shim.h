#pragma once
/* libsecret and what it stands on, GLib and GIO, looked for when a prompt is needed: a command that only
   reads must not pay for loading them. So they are declared here as far as they are needed, by their
   stable ABI, and nothing links them. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

typedef struct _GAsyncResult GAsyncResult;
typedef struct _GCancellable GCancellable;
typedef struct _GDBusConnection GDBusConnection;
typedef struct _GDBusMessage GDBusMessage;
typedef struct _GMainContext GMainContext;
typedef struct _GObject GObject;
typedef struct _GSource GSource;
typedef struct _GVariant GVariant;
typedef struct _SecretPrompt SecretPrompt;
typedef struct { uint32_t domain; int code; char *message; } GError;
typedef void (*GAsyncReadyCallback)(GObject *source, GAsyncResult *result, void *data);
typedef int (*GSourceFunc)(void *data);
typedef GDBusMessage *_Nullable (*GDBusMessageFilterFunction)(GDBusConnection *_Nullable,
  GDBusMessage *_Nullable, int incoming, void *_Nullable data);

/* Every function, in the form X(result, name, (parameters)). */
#define ACCT_LIBSECRET_FUNCTIONS(X) \
  X(GCancellable *_Nonnull, g_cancellable_new, (void)) \
  X(void, g_cancellable_cancel, (GCancellable *)) \
  X(int, g_cancellable_is_cancelled, (GCancellable *)) \
  X(GMainContext *_Nonnull, g_main_context_new, (void)) \
  X(void, g_main_context_unref, (GMainContext *)) \
  X(void, g_main_context_push_thread_default, (GMainContext *)) \
  X(void, g_main_context_pop_thread_default, (GMainContext *)) \
  X(int, g_main_context_iteration, (GMainContext *, int may_block)) \
  X(GSource *_Nonnull, g_timeout_source_new, (unsigned milliseconds)) \
  X(void, g_source_set_callback, (GSource *, GSourceFunc, void *data, void (*)(void *))) \
  X(unsigned, g_source_attach, (GSource *, GMainContext *)) \
  X(void, g_source_destroy, (GSource *)) \
  X(void, g_source_unref, (GSource *)) \
  X(void *, g_object_ref, (void *)) \
  X(void, g_object_unref, (void *)) \
  X(void, g_free, (void *)) \
  X(void, g_error_free, (GError *)) \
  X(uint32_t, g_io_error_quark, (void)) \
  X(uint32_t, g_dbus_error_quark, (void)) \
  X(char *, g_dbus_error_get_remote_error, (const GError *)) \
  X(void, g_dbus_connection_new_for_address, (const char *address, int flags, void *observer, \
    GCancellable *, GAsyncReadyCallback, void *data)) \
  X(GDBusConnection *, g_dbus_connection_new_for_address_finish, (GAsyncResult *, GError **)) \
  X(GDBusMessage *, g_dbus_message_new_from_blob, (unsigned char *, size_t, int capabilities, \
    GError **)) \
  X(unsigned char *, g_dbus_message_to_blob, (GDBusMessage *, size_t *, int capabilities, \
    GError **)) \
  X(void, g_dbus_connection_send_message_with_reply, (GDBusConnection *, GDBusMessage *, int flags, \
    int milliseconds, uint32_t *serial, GCancellable *, GAsyncReadyCallback, void *data)) \
  X(GDBusMessage *, g_dbus_connection_send_message_with_reply_finish, (GDBusConnection *, \
    GAsyncResult *, GError **)) \
  X(unsigned, g_dbus_connection_add_filter, (GDBusConnection *, GDBusMessageFilterFunction, \
    void *data, void (*)(void *))) \
  X(int, g_dbus_message_get_message_type, (GDBusMessage *)) \
  X(const char *, g_dbus_message_get_sender, (GDBusMessage *)) \
  X(int, g_variant_classify, (GVariant *)) \
  X(const char *_Nonnull, g_variant_get_string, (GVariant *, size_t *)) \
  X(void, g_variant_unref, (GVariant *)) \
  X(void, g_async_initable_new_async, (size_t type, int priority, GCancellable *, \
    GAsyncReadyCallback, void *data, const char *property, ...)) \
  X(GObject *, g_async_initable_new_finish, (GObject *source, GAsyncResult *, GError **)) \
  X(size_t, secret_prompt_get_type, (void)) \
  X(void, secret_prompt_perform, (SecretPrompt *, const char *window, const void *type, \
    GCancellable *, GAsyncReadyCallback, void *data)) \
  X(GVariant *, secret_prompt_perform_finish, (SecretPrompt *, GAsyncResult *, GError **))

struct acct_libsecret {
#define X(result, name, parameters) result (*_Nonnull name) parameters;
  ACCT_LIBSECRET_FUNCTIONS(X)
#undef X
};

/* Fills the table; 0 where the library, or anything in it, is missing. */
static inline int acct_libsecret_load(struct acct_libsecret *table) {
  void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  void *symbol;
#define X(result, name, parameters) \
  if (!(symbol = dlsym(library, #name))) return 0; \
  table->name = (result (*) parameters)symbol;
  ACCT_LIBSECRET_FUNCTIONS(X)
#undef X
  return 1;
}

enum {
  ACCT_G_DBUS_MESSAGE_METHOD_RETURN = 2,
  ACCT_G_DBUS_MESSAGE_ERROR = 3,
  ACCT_G_IO_ERROR_CANCELLED = 19,
  ACCT_G_IO_ERROR_TIMED_OUT = 24,
  /* Authenticate as a client, and say hello to a message bus. */
  ACCT_G_DBUS_CONNECTION_FLAGS = 1 << 0 | 1 << 3,
  ACCT_G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES = 1 << 0,
  ACCT_G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START = 1 << 2,
};

/* Makes libsecret's object for a prompt, without asking the provider for anything: it has a unique
   name, which starts nothing, and a prompt has no properties. Ends with
   g_async_initable_new_finish. Swift cannot call C variadics. */
static inline void acct_prompt_new(const struct acct_libsecret *libsecret,
                                   GDBusConnection *connection, const char *provider,
                                   const char *path, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, void *data) {
  libsecret->g_async_initable_new_async(
      libsecret->secret_prompt_get_type(), 0, cancellable, callback, data,
      "g-connection", connection, "g-name", provider, "g-object-path", path,
      "g-interface-name", "org.freedesktop.Secret.Prompt",
      "g-flags",
      ACCT_G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES | ACCT_G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START,
      NULL);
}
