"""The libraries of clouds with an identity from acct, each with its token service on this machine.

    cloud_clients.py azure     reads AZURE_FEDERATED_TOKEN_FILE
    cloud_clients.py aws       reads AWS_WEB_IDENTITY_TOKEN_FILE
    cloud_clients.py google ACCT NAME

Prints the ID token that the token service got.
"""

import io
import json
import os
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, HTTPServer

got = []


class TokenService(BaseHTTPRequestHandler):
    """AWS's AssumeRoleWithWebIdentity, and Google's exchange."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        if "WebIdentityToken" in form:
            got.append(form["WebIdentityToken"])
            kind = "text/xml"
            body = """<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
              <AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIAMADEUP</AccessKeyId>
              <SecretAccessKey>made-up</SecretAccessKey><SessionToken>made-up</SessionToken>
              <Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>
              </AssumeRoleWithWebIdentityResponse>"""
        else:
            got.append(form["subject_token"])
            kind = "application/json"
            body = json.dumps({"access_token": "ya29.made-up", "token_type": "Bearer", "expires_in": 3600,
                               "issued_token_type": "urn:ietf:params:oauth:token-type:access_token"})
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())


def service():
    server = HTTPServer(("127.0.0.1", 0), TokenService)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def azure():
    import requests
    import urllib3
    from azure.core.pipeline.transport import RequestsTransport
    from azure.identity import WorkloadIdentityCredential

    class Entra(requests.adapters.BaseAdapter):
        """Microsoft's token service, which is at https only."""

        def close(self):
            pass

        def send(self, request, **_):
            base = "https://login.microsoftonline.com/tenant"
            answer = {"issuer": f"{base}/v2.0", "authorization_endpoint": f"{base}/oauth2/v2.0/authorize",
                      "token_endpoint": f"{base}/oauth2/v2.0/token"}
            if request.method == "POST":
                body = request.body if isinstance(request.body, str) else request.body.decode()
                got.append(dict(urllib.parse.parse_qsl(body))["client_assertion"])
                answer = {"access_token": "made-up", "token_type": "Bearer", "expires_in": 3600}
            response = requests.Response()
            response.status_code, response.request, response.url = 200, request, request.url
            response.headers["Content-Type"] = "application/json"
            response.raw = urllib3.HTTPResponse(io.BytesIO(json.dumps(answer).encode()), preload_content=False)
            return response

    session = requests.Session()
    session.mount("https://", Entra())
    credential = WorkloadIdentityCredential(
        tenant_id="tenant", client_id="client", disable_instance_discovery=True,
        transport=RequestsTransport(session=session, session_owner=False))
    assert credential.get_token("https://vault.azure.net/.default").token == "made-up"


def aws():
    import boto3
    os.environ |= {"AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/made-up", "AWS_DEFAULT_REGION": "eu-central-1",
                   "AWS_ENDPOINT_URL_STS": service(), "AWS_EC2_METADATA_DISABLED": "true"}
    assert boto3.Session().get_credentials().get_frozen_credentials().access_key == "ASIAMADEUP"


def google(acct, name):
    import google.auth.transport.requests
    from google.auth import pluggable
    os.environ["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"] = "1"

    def credentials(account):
        return pluggable.Credentials.from_info({
            "type": "external_account", "audience": "//iam.googleapis.com/made-up",
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token", "token_url": f"{service()}/token",
            "credential_source": {"executable": {
                "command": f"{acct} helper google --account {account}", "timeout_millis": 30000}}})

    found = credentials(name)
    found.refresh(google.auth.transport.requests.Request())
    assert found.token == "ya29.made-up"
    try:
        credentials("nothing").refresh(google.auth.transport.requests.Request())
    except google.auth.exceptions.RefreshError as error:
        assert "unknownAccount" in str(error), error
    else:
        raise AssertionError("an account that is not there has a token")


{"azure": azure, "aws": aws, "google": google}[sys.argv[1]](*sys.argv[2:])
print(got[0])
