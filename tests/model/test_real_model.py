"""What examples/real_model.py does with the model that `make model` installs."""

import numpy as np
import pytest

from examples import real_model as example


@pytest.fixture(scope="module")
def encoder():
    return example.Encoder.load(example.installed())


def test_it_has_six_layers_of_twelve_heads_and_room_for_512_tokens(encoder):
    assert (encoder.n_layers, encoder.n_heads, encoder.positions.shape) == (6, 12, (512, 384))
    assert encoder.head_block(5, 11).shape == (32, 384)
    assert encoder.read("word " * 510).weights.shape == (6, 1, 12, 512, 512)
    with pytest.raises(ValueError, match=r"text 0 has 513 tokens, .* 512"):
        encoder.read("word " * 511)


def test_a_text_is_neither_shortened_nor_filled_up_and_an_empty_one_has_two_tokens(encoder):
    assert encoder.tokens("") == ["[CLS]", "[SEP]"]
    assert encoder.tokens("Unbelievable!") == ["[CLS]", "unbelievable", "!", "[SEP]"]
    assert len(encoder.tokens("word " * 300)) == 302
    assert encoder.read(["", "cat"]).hidden.shape == (7, 2, 3, 384)


def test_without_all_heads_of_a_layer_its_tokens_hear_nothing_there(encoder):
    deaf = encoder.without([(layer, head) for layer in range(6) for head in range(12)])
    one, other = (deaf.read(text).of(0)[0] for text in ("the cat ran", "the dog ran"))
    np.testing.assert_allclose(one[:, [0, 1, 3, 4]], other[:, [0, 1, 3, 4]], atol=1e-6)
    assert np.abs(one[:, 2] - other[:, 2]).max() > 0.1
    whole = encoder.read("the cat ran").of(0)[0], encoder.read("the dog ran").of(0)[0]
    assert np.abs(whole[0][-1, 3] - whole[1][-1, 3]).max() > 0.1


def test_the_program_finds_the_model_by_itself(capsys):
    example.main(["The cat that chased the dog ran."])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 14
    assert max(map(len, lines)) < 80
    example.main(["The cat ran.", "--layer", "3", "--head", "1"])
    assert capsys.readouterr().out.startswith("layer 3, head 1\n")
