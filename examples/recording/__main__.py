"""What other libraries compute, for comparison: `python -m examples.recording`, or `... layers rope` for some.

It needs torch, torchao, transformers, onnx and scipy, on a CPU. The records stand in tests/package/parity, whose tests
compare the package with them. `kernels` also needs jax, keras and onnxruntime, and takes ten minutes; a page shows it,
and another one `caches`.
"""

import sys
from importlib import import_module
from pathlib import Path


def main(*stems: str) -> None:
    """Run these recorders, or all."""
    for stem in stems or sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py") if path.stem != "shared"):
        recorder = import_module(f"examples.recording.{stem}").RECORDER
        recorder.file.write_text(recorder.record(), encoding="utf-8")
        print(recorder.file)


if __name__ == "__main__":
    main(*sys.argv[1:])
