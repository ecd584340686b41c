"""What a server should not say: a table of raw HTTP answers, field by value, status by body, header by header."""

import gzip
import json
import zlib

DEEP = "[" * 100_000 + "]" * 100_000
HOSTILE_JSON = {
    "null": "null",
    "true": "true",
    "zero": "0",
    "negative": "-1",
    "fraction": "1.5",
    "overflow": "1e400",
    "nan": "NaN",
    "long-whole": "9" * 400,
    "too-long-whole": "9" * 5000,
    "empty-text": '""',
    "text": '"text"',
    "surrogate": r'"\ud800"',
    "nul": r'"a\u0000b"',
    "escape": r'"\u001b[31m::error::\u202e"',
    "list": "[]",
    "nested-list": "[[[]]]",
    "object": "{}",
    "deep": DEEP,
    "long-text": json.dumps("x" * 300_000),
    "cut": '"half',
}
FIELDS = {
    "root": "%s",
    "choices": '{"choices": %s}',
    "choice": '{"choices": [%s]}',
    "message": '{"choices": [{"message": %s}]}',
    "content": '{"choices": [{"message": {"content": %s}}]}',
    "part": '{"choices": [{"message": {"content": [%s]}}]}',
    "part-text": '{"choices": [{"message": {"content": [{"type": "text", "text": %s}]}}]}',
    "refusal": '{"choices": [{"message": {"content": null, "refusal": %s}}]}',
    "finish": '{"choices": [{"message": {"content": "ok"}, "finish_reason": %s}]}',
    "usage": '{"choices": [{"message": {"content": "ok"}}], "usage": %s}',
    "prompt-tokens": '{"choices": [{"message": {"content": "ok"}}], "usage": {"prompt_tokens": %s}}',
    "completion-tokens": '{"choices": [{"message": {"content": "ok"}}], "usage": {"completion_tokens": %s}}',
}
ERROR_FIELDS = {"error": '{"error": %s}', "error-message": '{"error": {"message": %s}}', "message": '{"message": %s}'}
RETRIED, LASTING = (429, 500, 503, 529), (201, 204, 206, 300, 302, 304, 308, 400, 402, 405, 413, 418, 422, 451, 499)
ODD_STATUSES = (100, 101, 102, 103, 199, 226, 299, 399, 600, 999)
BODIES = {
    "empty": b"",
    "deep": DEEP.encode(),
    "latin-1": "Schlüssel ungültig".encode("latin-1"),
    "utf-16": '{"error": "x"}'.encode("utf-16"),
    "html": b"<html><script>alert(1)</script></html>",
    "long": b"x" * 3_000_000,
    "terminal": b"\x1b]0;owned\x07\x1b[2J::error::",
}
GOOD = b'{"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}'
WAITS = (
    "1e400", "-1e400", "NaN", "inf", "-5", "", " ", "9" * 400, "9" * 5000, "²", "0x10", "1_0", "soon", "None", "1,2",
    "Fri, 31 Dec 9999 23:59:59 GMT", "Fri, 31 Dec 9999 23:59:59 -2359", "Mon, 01 Jan 0001 00:00:00 +2359",
    "Mon, 01 Jan 99999 00:00:00 GMT", "32 Foo 2026", "\xff\xfe",
)  # fmt: skip


def answer(status, body, *headers, length=None):
    """Return an answer as bytes; its length is said rightly unless another is given."""
    lines = [f"HTTP/1.1 {status} Hostile".encode(), *(header.encode("latin-1") for header in headers)]
    if not any(header.lower().startswith(("content-length", "transfer-encoding")) for header in headers):
        lines.append(f"Content-Length: {len(body) if length is None else length}".encode())
    return b"\r\n".join([*lines, b"Connection: close", b"", body])


def table():
    """Return the whole table, by name."""
    return {**_fields(), **_errors(), **_statuses(), **_waits(), **_headers(), **_framings()}


def _fields():
    return {
        f"field {field} {name}": answer(200, (shape % value).encode())
        for field, shape in FIELDS.items()
        for name, value in HOSTILE_JSON.items()
    }


def _errors():
    return {
        f"error {status} {field} {name}": answer(status, (shape % value).encode())
        for status in (400, 500)
        for field, shape in ERROR_FIELDS.items()
        for name, value in HOSTILE_JSON.items()
        if status == 400 or name in ("deep", "surrogate", "too-long-whole")
    }


def _statuses():
    found = {
        f"status {status} {name}": answer(status, body)
        for status in (*LASTING, *ODD_STATUSES)
        for name, body in BODIES.items()
        if status not in ODD_STATUSES or name in ("empty", "html")
    }
    return found | {
        f"status {status} {name}": answer(status, BODIES[name]) for status in RETRIED for name in ("deep", "empty")
    }


