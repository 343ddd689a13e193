#!/usr/bin/env python3
"""A Django site with django-oauth-toolkit, the OAuth 2 provider of many Django applications, on a free port of 127.0.0.1.

usage: toolkit_server.py FOLDER

FOLDER takes the database. Prints {"issuer": ORIGIN/o} when it serves, and ends with its standard input; then it removes
FOLDER. The toolkit is mounted below /o, as its documentation does it, and its metadata at both of the documented places.

  user     alice, password alicepassword
  clients  `app` with the secret `made-up-secret`, `public` without one, `device` without one and with the device flow
           alone, `reports` with the secret and client credentials alone, and every client that registers itself; they
           come back to any port of http://127.0.0.1/callback
  tokens   last 10 hours. A refresh token is used once; a second use ends the session.

  GET /tokens   how many access tokens were issued so far
  POST /end     ends every session
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import socket
import sys
import threading

import django.core.wsgi
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings
from werkzeug.serving import make_server

SIGN_IN = "<form method=post>{% csrf_token %}{{ form }}<input type=submit></form>"
APPS = ["auth", "contenttypes", "sessions", "oauth2_provider"]


def configure(folder, origin):
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    settings.configure(
        SECRET_KEY="made up for this test", ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF="__main__", USE_TZ=True,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/site.db"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "context_processors": ["django.template.context_processors.request"],
                "loaders": [
                    ("django.template.loaders.locmem.Loader", {"registration/login.html": SIGN_IN}),
                    "django.template.loaders.app_directories.Loader",
                ],
            },
        }],
        # Tables without the history of the migrations, and passwords that are cheap to check.
        MIGRATION_MODULES=dict.fromkeys(APPS), LOGIN_URL="/login/",
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        OAUTH2_PROVIDER={
            "SCOPES": {"openid": "who you are", "read": "your notes", "introspection": "tokens of others"},
            "DEFAULT_SCOPES": ["read"], "PKCE_REQUIRED": True, "REFRESH_TOKEN_REUSE_PROTECTION": True,
            "OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": pem.decode(), "OIDC_ISS_ENDPOINT": f"{origin}/o",
            "DCR_ENABLED": True, "DCR_REGISTRATION_PERMISSION_CLASSES": ("oauth2_provider.dcr.AllowAllDCRPermission",),
            "OAUTH_DEVICE_VERIFICATION_URI": f"{origin}/o/device/", "DEVICE_FLOW_INTERVAL": 1,
            "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: f"{origin}/o/device/?user_code={code}",
        },
    )
    django.setup()


def fill():
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from oauth2_provider.models import Application

    call_command("migrate", run_syncdb=True, verbosity=0)
    User.objects.create_user("alice", "alice@example.test", "alicepassword")
    for name, grant, kind in [
        ("app", Application.GRANT_AUTHORIZATION_CODE, Application.CLIENT_CONFIDENTIAL),
        ("public", Application.GRANT_AUTHORIZATION_CODE, Application.CLIENT_PUBLIC),
        ("device", Application.GRANT_DEVICE_CODE, Application.CLIENT_PUBLIC),
        ("reports", Application.GRANT_CLIENT_CREDENTIALS, Application.CLIENT_CONFIDENTIAL),
    ]:
        Application.objects.create(
            name=name, client_id=name, client_secret="made-up-secret", hash_client_secret=False,
            client_type=kind, authorization_grant_type=grant, algorithm=Application.RS256_ALGORITHM,
            redirect_uris="http://127.0.0.1/callback",
        )


def make_routes():
    from django.contrib.auth.views import LoginView
    from django.db.models import Max
    from django.http import JsonResponse
    from django.urls import include, path
    from django.views.decorators.csrf import csrf_exempt
    from oauth2_provider.models import AccessToken, RefreshToken
    from oauth2_provider.urls import metadata_urlpatterns

    def tokens(_):
        # A renewal deletes the token before it, so that they cannot be counted.
        return JsonResponse({"tokens": AccessToken.objects.aggregate(last=Max("id"))["last"] or 0})

    @csrf_exempt
    def end(_):
        for token in RefreshToken.objects.filter(revoked=None):
            token.revoke()
        return JsonResponse({})

    return [
        path("o/", include("oauth2_provider.urls")),
        path("", include(metadata_urlpatterns)),
        path("login/", LoginView.as_view()),
        path("tokens", tokens),
        path("end", end),
    ]


def end_with_input(folder):
    while sys.stdin.buffer.read(4096):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
logging.disable(logging.CRITICAL)
configure(sys.argv[1], f"http://127.0.0.1:{port}")
fill()
# Where Django looks for them: in the module that ROOT_URLCONF names.
urlpatterns = make_routes()
application = django.core.wsgi.get_wsgi_application()
server = make_server("127.0.0.1", port, application, threaded=True, fd=listener.fileno())
threading.Thread(target=end_with_input, args=(sys.argv[1],), daemon=True).start()
print(json.dumps({"issuer": f"http://127.0.0.1:{port}/o"}), flush=True)
server.serve_forever()
