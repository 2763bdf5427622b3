"""The encoder of examples/real_model.py on a small model made here, against loops; and every refusal, in one line."""

import builtins
import json
import re
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from examples import real_model as example
from tests.tables import beside, each_row

WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "the", "cat", "sat", "on", "mat", ".", "ran"]
CONFIG = beside(__file__, "config.json")
PARTS = beside(__file__, "parts.toml")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Write a model with random weights, in the layout of the file that BERT has."""
    folder, rng = tmp_path_factory.mktemp("model"), np.random.default_rng(3)
    tensors = {
        f"embeddings.{part}_embeddings.weight": rng.standard_normal((n, 12))
        for part, n in (("word", 13), ("position", 9), ("token_type", 2))
    }
    parts = {"embeddings.LayerNorm": (12,)} | {
        f"encoder.layer.{layer}.{part}": shape for layer in range(2) for part, shape in PARTS.items()
    }
    for part, shape in parts.items():
        tensors |= {f"{part}.weight": rng.standard_normal(shape), f"{part}.bias": rng.standard_normal(shape[0])}
    tensors["pooler.dense.weight"] = rng.standard_normal((12, 12))  # which no text passes through here
    save_file({name: array.astype(np.float32) for name, array in tensors.items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(CONFIG), "utf-8")
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.enable_truncation(4)  # as the file of MiniLM asks for, which the example must not heed
    tokenizer.enable_padding(length=5)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture
def folder(made, tmp_path):
    """Copy the model, to be spoiled."""
    return shutil.copytree(made, tmp_path / "model")


@pytest.fixture(scope="module")
def encoder(made):
    return example.Encoder.load(made, np.float64)


# --- what it reads -----------------------------------------------------------------------------------------------

BATCH = ["the cat sat on the mat.", "", "cat", "the dog ran"]
IDS = [[1, 4, 5, 6, 7, 4, 8, 9, 2], [1, 2], [1, 5, 2], [1, 4, 3, 10, 2]]  # nine tokens are the most


def test_a_text_is_read_whole_and_alike_alone_in_a_batch_and_beside_any_padding(encoder):
    ids, lengths = encoder.ids(BATCH)
    assert [row[:n].tolist() for row, n in zip(ids, lengths, strict=True)] == IDS
    other = encoder.run(np.where(np.arange(9) < lengths[:, None], ids, 7), lengths)
    for row, text in enumerate(BATCH):
        alone = encoder.read(text).of(0)
        for reading in (encoder.read(BATCH), other):
            for one, same in zip(alone, reading.of(row), strict=True):
                np.testing.assert_allclose(one, same, rtol=0, atol=1e-13)
        np.testing.assert_allclose(encoder.output(ids, lengths)[row, : lengths[row]], alone[0][-1], atol=1e-12)
        mean = alone[0][-1].mean(axis=0)
        np.testing.assert_allclose(encoder.vectors(BATCH)[row], mean / np.sqrt(sum(mean**2)), atol=1e-12)


# --- refusals ----------------------------------------------------------------------------------------------------


def with_config(**changes):
    def spoil(folder):
        config = {name: value for name, value in (CONFIG | changes).items() if value is not None}
        (folder / "config.json").write_text(json.dumps(config), "utf-8")

    return spoil


def with_tensor(name, change):
    def spoil(folder):
        tensors = load_file(folder / "model.safetensors")
        tensors = {n: np.array(change(a) if n == name else a) for n, a in tensors.items()}
        save_file({n: a for n, a in tensors.items() if a.size}, folder / "model.safetensors")

    return spoil


def with_bytes(name, change):
    def spoil(folder):
        file = folder / name
        file.write_bytes(change(file.read_bytes()))

    return spoil


HEADER = b'{"a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}'
BFLOAT16 = len(HEADER).to_bytes(8, "little") + HEADER + b"\x80\x3f" * 2
QUERY = "encoder.layer.1.attention.self.query.weight"
BAD = {
    "no folder": (shutil.rmtree, FileNotFoundError, "config.json is missing: .* holds config.json, model.safetensors"),
    "another model": (with_config(model_type="roberta"), ValueError, "model_type must be 'bert', .*'roberta'"),
    "no tensor": (with_tensor(QUERY, lambda a: a[:0]), ValueError, f"has no tensor {QUERY}"),
    "a wrong shape": (with_tensor(QUERY, lambda a: a[:7]), ValueError, rf"{QUERY} .* \(7, 12\), .*\(12, 12\)"),
    "cut off": (with_bytes("model.safetensors", lambda b: b[:-1]), ValueError, "model.safetensors is damaged"),
    "bfloat16": (with_bytes("model.safetensors", lambda b: BFLOAT16), ValueError, "store them as float32: .*bfloat16"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "kind", "says"), BAD.values(), ids=BAD)
def test_what_it_would_not_compute_is_refused_in_one_line(folder, spoil, kind, says):
    spoil(folder)
    with pytest.raises(kind, match=says) as error:
        example.Encoder.load(folder)
    assert str(folder) in str(error.value)
    assert "\n" not in str(error.value)


@each_row("texts, kind, says", "refused.toml", "texts")
@pytest.mark.parametrize("method", ["read", "vectors", "ids"])
def test_texts_that_do_not_fit_are_refused(encoder, method, texts, kind, says):
    with pytest.raises(getattr(builtins, kind), match=says):
        getattr(encoder, method)(eval(texts))


@each_row("ids, lengths, says", "refused.toml", "ids")
def test_ids_that_do_not_fit_are_refused(encoder, ids, lengths, says):
    for method in (encoder.run, encoder.output):
        with pytest.raises(ValueError, match=says):
            method(np.array(ids), np.array(lengths))


# --- as a program ------------------------------------------------------------------------------------------------


def test_the_program_shows_a_head_in_hundredths_and_to_whom_each_head_gives_most(made, encoder, capsys):
    example.main(["the cat ran", "--model", str(made), "--layer", "1", "--head", "2"])
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "layer 1, head 2"
    rows = [line.replace(" . ", " 0 ").split() for line in said[2:7]]
    assert [row[1] for row in rows] == ["[CLS]", "the", "cat", "ran", "[SEP]"]
    shown = np.array([[float(cell.replace(".", "0")) for cell in row[2:]] for row in rows])
    np.testing.assert_allclose(shown, 100 * encoder.read("the cat ran").weights[1, 0, 2], atol=0.51)
    example.main(["the cat ran", "--model", str(made), "--skip-special"])
    most = encoder.read("the cat ran").weights[0, 0, 2].mean(axis=0)[1:4]
    line = capsys.readouterr().out.splitlines()[4]
    assert line.split()[:4] == ["head", "2", ["the", "cat", "ran"][most.argmax()], f"{100 * most.max():.0f}"]


def test_the_program_writes_a_page_of_its_own(made, encoder, capsys, tmp_path):
    file = tmp_path / "heads.html"
    example.main(["the <b>cat", "--model", str(made), "--html", str(file)])
    weights = encoder.read("the <b>cat").weights[:, 0]
    page = file.read_text("utf-8").partition("<script>")[0]
    assert "the &lt;b&gt;cat</h1>" in page
    assert "<b>" not in page
    layer, head = map(int, re.search(r"Layer (\d), head (\d):", page).groups())
    shown = [float(weight) for weight in re.findall(r'<td data-weight="([\d.]+)"', page)]
    np.testing.assert_allclose(shown, weights[layer, head].ravel(), atol=0.0005 + 1e-12)


@each_row("arguments, says", "refused.toml", "arguments")
def test_the_program_says_in_one_line_what_is_wrong(made, capsys, arguments, says):
    with pytest.raises(SystemExit):
        example.main(["the cat", "--model", str(made), *arguments.split()])
    assert says in capsys.readouterr().err.splitlines()[-1]
