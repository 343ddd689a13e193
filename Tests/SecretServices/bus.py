"""The D-Bus wire format and a connection to a bus, as far as the providers of these tests need it.

Written by hand because a library would refuse to send what a hostile client sends.
"""
import socket
import struct

CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
PATH, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE = range(1, 9)
FIELD_TYPES = {PATH: "o", REPLY_SERIAL: "u", SIGNATURE: "g"}
BUS = "org.freedesktop.DBus"
SIZES = {"y": 1, "b": 4, "u": 4, "i": 4, "t": 8, "s": 4, "o": 4, "g": 1, "a": 4, "v": 1, "(": 8,
         "{": 8}


def first_type(signature):
    """Splits a signature into its first complete type and the rest."""
    if signature[0] == "a":
        element, rest = first_type(signature[1:])
        return "a" + element, rest
    if signature[0] in "({":
        depth = 0
        for index, letter in enumerate(signature):
            depth += (letter in "({") - (letter in ")}")
            if depth == 0:
                return signature[: index + 1], signature[index + 1 :]
    return signature[0], signature[1:]


def types(signature):
    found = []
    while signature:
        one, signature = first_type(signature)
        found.append(one)
    return found


class Writer:
    def __init__(self):
        self.data = bytearray()

    def align(self, size):
        self.data += bytes(-len(self.data) % size)

    def write(self, kind, value):
        self.align(SIZES[kind[0]])
        if kind in "ybuit":
            self.data += struct.pack("<" + {"y": "B", "b": "I", "u": "I", "i": "i", "t": "Q"}[kind],
                                     value)
        elif kind in "so":
            text = value.encode()
            self.data += struct.pack("<I", len(text)) + text + b"\0"
        elif kind == "g":
            self.data += bytes([len(value)]) + value.encode() + b"\0"
        elif kind == "v":
            self.write("g", value[0])
            self.write(value[0], value[1])
        elif kind == "ay":
            self.data += struct.pack("<I", len(value)) + value
        elif kind[0] == "a":
            element = kind[1:]
            start = len(self.data)
            self.data += bytes(4)
            self.align(SIZES[element[0]])
            begin = len(self.data)
            for member in value.items() if isinstance(value, dict) else value:
                self.write(element, member)
            struct.pack_into("<I", self.data, start, len(self.data) - begin)
        else:
            for one, member in zip(types(kind[1:-1]), value):
                self.write(one, member)


class Reader:
    def __init__(self, data, offset=0):
        self.data, self.offset = data, offset

    def take(self, count):
        self.offset += count
        return self.data[self.offset - count : self.offset]

    def read(self, kind):
        self.offset += -self.offset % SIZES[kind[0]]
        if kind in "ybuit":
            code = {"y": "B", "b": "I", "u": "I", "i": "i", "t": "Q"}[kind]
            return struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]
        if kind in "so":
            text = self.take(self.read("u")).decode()
            self.offset += 1
            return text
        if kind == "g":
            text = self.take(self.read("y")).decode()
            self.offset += 1
            return text
        if kind == "v":
            return self.read(self.read("g"))
        if kind == "ay":
            return self.take(self.read("u"))
        if kind[0] == "a":
            count = self.read("u")
            self.offset += -self.offset % SIZES[kind[1]]
            end, members = self.offset + count, []
            while self.offset < end:
                members.append(self.read(kind[1:]))
            return dict(members) if kind[1] == "{" else members
        return tuple(self.read(one) for one in types(kind[1:-1]))


class Message:
    def __init__(self, data):
        self.type = data[1]
        reader = Reader(data, 8)
        self.serial = reader.read("u")
        self.fields = dict(reader.read("a(yv)"))
        reader.offset += -reader.offset % 8
        self.body = [reader.read(one) for one in types(self.fields.get(SIGNATURE, ""))]

    def __getattr__(self, name):
        numbers = {"path": PATH, "interface": INTERFACE, "member": MEMBER, "sender": SENDER,
                   "reply_serial": REPLY_SERIAL}
        return self.fields.get(numbers[name])


class Connection:
    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(address.removeprefix("unix:path="))
        self.socket.sendall(b"\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n")
        self.serial, self.buffer, self.waiting = 0, b"", []
        lines = b""
        while lines.count(b"\n") < 2:
            lines += self.socket.recv(1)
        self.name = self.call(BUS, "/org/freedesktop/DBus", BUS, "Hello")[0]

    def send(self, kind, fields, signature="", *values):
        self.serial += 1
        body, head = Writer(), Writer()
        for one, value in zip(types(signature), values):
            body.write(one, value)
        if signature:
            fields = {**fields, SIGNATURE: signature}
        head.data += bytes([ord("l"), kind, 0, 1]) + struct.pack("<II", len(body.data), self.serial)
        head.write("a(yv)", [(key, (FIELD_TYPES.get(key, "s"), value))
                             for key, value in fields.items()])
        head.align(8)
        self.socket.sendall(bytes(head.data + body.data))
        return self.serial

    def reply(self, call, signature="", *values):
        self.send(RETURN, {DESTINATION: call.sender, REPLY_SERIAL: call.serial}, signature, *values)

    def fail(self, call, name):
        self.send(ERROR, {DESTINATION: call.sender, REPLY_SERIAL: call.serial, ERROR_NAME: name})

    def receive(self):
        if self.waiting:
            return self.waiting.pop(0)
        while True:
            if len(self.buffer) >= 16:
                body, _, fields = struct.unpack_from("<III", self.buffer, 4)
                length = 16 + fields + -fields % 8 + body
                if len(self.buffer) >= length:
                    message, self.buffer = self.buffer[:length], self.buffer[length:]
                    return Message(message)
            data = self.socket.recv(1 << 16)
            if not data:
                raise EOFError
            self.buffer += data

    def call(self, name, path, interface, member, signature="", *values):
        fields = {DESTINATION: name, PATH: path, INTERFACE: interface, MEMBER: member}
        serial, others = self.send(CALL, fields, signature, *values), []
        while True:
            message = self.receive()
            if message.reply_serial == serial:
                self.waiting = others + self.waiting
                return message.body
            others.append(message)
