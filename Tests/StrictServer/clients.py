#!/usr/bin/env python3
"""Unchanged clients of the signing proxy, many at once, each on one connection that it keeps.

    clients.py SOCKET HOST REQUESTS CLIENTS

SOCKET is the proxy's socket, or the address that it prints for a port. Prints what came, as JSON: how
often each status, how many connections were lost, the seconds that it took, and milliseconds of a
request: the median, the 99th percentile, the slowest.
"""

import collections
import http.client
import json
import socket
import sys
import threading
import time
from urllib.parse import urlsplit


class Connection(http.client.HTTPConnection):
    def __init__(self, place):
        super().__init__("proxy", timeout=60)
        self.place = place

    def connect(self):
        if self.place.startswith("/"):
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(self.timeout)
            self.sock.connect(self.place)
        else:
            url = urlsplit(self.place)
            self.sock = socket.create_connection((url.hostname, url.port), self.timeout)


def client(place, host, numbers, answers, lost, times):
    base = "" if place.startswith("/") else urlsplit(place).path.rstrip("/")
    connection = Connection(place)
    for number in numbers:
        began = time.monotonic()
        try:
            connection.request("GET", f"{base}/resource/{number}", headers={"Host": host})
            response = connection.getresponse()
            body = response.read()
            whole = response.status != 200 or "sub" in json.loads(body)
            answers.append(response.status if whole else "damaged")
        except (OSError, http.client.HTTPException, ValueError) as error:
            lost.append(repr(error))
            connection.close()
        times.append(time.monotonic() - began)
    connection.close()


def main():
    place, host, requests, clients = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    # Appending to a list is one step: threads can share it.
    answers, lost, times = [], [], []
    threads = [
        threading.Thread(target=client, args=(place, host, range(i, requests, clients), answers, lost, times))
        for i in range(clients)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times.sort()
    print(json.dumps({
        "answers": {str(status): count for status, count in collections.Counter(answers).items()},
        "lost": lost[:5], "seconds": round(time.monotonic() - began, 3),
        "milliseconds": [round(times[int(len(times) * share)] * 1000, 1) for share in (0.5, 0.99, 0.9999)]}))


main()
