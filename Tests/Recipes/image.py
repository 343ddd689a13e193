#!/usr/bin/env python3
"""Writes a container image of one small file as an OCI image layout. usage: image.py FOLDER"""

import gzip
import hashlib
import io
import json
import os
import sys
import tarfile

FOLDER = sys.argv[1]
KIND = "application/vnd.oci.image."
os.makedirs(f"{FOLDER}/blobs/sha256")


def blob(kind, content):
    """Writes a part. Returns what refers to it."""
    digest = hashlib.sha256(content).hexdigest()
    with open(f"{FOLDER}/blobs/sha256/{digest}", "wb") as file:
        file.write(content)
    return {"mediaType": KIND + kind, "digest": f"sha256:{digest}", "size": len(content)}


archive = io.BytesIO()
with tarfile.open(fileobj=archive, mode="w") as tar:
    note = tarfile.TarInfo("note")
    note.size = 5
    tar.addfile(note, io.BytesIO(b"note\n"))
layers = [blob("layer.v1.tar+gzip", gzip.compress(archive.getvalue(), mtime=0))]
content = {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(archive.getvalue()).hexdigest()}"]}
settings = {"architecture": "amd64", "os": "linux", "config": {}, "rootfs": content}
config = blob("config.v1+json", json.dumps(settings).encode())
manifest = blob("manifest.v1+json", json.dumps({"schemaVersion": 2, "mediaType": f"{KIND}manifest.v1+json",
                                                "config": config, "layers": layers}).encode())
for name, value in {"index.json": {"schemaVersion": 2, "manifests": [manifest]},
                    "oci-layout": {"imageLayoutVersion": "1.0.0"}}.items():
    with open(f"{FOLDER}/{name}", "w", encoding="ascii") as file:
        json.dump(value, file)
