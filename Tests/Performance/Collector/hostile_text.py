"""Generated texts of hostile bodies."""
import base64, gzip, time, zlib

# Bytes that a body inflates to; `requests` of hostile_bodies changes it.
SIZE = 20_000_000
NOW = int(time.time() * 1000) - 5_000
MARK = "\u0301\u0316"


def filled(part, around=("", "")):
    """As many parts as fit, with commas between."""
    count = max(1, (SIZE - 1_000) // (len(part) + 1))
    return around[0] + ",".join([part] * count) + around[1]


def different(make, max_count=100_000, share=1):
    """Different parts as many as fit a share of the body, also when they are compressed."""
    parts, size, packed_size, packer = [], 0, 0, zlib.compressobj(6)
    while size < (SIZE - 100_000) * share and packed_size < 740_000 * share and len(parts) < max_count:
        parts.append(make(len(parts)))
        size += len(parts[-1]) + 1
        packed_size += len(packer.compress(parts[-1].encode() + b","))
    return parts


def numbered(make, max_count=100_000, share=1):
    """The different parts, with commas between."""
    return ",".join(different(make, max_count, share))


def near(name, number):
    """A name that differs from a planned one by few letters; another one for each number."""
    index = number % len(name)
    return name[:index] + f"{number // len(name):x}" + name[index:]


def marked(parts):
    """A JSON text of combining marks with one of `parts` of the bytes."""
    return '"a' + MARK * ((SIZE - 1_000) // 4 // parts) + '"'


def packed(text):
    return base64.b64encode(gzip.compress(text.encode() if isinstance(text, str) else text, 6))


def captured(path, text):
    """A body of a captured format, compressed as these formats are."""
    return gzip.compress(text.encode(), 6), {"Content-Encoding": "gzip"}, path
