#pragma once
/* libsecret, and GLib and GIO below it, loaded when a person has to be asked: a command that only reads
   does not pay for that. Their headers give types and constants; libsecret-headers.pc says where the
   headers are. Nothing links the libraries. */
#include <dlfcn.h>
#include <libsecret/secret.h>

/* Every function that is called. */
#define ACCT_LIBSECRET_FUNCTIONS(X) \
  X(g_cancellable_new) \
  X(g_cancellable_cancel) \
  X(g_cancellable_is_cancelled) \
  X(g_main_context_new) \
  X(g_main_context_unref) \
  X(g_main_context_push_thread_default) \
  X(g_main_context_pop_thread_default) \
  X(g_main_context_iteration) \
  X(g_timeout_source_new) \
  X(g_source_set_callback) \
  X(g_source_attach) \
  X(g_source_destroy) \
  X(g_source_unref) \
  X(g_object_ref) \
  X(g_object_unref) \
  X(g_free) \
  X(g_error_free) \
  X(g_io_error_quark) \
  X(g_dbus_error_quark) \
  X(g_dbus_error_get_remote_error) \
  X(g_dbus_connection_new_for_address) \
  X(g_dbus_connection_new_for_address_finish) \
  X(g_dbus_message_new_from_blob) \
  X(g_dbus_message_to_blob) \
  X(g_dbus_connection_send_message_with_reply) \
  X(g_dbus_connection_send_message_with_reply_finish) \
  X(g_dbus_connection_add_filter) \
  X(g_dbus_message_get_message_type) \
  X(g_dbus_message_get_sender) \
  X(g_variant_classify) \
  X(g_variant_get_string) \
  X(g_variant_unref) \
  X(g_async_initable_new_async) \
  X(g_async_initable_new_finish) \
  X(secret_prompt_get_type) \
  X(secret_prompt_perform) \
  X(secret_prompt_perform_finish)

struct acct_libsecret {
#define X(name) __typeof__(name) *_Nonnull name;
  ACCT_LIBSECRET_FUNCTIONS(X)
#undef X
};

/* Fills the table; 0 where the library, or anything in it, is missing. */
static inline int acct_libsecret_load(struct acct_libsecret *table) {
  void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  void *symbol;
#define X(name) \
  if (!(symbol = dlsym(library, #name))) return 0; \
  table->name = (__typeof__(name) *)symbol;
  ACCT_LIBSECRET_FUNCTIONS(X)
#undef X
  return 1;
}

/* Makes libsecret's object for a prompt, without asking the provider for anything: it has a unique
   name, which starts nothing, and a prompt has no properties. Ends with acct_prompt_new_finish. Swift
   cannot call C variadics. */
static inline void acct_prompt_new(const struct acct_libsecret *libsecret,
                                   GDBusConnection *connection, const char *provider,
                                   const char *path, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, void *data) {
  libsecret->g_async_initable_new_async(
      libsecret->secret_prompt_get_type(), G_PRIORITY_DEFAULT, cancellable, callback, data,
      "g-connection", connection, "g-name", provider, "g-object-path", path,
      "g-interface-name", "org.freedesktop.Secret.Prompt",
      "g-flags", G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES | G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START,
      NULL);
}

/* The prompt that acct_prompt_new made, or NULL and an error. GLib's macros, which check such casts,
   would link it. */
static inline SecretPrompt *acct_prompt_new_finish(const struct acct_libsecret *libsecret,
                                                   GObject *source, GAsyncResult *result,
                                                   GError **error) {
  return (SecretPrompt *)libsecret->g_async_initable_new_finish((GAsyncInitable *)source, result, error);
}
