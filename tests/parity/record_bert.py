"""What a layer of Hugging Face's BERT computes: `python -m tests.parity.record_bert` writes bert.json.

Inputs are multiples of 1/32, so that they are short and exact in the record. Nothing here uses the package.
"""

from pathlib import Path

import numpy as np

from tests.parity.record import as_json, draw

RECORD = Path(__file__).parent / "bert.json"
N_HEADS, D_MODEL, LAYER = 3, 12, 1


def record():
    import torch
    import transformers

    config = transformers.BertConfig(
        vocab_size=7,
        hidden_size=D_MODEL,
        num_attention_heads=N_HEADS,
        intermediate_size=8,
        num_hidden_layers=LAYER + 1,
        max_position_embeddings=5,
    )
    config._attn_implementation = "eager"
    model = transformers.BertModel(config).double().eval()
    rng = np.random.default_rng(0)
    attention = model.encoder.layer[LAYER].attention
    for parameter in attention.parameters():
        parameter.data = torch.tensor(draw(rng, *parameter.shape))
    prefix = f"encoder.layer.{LAYER}.attention."
    state = {name: value.numpy() for name, value in model.state_dict().items() if name.startswith(prefix)}
    x = draw(rng, 2, 5, D_MODEL)
    with torch.no_grad():  # without what follows in BERT: the residual and the layer norm
        output = attention.output.dense(attention.self(torch.tensor(x))[0])
    inputs = {"x": x, "state": {name: value.tolist() for name, value in state.items() if "LayerNorm" not in name}}
    versions = {"torch": torch.__version__, "transformers": transformers.__version__, "numpy": np.__version__}
    return {"versions": versions, "cases": [{"call": "BertModel", "inputs": inputs, "output": output.tolist()}]}


if __name__ == "__main__":
    RECORD.write_text(as_json(record()), encoding="utf-8")
