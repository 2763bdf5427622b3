"""The open model: what it shows at every station against what the model computes, what it says, what it refuses."""

import numpy as np

from attention import layer_norm, sinusoidal_encoding, softmax
from attention.little_model import ID, WORDS, forward, load, next_words
from tests.site.fences.reading import Figure, rows, text

SENTENCE = ["cats", "who", "chased", "dogs"]
OPEN = Figure.sound("open-model")
W = load(np.float64)
LOGITS, LAST, (LOWER, UPPER) = forward([ID[word] for word in SENTENCE], W)
LIKELIEST = np.argsort(-LOGITS, axis=-1)


def added(before, after):
    return [before, after - before, after]


STATIONS = [  # the columns of each, a row per word
    [8 * W["embedding"][[ID[word] for word in SENTENCE]]],
    added(LOWER.x - sinusoidal_encoding(4, 64, base=100), LOWER.x),
    added(LOWER.x, LOWER.middle),
    added(LOWER.middle, UPPER.x),
    added(UPPER.x, UPPER.middle),
    added(UPPER.middle, LAST),
    [LAST, layer_norm(LAST, W["norm"])],
    [np.take_along_axis(LOGITS, LIKELIEST, -1)],
    [np.take_along_axis(each, LIKELIEST, -1) for each in (LOGITS, softmax(LOGITS))],
]


def test_every_word_shows_its_first_eight_numbers_at_every_station():
    for station, columns in enumerate(STATIONS):
        for row in range(4):
            root = OPEN.live(row=row, station=station)
            shown = rows(root, ".//table[@class='strips']/tbody/tr")
            numbers = [[float(cell.strip("·")) for cell in cells] for _, *cells in shown]
            np.testing.assert_array_equal(numbers, np.stack([each[row, :8] for each in columns], -1).round(2))
            words = [WORDS[i] for i in LIKELIEST[row, :8]]
            assert [name for name, *_ in shown] == (words if station >= 7 else [f"{i}" for i in range(1, 9)])
            assert len(root.findall(".//td[@data-chosen]")) == 1


def test_lines_are_as_thick_as_the_mean_weight_of_the_heads():
    lines = OPEN.still().findall(".//{*}svg[@class='looks']")[1].findall("{*}path[@data-chosen]")
    weights = next_words(" ".join(SENTENCE))[1][1][:, 3].mean(axis=0)
    expected = [1 + 5 * weight for weight in weights if weight >= 0.05]
    np.testing.assert_allclose([float(line.get("stroke-width")) for line in lines], expected, atol=1e-3)
    assert text(OPEN.still().find(".//th[@scope='col']")) == "cats"
