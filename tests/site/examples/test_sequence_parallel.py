"""Sequence parallelism on Dask: two worker processes agree with one, also when one of them dies on the way."""

import os
import signal
import time

import numpy as np
import pytest

import attention

pytestmark = pytest.mark.nightly

FEATURES = 16
LIMIT = 60  # seconds until a worker must hold a result


@pytest.fixture(scope="module")
def example():
    from examples import sequence_parallel  # which needs Dask

    return sequence_parallel


@pytest.fixture(scope="module")
def client(example):
    with example.connect() as client:
        yield client


def assert_right(example, outputs, n_tokens):
    """Compare some rows of every shard with attention in float64 over all keys at once."""
    pairs = [example.make_key_value(shard, n_tokens, FEATURES) for shard in range(len(outputs))]
    key, value = (np.concatenate(arrays).astype(float) for arrays in zip(*pairs, strict=True))
    rows = np.random.default_rng(0).integers(n_tokens, size=16)
    bound = 32 * np.finfo(np.float32).eps * np.abs(value).max()
    for shard, output in enumerate(outputs):
        assert output.shape == (n_tokens, FEATURES)
        assert output.dtype == np.float32
        query = example.make_query(shard, n_tokens, FEATURES)[rows].astype(float)
        expected = attention.scaled_dot_product_attention(query, key, value)
        np.testing.assert_allclose(output[rows], expected, rtol=0, atol=bound)


def first_with_results(client, shards, outputs):
    """Wait until a worker holds keys and values and an output; others are still being computed then."""
    memory = {shard.key_value.key for shard in shards}
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        for worker, keys in client.has_what().items():
            if memory & set(keys) and any(output.key in keys for output in outputs):
                return worker
        time.sleep(0.02)
    pytest.fail("no worker came to hold a result")


def test_the_result_is_right_though_a_worker_dies_that_holds_results(example, client):
    workers = client.run(os.getpid)
    shards = example.spread(client, 8, 4096, FEATURES)  # n = 32768
    outputs = example.attend(client, shards)
    doomed = first_with_results(client, shards, outputs)
    os.kill(workers[doomed], signal.SIGKILL)
    assert_right(example, client.gather(outputs), 4096)
    assert workers[doomed] not in client.run(os.getpid).values()
