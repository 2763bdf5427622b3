"""Drawings as PNG with 256 colours, which a flat drawing hardly has: an eighth of what the drawing engine writes."""

from io import BytesIO


def png(svg: str, scale: float = 1) -> bytes:
    """Draw an SVG."""
    import vl_convert
    from PIL import Image

    drawn = Image.open(BytesIO(vl_convert.svg_to_png(svg, scale=scale))).convert("RGB")
    written = BytesIO()
    drawn.quantize(256, dither=Image.Dither.NONE).save(written, "PNG", optimize=True)
    return written.getvalue()
