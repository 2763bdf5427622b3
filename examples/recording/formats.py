"""What torchao makes of numbers in blocks of 4 bits with a scale: MXFP4 by the floor rule of the specification, NVFP4.

The largest number of an NVFP4 array is 448 times 6 times a power of two, so that the scale of the array is exact, and
no tie depends on how a library divides by it. No block is so small that torchao would raise its scale to 2**-6.
"""

from functools import partial
from typing import Any

import numpy as np

from examples.recording.shared import Recorder, draw


def rows(kind: str, seed: int) -> Any:
    """Draw 12 blocks whose sizes differ by powers of ten, with ties, a block of zeros and one near the next power."""
    rng = np.random.default_rng(seed)
    blocks = draw(rng, 12, 32 if kind == "mxfp4" else 16) * 10.0 ** rng.integers(0, 3, (12, 1))
    blocks[1] = 0
    blocks[2, :8] = [6, 5, 3.5, 2.5, 1.75, 1.25, 0.75, 0.25]
    blocks[3] = np.linspace(-7.96875, 7, blocks.shape[1])
    blocks[4, 0] = 448 * 6 * 2.0 ** rng.integers(0, 3)
    return blocks.astype(np.float32).reshape(2, -1)


def blocks(kind: str, seed: int) -> tuple[dict[str, Any], Any]:
    """Round to the format and back, in float32."""
    import torch
    from torchao.prototype.mx_formats.mx_tensor import MXTensor
    from torchao.prototype.mx_formats.nvfp4_tensor import NVFP4Tensor, per_tensor_amax_to_scale

    x = rows(kind, seed)
    given = torch.tensor(x)
    if kind == "mxfp4":
        rounded = MXTensor.to_mx(given, torch.float4_e2m1fn_x2, 32)
    else:
        rounded = NVFP4Tensor.to_nvfp4(given, per_tensor_scale=per_tensor_amax_to_scale(given.abs().max()))
    return {"x": x.astype(float), "format": kind}, rounded.dequantize(torch.float32).numpy().astype(float)


CASES = {f"{kind}, seed {seed}": partial(blocks, kind, seed) for kind in ("mxfp4", "nvfp4") for seed in range(2)}
RECORDER = Recorder("formats", ("torch", "torchao", "numpy"), CASES)
