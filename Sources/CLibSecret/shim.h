#pragma once
#include <gio/gio.h>
#include <libsecret/secret.h>
#include <string.h>

/* Swift cannot call C variadics. One inline function for the one that is needed, nothing else. */

/* Makes libsecret's object for a prompt, without asking the provider for anything: it has a unique
   name, which starts nothing, and a prompt has no properties. Ends with
   g_async_initable_new_finish. */
static inline void acct_prompt_new(GDBusConnection *connection, const char *provider,
                                   const char *path, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer data) {
  g_async_initable_new_async(
      SECRET_TYPE_PROMPT, G_PRIORITY_DEFAULT, cancellable, callback, data,
      "g-connection", connection, "g-name", provider, "g-object-path", path,
      "g-interface-name", "org.freedesktop.Secret.Prompt",
      "g-flags", G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES | G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START,
      NULL);
}
