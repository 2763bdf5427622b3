"""Drawings as PNG, an eighth of what the drawing engine writes: with 256 colours, which a flat drawing hardly has."""

import struct
import zlib

import numpy as np

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEAD = ">IIBBBBB"  # width, height, bits, kind of colours, and three ways of packing, each with one that is usual
_RGBA, _PALETTE = 6, 3


def png(svg: str, scale: float = 1) -> bytes:
    """Draw an SVG, and keep its 256 most frequent colours; a pixel of another one takes the nearest."""
    import vl_convert

    chunks = _chunks(vl_convert.svg_to_png(svg, scale=scale))
    width, height, *how = struct.unpack(_HEAD, chunks[b"IHDR"])
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
    if how != [8, _RGBA, 0, 0, 0] or set(rows[:, 0]) != {1}:
        raise ValueError("the drawing engine writes another kind of PNG than it used to")
    steps = rows[:, 1:].reshape(height, width, 4)  # each pixel's difference from the one before
    pixels = np.ascontiguousarray(np.cumsum(steps, axis=1, dtype=np.uint8)).view(np.uint32).ravel()
    starts = np.flatnonzero(np.concatenate(([True], pixels[1:] != pixels[:-1])))  # of runs of one colour
    colours, which = np.unique(pixels[starts], return_inverse=True)
    runs = np.diff(starts, append=pixels.size)
    often = np.sort(np.argsort(-np.bincount(which, runs), kind="stable")[:256])
    rgb = colours.view(np.uint8).reshape(-1, 4)[:, :3].astype(int)
    nearest = ((rgb[:, None] - rgb[often]) ** 2).sum(-1).argmin(-1)
    packed = np.repeat(nearest.astype(np.uint8)[which], runs).reshape(height, width)
    lines = np.pad(packed, ((0, 0), (1, 0)))  # each begins with how it is packed: as it is
    return _SIGNATURE + b"".join(
        _chunk(kind, data)
        for kind, data in (
            (b"IHDR", struct.pack(_HEAD, width, height, 8, _PALETTE, 0, 0, 0)),
            (b"PLTE", rgb[often].astype(np.uint8).tobytes()),
            (b"IDAT", zlib.compress(lines.tobytes())),
            (b"IEND", b""),
        )
    )


def _chunks(data: bytes) -> dict[bytes, bytes]:
    """Return the parts of a PNG by name; the pixels may come in several."""
    chunks, at = dict[bytes, bytes](), len(_SIGNATURE)
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        chunks[kind] = chunks.get(kind, b"") + data[at + 8 : at + 8 + length]
        at += 12 + length
    return chunks


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
