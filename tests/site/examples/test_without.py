"""The trainings without a part: their gradients, and that they start as the record says."""

from random import Random

import numpy as np
import pytest

from attention.little_model import language, record
from examples.little_model import without
from tests.package.oracles import slope_between

RUNS = {run["without"]: run for run in record()["without"]["runs"] if run["seed"] == without.SEEDS[-1]}


@pytest.mark.parametrize("part", without.PARTS)
def test_a_model_without_a_part_goes_back_as_central_differences_do(rng, part):
    w, switches = without.start(0, np.float64), without.PARTS[part]
    ids = np.array([language.text(Random(seed))[:12] for seed in range(3)])
    slopes = without.loss_and_slopes(ids, w, switches)[1]
    assert slopes.keys() == w.keys()
    for name, array in w.items():
        place = tuple(rng.integers(array.shape)) if name != "embedding" else (ids[0, 1], 5)
        expected = slope_between(lambda: without.loss_and_slopes(ids, w, switches)[0], array, place)
        np.testing.assert_allclose(slopes[name][place], expected, rtol=1e-5, atol=1e-8, err_msg=name)


@pytest.mark.parametrize("part", without.PARTS)
def test_a_short_training_without_a_part_repeats_the_start_of_the_recorded_one(part):
    start = RUNS[part]["start"]
    losses = without.trained(without.SEEDS[-1], without.PARTS[part], len(start))[1]
    assert losses == pytest.approx(start, abs=2e-3)
