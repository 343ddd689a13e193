#!/usr/bin/env python3
"""Becomes a throwaway Glewlwyd (an OAuth 2 and OpenID Connect server) on 127.0.0.1.

usage: serve.py FOLDER PORT

FOLDER takes the database, the configuration and the log. This process turns into the server, so
the id that it was started with is the one to stop.
"""
import os
import subprocess
import sys

folder, port = sys.argv[1], int(sys.argv[2])
schema = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
library = "/usr/lib/glewlwyd"

with open(schema) as statements:
    # The throwaway database need not survive a power failure; syncing each of the schema's
    # statements to disk would take longer than all else together.
    script = "PRAGMA synchronous = OFF; BEGIN;\n" + statements.read() + "\nCOMMIT;\n"
subprocess.run(["sqlite3", f"{folder}/glewlwyd.db"], input=script, text=True, check=True)

with open(f"{folder}/glewlwyd.conf", "w") as configuration:
    configuration.write(f"""
port = {port}
bind_address = "127.0.0.1"
external_url = "http://127.0.0.1:{port}"
login_url = "login.html"
api_prefix = "api"
log_mode = "file"
log_level = "INFO"
log_file = "{folder}/glewlwyd.log"
cookie_secure = 0
session_expiration = 3600
session_key = "GLEWLWYD2_SESSION_ID"
admin_session_authentication = "cookie"
profile_session_authentication = "cookie"
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "{library}/user"
client_module_path = "{library}/client"
user_auth_scheme_module_path = "{library}/scheme"
plugin_module_path = "{library}/plugin"
hash_algorithm = "SHA512"
database = {{ type = "sqlite3"; path = "{folder}/glewlwyd.db" }};
""")

os.execvp("glewlwyd", ["glewlwyd", f"--config-file={folder}/glewlwyd.conf"])
