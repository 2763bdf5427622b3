"""The rules of the page on distance: against loops, and against what they promise."""

import math

import numpy as np
import pytest

from attention import apply_rotary, rotary_tables
from tests.site.learn.page_functions import names

PAGE = names("distance")
frequencies, interpolated, ntk_aware = PAGE["frequencies"], PAGE["interpolated"], PAGE["ntk_aware"]
by_parts, yarn = PAGE["by_parts"], PAGE["yarn"]
CLOSE = {"rtol": 1e-12, "atol": 0}


@pytest.fixture(params=range(20))
def head(request):
    """Draw a head: its pairs, base, factor and trained length, all different."""
    rng = np.random.default_rng(request.param)
    pairs, base = int(rng.integers(2, 70)), float(rng.uniform(50, 1e6))
    return 2 * pairs, base, float(rng.uniform(1.5, 50)), int(rng.integers(300, 100_000))


def by_parts_in_loops(theta, s, n, slow, fast):
    """Follow the paper, pair by pair: three cases for the share that is kept."""
    result = []
    for t in theta:
        turns = n / (2 * math.pi / t)
        gamma = 0.0 if turns < slow else 1.0 if turns > fast else (turns - slow) / (fast - slow)
        result.append((1 - gamma) * t / s + gamma * t)
    return result


def score(q, k, distance, theta):
    """Add up the pairs, query at the distance and key at 0, in the half layout."""
    half = len(theta)
    total = 0.0
    for c, t in enumerate(theta):
        same = q[c] * k[c] + q[half + c] * k[half + c]
        other = q[c] * k[half + c] - q[half + c] * k[c]
        total += same * math.cos(distance * t) + other * math.sin(distance * t)
    return total


def in_the_package(q, k, distances, theta):
    tables = rotary_tables(distances, q.size, inv_freq=theta)
    return apply_rotary(np.tile(q, (len(distances), 1)), *tables, layout="half") @ k


def test_interpolation_gives_the_old_scores_at_distances_times_the_factor(head):
    r, base, _, _ = head
    rng = np.random.default_rng(r)
    q, k = rng.standard_normal((2, r))
    theta, factor = frequencies(r, base), int(rng.integers(2, 9))
    new = in_the_package(q, k, factor * np.arange(30), interpolated(theta, factor))
    old = [score(q, k, d, theta) for d in range(30)]
    np.testing.assert_allclose(new, old, rtol=0, atol=1e-12 * r)


def test_a_new_base_keeps_the_first_pair_and_slows_the_last_by_the_factor(head):
    r, base, s, _ = head
    theta = frequencies(r, base)
    new = ntk_aware(theta, s)
    assert new[0] == theta[0]
    np.testing.assert_allclose(new[-1], theta[-1] / s, **CLOSE)
    rebuilt = [(base * s ** (r / (r - 2))) ** (-2 * c / r) for c in range(r // 2)]
    np.testing.assert_allclose(new, rebuilt, rtol=1e-11, atol=0)  # the powers of a large base round too


@pytest.mark.parametrize(("slow", "fast"), [(1, 32), (1, 4), (0.5, 7)])
def test_by_parts_is_the_papers_three_cases(head, slow, fast):
    r, base, s, n = head
    theta = frequencies(r, base)
    new = by_parts(theta, s, n, slow, fast)
    np.testing.assert_allclose(new, by_parts_in_loops(theta, s, n, slow, fast), **CLOSE)
    np.testing.assert_array_less(0.999999 * theta / s, new)
    assert (new <= theta).all()
    assert (np.diff(2 * np.pi / new) > 0).all()  # the order of the hands stays


def test_the_codes_ramp_agrees_with_the_papers_outside_the_ramp(head):
    r, base, s, n = head
    theta = frequencies(r, base)
    turns, slower = n * theta / (2 * np.pi), theta / yarn(r, base, s, n)
    np.testing.assert_allclose(slower[turns >= 32], 1, **CLOSE)
    np.testing.assert_allclose(slower[turns <= 1], s, **CLOSE)
    assert (np.diff(slower) >= -1e-12 * s).all()
