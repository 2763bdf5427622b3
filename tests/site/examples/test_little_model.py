"""The training of the little model: its language, its gradients, its record, and the gradients in torch."""

import json
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from attention.little_model import language, load, model
from attention.little_model import record as recorded
from examples.little_model import gradients, measuring, record, training
from tests.package.oracles import slope_between
from tests.site.pages import ROOT

OF_TORCH = json.loads((ROOT / "tests/package/parity/little_model.json").read_text("utf-8"))
KEPT = recorded()


def test_the_whole_model_goes_back_as_central_differences_do(rng):
    w = model.random_weights(len(language.WORDS), rng, np.float64)
    w = {name: array + 0.1 * rng.standard_normal(array.shape) for name, array in w.items()}  # layers that add something
    ids = np.array([language.text(Random(seed))[:12] for seed in range(3)])
    slopes = gradients.loss_and_slopes(ids, w)[1]
    assert slopes.keys() == w.keys()
    for name, array in w.items():
        for place in (tuple(rng.integers(array.shape)) if name != "embedding" else (ids[0, 1], 5) for _ in range(3)):
            expected = slope_between(lambda: gradients.loss_and_slopes(ids, w)[0], array, place)
            np.testing.assert_allclose(slopes[name][place], expected, rtol=1e-5, atol=1e-8, err_msg=name)


def test_torch_computes_the_same_slopes():
    ids = [[language.ID[word] for word in OF_TORCH["cases"][-1]["text"].split()]]
    loss, slopes = gradients.loss_and_slopes(np.array(ids), load(np.float64))
    assert loss == pytest.approx(OF_TORCH["loss"], abs=1e-9)
    for name, array in slopes.items():
        ways = np.cos(np.arange(array.size) + 1.0)
        assert array.ravel() @ ways == pytest.approx(OF_TORCH["slopes"][name], abs=1e-6), name


def test_a_short_training_repeats_the_start_of_the_recorded_one():
    run = next(run for run in KEPT["runs"] if run["seed"] == KEPT["training"]["seed"])
    start = run["start"]
    steps = training.train(run["seed"], len(start), training.N_STEPS)
    assert [loss for _, loss, _ in steps] == pytest.approx(start, abs=2e-3)
    assert record.digest() == KEPT["digest"], "what decides the weights has changed: make little-model"


@pytest.mark.parametrize("off", ["everything on", "attention off", "mask off", "positions off", "head 0.1 off"])
def test_the_kept_weights_do_what_the_record_says(off):
    asked, w = measuring.questions(80), load()
    for task, found in measuring.accuracies(asked, w, measuring.settings()[off]).items():
        said = KEPT["accuracy"][off][task]
        assert abs(found - said) <= 0.02 + 4 * np.sqrt(said * (1 - said) / 80), task  # 80 of the 400 questions


def test_the_site_has_the_record_of_the_package():
    package, site = record.RECORDS
    assert package.read_bytes() == site.read_bytes()


def test_the_training_never_sees_what_is_asked_later():
    texts = [[language.WORDS[i] for i in language.text(Random(seed))] for seed in range(300)]
    for words in texts:
        pairs = set(pairwise(words))
        assert not pairs & language.UNHEARD
    seen = " ".join(word for words in texts for word in words)
    for each in measuring.questions(40)["agreement"]:
        story = each.text[max((i for i, word in enumerate(each.text) if word == "."), default=-1) + 1 :]
        assert f". {' '.join(story)} " not in seen
