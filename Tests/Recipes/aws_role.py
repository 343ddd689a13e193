"""AWS's libraries and command line with `credential_process = acct helper aws`, against moto's server.

    aws_role.py boto3|awscli ACCT NAME

Prints who AWS says the caller is.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from moto.server import ThreadedMotoServer

client, acct, name = sys.argv[1:]
role = "arn:aws:iam::123456789012:role/made-up"
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
endpoint = f"http://{host}:{port}"
subprocess.run([acct, "allow", name, endpoint], check=True, stdout=subprocess.DEVNULL)
with tempfile.TemporaryDirectory() as folder:
    config = pathlib.Path(folder, "config")
    config.write_text(f"[profile acct]\nregion = eu-central-1\n"
                      f"credential_process = {acct} helper aws --account {name} --role-arn {role}\n")
    for variable in [variable for variable in os.environ if variable.startswith("AWS_")]:
        del os.environ[variable]
    os.environ |= {"AWS_CONFIG_FILE": str(config), "AWS_SHARED_CREDENTIALS_FILE": str(config) + ".none",
                   "AWS_PROFILE": "acct", "AWS_ENDPOINT_URL_STS": endpoint, "AWS_EC2_METADATA_DISABLED": "true"}
    if client == "boto3":
        import boto3
        print(boto3.Session().client("sts").get_caller_identity()["Arn"])
    else:
        program = pathlib.Path(sys.executable).with_name("aws")
        subprocess.run([sys.executable, program, "sts", "get-caller-identity", "--query", "Arn", "--output", "text"],
                       check=True)
server.stop()
