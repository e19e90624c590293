"""HTTP/2 by hand (RFC 9113 4.1, RFC 7541): an attacker sends what no library would."""
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INITIAL_WINDOW, HEADER_TABLE_SIZE = 4, 1
MOST = 16384  # of a frame's payload (SETTINGS_MAX_FRAME_SIZE at first)


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def settings(**values):
    numbers = {"window": INITIAL_WINDOW, "table": HEADER_TABLE_SIZE}
    return frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", numbers[k], v) for k, v in values.items()))


def section(stream, block, end=True):
    """HEADERS with as many CONTINUATION frames as `block` needs."""
    out, first = b"", True
    while first or block:
        piece, block = block[:MOST], block[MOST:]
        flags = (END_STREAM if end and first else 0) | (0 if block else END_HEADERS)
        out += frame(HEADERS if first else CONTINUATION, flags, stream, piece)
        first = False
    return out


def number(value, bits, first):  # RFC 7541 5.1
    most = (1 << bits) - 1
    if value < most:
        return bytes([first | value])
    out, value = bytes([first | most]), value - most
    while value >= 128:
        out, value = out + bytes([value % 128 + 128]), value // 128
    return out + bytes([value])


def literal(name, value, indexed=False):  # RFC 7541 6.2.1, 6.2.2
    return bytes([0x40 if indexed else 0]) + number(len(name), 7, 0) + name + number(len(value), 7, 0) + value


def request(path, method=b"GET", extra=b""):
    methods = {b"GET": b"\x82", b"POST": b"\x83"}
    return methods[method] + b"\x86" + literal(b":path", path) + literal(b":authority", b"service") + extra


class Reader:
    """The frames of what has come."""

    def __init__(self):
        self.rest = b""

    def take(self, data):
        self.rest += data
        while len(self.rest) >= 9:
            size = int.from_bytes(self.rest[:3], "big")
            if len(self.rest) < 9 + size:
                return
            head, payload = self.rest[:9], self.rest[9 : 9 + size]
            self.rest = self.rest[9 + size :]
            yield head[3], head[4], int.from_bytes(head[5:9], "big") & 0x7FFFFFFF, payload