def _waits():
    return {
        f"wait {status} {number}": answer(status, b"later", f"Retry-After: {value}")
        for status in (429, 503)
        for number, value in enumerate(WAITS)
    }


def _headers():
    headers = {
        "cookie-garbage": ("Set-Cookie: =;;;\x01=\xff; expires=never; max-age=1e400",),
        "cookie-long": ("Set-Cookie: a=" + "b" * 7000,),
        "cookie-domain": ("Set-Cookie: a=b; domain=.com; path=../..",),
        "type-garbage": ("Content-Type: \xff/\xfe; charset=no-such",),
        "type-idna": ("Content-Type: application/json; charset=idna",),
        "duplicates": ("X-A: 1", "X-A: 2", "Date: 0", "Date: 1"),
        "long-line": ("X-A: " + "b" * 100_000,),
        "many": tuple(f"X-{number}: {number}" for number in range(2000)),
        "no-colon": ("not a header",),
        "folded": ("X-A: 1\r\n  folded",),
        "bare-return": ("X-A: 1\r2",),
        "zero-byte": ("X-A: 1\x002",),
        "empty-name": (": nothing",),
        "keep-alive": ("Keep-Alive: timeout=-1, max=1e400",),
        "upgrade": ("Upgrade: h2c",),
        "gzip-garbage": ("Content-Encoding: gzip",),
        "deflate-garbage": ("Content-Encoding: deflate",),
        "unknown-encoding": ("Content-Encoding: br, zstd, \xff",),
        "trailer": ("Trailer: X-A",),
        "authenticate": ("WWW-Authenticate: \xff Basic realm=",),
    }
    found = {f"header {name}": answer(200, GOOD, *lines) for name, lines in headers.items()}
    locations = ("", "//", "http://[::1", "\xff", "javascript:alert(1)", "x" * 7000, "http://127.0.0.1:9/" + "%" * 99)
    return found | {
        f"location {number}": answer(307, b"", f"Location: {value}") for number, value in enumerate(locations)
    }


def _framings():
    chunked = "Transfer-Encoding: chunked"
    bomb = gzip.compress(b" " * 200_000_000, 9)
    return {
        "length negative": answer(200, GOOD, "Content-Length: -1"),
        "length text": answer(200, GOOD, "Content-Length: abc"),
        "length overflow": answer(200, GOOD, "Content-Length: 99999999999999999999999"),
        "length twice": answer(200, GOOD, "Content-Length: 5", "Content-Length: 500"),
        "length short": answer(200, GOOD, length=5),
        "length long": answer(200, GOOD, length=len(GOOD) + 100),
        "length and chunks": answer(200, GOOD, "Content-Length: 5", chunked),
        "chunk garbage": answer(200, b"zz\r\nhello\r\n", chunked),
        "chunk negative": answer(200, b"-5\r\nhello\r\n", chunked),
        "chunk overflow": answer(200, b"ffffffffffffffffff\r\nhello\r\n", chunked),
        "chunk long extension": answer(200, b"5;" + b"a" * 200_000 + b"\r\nhello\r\n0\r\n\r\n", chunked),
        "chunk cut": answer(200, b"ff\r\n" + GOOD, chunked),
        "chunk twice": answer(200, GOOD, "Transfer-Encoding: chunked, chunked"),
        "gzip bomb": answer(200, bomb, "Content-Encoding: gzip"),
        "gzip bomb in an error": answer(400, bomb, "Content-Encoding: gzip"),
        "gzip cut": answer(200, gzip.compress(GOOD)[:20], "Content-Encoding: gzip"),
        "deflate raw": answer(200, zlib.compress(GOOD)[2:-4], "Content-Encoding: deflate"),
        "no status": b"\r\n\r\n",
        "status text": b"HTTP/1.1 abc OK\r\n\r\n",
        "status long": b"HTTP/1.1 20000000000000000000 OK\r\n\r\n",
        "status negative": b"HTTP/1.1 -200 OK\r\n\r\n",
        "version": b"HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n",
        "another protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
        "bare body": GOOD,
        "tls alert": b"\x15\x03\x01\x00\x02\x02\x28",
        "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
        "endless continue": b"HTTP/1.1 100 Continue\r\n\r\n" * 5000 + answer(200, GOOD),
        "two answers": answer(200, GOOD) + answer(200, GOOD),
        "random": bytes(range(256)) * 40,
    }  # fmt: skip
