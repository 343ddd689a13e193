"""A Secret Service of a test's own, with one collection in memory and the manners of a bad day.

usage: provider.py ADDRESS MANNER

It prints its unique name, and then a line for each thing that a test waits for. MANNER is one of

honest     does what the specification says.
impostor   does not own the name; answers the first call of each new connection as if it did, and serves
           what then comes to it.
guesser    the same for the first sixteen calls, with every kind of answer.
confused   finds other items where it has none that match.
prompting  deletes by a prompt that never ends.
dying      deletes by a prompt, and ends when it is to be shown.
flooding   deletes by a prompt, and before it is shown sends 192 MiB without a request.
huge       says that it has 5 MiB of collections.
"""
import os
import sys
import threading

import bus

SERVICE = "/org/freedesktop/secrets"
COLLECTION = SERVICE + "/collection/login"
NAME = "org.freedesktop.secrets"
ITEM = "org.freedesktop.Secret.Item"
PROMPT = SERVICE + "/prompt/p1"


def say(*words):
    print(*words, flush=True)


class Provider:
    def __init__(self, connection, manner):
        self.bus, self.manner, self.items, self.last, self.doomed = connection, manner, {}, 0, None

    def matches(self, wanted):
        found = [path for path, (attributes, _) in self.items.items()
                 if wanted.items() <= attributes.items()]
        return found or (list(self.items) if self.manner == "confused" else [])

    def property(self, path, name):
        if path == SERVICE:
            count = 100_000 if self.manner == "huge" else 0
            return "ao", [COLLECTION, SERVICE + "/collection/session"] + [COLLECTION] * count
        if path in self.items:
            attributes, _ = self.items[path]
            return {"Attributes": ("a{ss}", attributes), "Modified": ("t", 1)}[name]
        return {"Locked": ("b", 0), "Items": ("ao", list(self.items))}[name]

    def answer(self, call):
        """Returns the signature and the values of the answer; None where there is none yet."""
        match call.member:
            case "Get":
                return "v", self.property(call.path, call.body[1])
            case "OpenSession":
                return "vo", ("s", ""), SERVICE + "/session/s1"
            case "SearchItems":
                return "aoao", self.matches(call.body[0]), []
            case "ReadAlias":
                return "o", COLLECTION
            case "GetSecrets":
                return "a{o(oayays)}", {
                    path: (call.body[1], b"", self.items[path][1], "text/plain")
                    for path in call.body[0] if path in self.items}
            case "CreateItem":
                attributes = call.body[0][ITEM + ".Attributes"]
                self.last += 1
                path = f"{COLLECTION}/{self.last}"
                self.items[path] = (attributes, call.body[1][2])
                say("stored", attributes["key"])
                return "oo", path, "/"
            case "SetSecret":
                attributes, _ = self.items[call.path]
                self.items[call.path] = (attributes, call.body[0][2])
                say("replaced", attributes["key"])
                return ("",)
            case "Delete":
                if self.manner in ("prompting", "dying", "flooding"):
                    self.doomed = call.path
                    return "o", PROMPT
                attributes, _ = self.items.pop(call.path)
                say("deleted", attributes["key"])
                return "o", "/"
            case "Prompt":
                say("prompting")
                if self.manner == "flooding":
                    flood(self.bus, call.sender)
                return ("",)
            case "Dismiss":
                return ("",)
        return None

    def after(self, call):
        """Does what follows an answer."""
        if call.member == "Prompt" and self.manner == "dying":
            os._exit(0)
        if call.member == "Prompt" and self.manner == "flooding":
            self.items.pop(self.doomed, None)
            self.bus.send(bus.SIGNAL, {bus.DESTINATION: call.sender, bus.PATH: PROMPT,
                                       bus.INTERFACE: "org.freedesktop.Secret.Prompt",
                                       bus.MEMBER: "Completed"}, "bv", 0, ("s", ""))

    def serve(self):
        while True:
            message = self.bus.receive()
            if message.type == bus.SIGNAL and message.member == "NameOwnerChanged":
                name, _, owner = message.body
                if owner and name.startswith(":"):
                    forge(self.bus, name, self.manner)
            if message.type != bus.CALL:
                continue
            try:
                answer = self.answer(message)
            except KeyError:
                answer = None
            if answer is None:
                self.bus.fail(message, "org.freedesktop.DBus.Error.UnknownMethod")
            else:
                self.bus.reply(message, *answer)
                self.after(message)


def forge(connection, victim, manner):
    """Sends the victim what it could be waiting for, whatever the number of its call."""
    # The first call is the greeting of the bus.
    for serial in [2] if manner == "impostor" else range(1, 17):
        fields = {bus.DESTINATION: victim, bus.REPLY_SERIAL: serial}
        connection.send(bus.RETURN, fields, "v", ("ao", [SERVICE + "/collection/session"]))
        if manner == "guesser":
            connection.send(bus.RETURN, fields, "s", connection.name)
            connection.send(bus.ERROR, {**fields, bus.ERROR_NAME: bus.BUS + ".Error.Failed"})
    connection.call(bus.BUS, "/org/freedesktop/DBus", bus.BUS, "GetId")
    say("forged", victim)


def flood(connection, victim):
    """Sends the victim replies to calls that it never made, and signals of other objects."""
    ballast = bytes(1 << 16)
    for number in range(1536):
        connection.send(bus.RETURN, {bus.DESTINATION: victim, bus.REPLY_SERIAL: 10_000 + number},
                        "ay", ballast)
        connection.send(bus.SIGNAL, {bus.DESTINATION: victim, bus.PATH: "/other",
                                     bus.INTERFACE: "org.example.Other", bus.MEMBER: "Happened"},
                        "ay", ballast)


def end_with_test():
    """Ends this process when the test's end of standard input closes."""
    sys.stdin.read()
    os._exit(0)


def main(address, manner):
    threading.Thread(target=end_with_test, daemon=True).start()
    connection = bus.Connection(address)
    if manner in ("impostor", "guesser"):
        connection.call(bus.BUS, "/org/freedesktop/DBus", bus.BUS, "AddMatch", "s",
                        "type='signal',member='NameOwnerChanged'")
    else:
        connection.call(bus.BUS, "/org/freedesktop/DBus", bus.BUS, "RequestName", "su", NAME, 4)
    say(connection.name)
    try:
        Provider(connection, manner).serve()
    except (EOFError, ConnectionError):
        os._exit(0)


main(*sys.argv[1:])
