"""What a reader's type checker says of calls of the package, right and wrong ones."""

import re
import sys

from mypy import api

PROGRAM = """\
import numpy as np
from attention import attention_weights, multi_head_attention, scaled_dot_product_attention, self_attention

x = np.zeros((3, 4))
mask = np.ones((3, 3), bool)


def either(flag: bool) -> None:
    scaled_dot_product_attention(x, x, x, return_weights=flag)
    self_attention(x, x, x, x, return_weights=flag)
    output, weights = scaled_dot_product_attention(x, x, x, mask=mask, return_weights=True)
    print(output.shape, attention_weights(x, x, is_causal=True).shape)


scaled_dot_product_attention(x, x, x, mask)  # wrong
scaled_dot_product_attention(x, x, x, attn_mask=mask)  # wrong
attention_weights(x, x, mask)  # wrong
scaled_dot_product_attention(x, x, x, is_causal="yes")  # wrong
"""


def test_a_type_checker_takes_what_the_package_takes_and_refuses_what_it_refuses(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, "utf-8")
    wrong = {at for at, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")}
    said, stopped, _ = api.run(["--strict", f"--python-executable={sys.executable}", str(file)])
    assert {int(line) for line in re.findall(r"program\.py:(\d+): error: ", said)} == wrong, said + stopped
