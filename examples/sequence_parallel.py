"""Attention whose keys and values never meet in one process: sequence parallelism on Dask.

    python examples/sequence_parallel.py                      # two processes on this machine
    python examples/sequence_parallel.py tcp://HOST:8786      # the workers of a running Dask scheduler

Every worker holds the keys and values of some tokens. Queries travel to them, partial results are merged in pairs.
docs/learn/many-machines.md explains it.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

import numpy as np
from distributed import Client, Future, LocalCluster, progress
from numpy.typing import NDArray

from attention import PartialAttention, merge_partials, partial_attention

Floats = NDArray[np.float32]


class Shard(NamedTuple):
    """Some of the tokens, on one worker."""

    query: Future  # of an array (n_tokens, d)
    key_value: Future  # of a pair of such arrays
    home: dict[str, Any]  # where tasks on this shard should run: anywhere else if that worker is gone


def make_query(shard: int, n_tokens: int, d: int) -> Floats:
    """Make the queries of one shard: here random numbers, in a model a projection."""
    return np.random.default_rng([0, shard]).standard_normal((n_tokens, d), dtype=np.float32)


def make_key_value(shard: int, n_tokens: int, d: int) -> tuple[Floats, Floats]:
    """Make the keys and values of one shard: the same whenever and wherever it is called."""
    key, value = np.random.default_rng([1, shard]).standard_normal((2, n_tokens, d), dtype=np.float32)
    return key, value


def spread(client: Client, n_shards: int, n_tokens: int, d: int) -> list[Shard]:
    """Let tasks make the shards on the workers, in turns; nothing is sent from here."""
    workers = sorted(client.ncores())
    shards = []
    for number in range(n_shards):
        home = {
            "workers": [workers[number % len(workers)]],
            "allow_other_workers": True,
        }
        query = client.submit(make_query, number, n_tokens, d, **home)
        key_value = client.submit(make_key_value, number, n_tokens, d, **home)
        shards.append(Shard(query, key_value, home))
    return shards


def attend_to_shard(query: Floats, key_value: tuple[Floats, Floats]) -> PartialAttention:
    """Attend to the keys of one shard, on the worker that holds them."""
    return partial_attention(query, *key_value)


def visit(client: Client, query: Future, shard: Shard) -> Future:
    """Let queries attend to one shard, where it lies."""
    return client.submit(attend_to_shard, query, shard.key_value, **shard.home)


def merge_as_a_tree(client: Client, parts: list[Future]) -> Future:
    """Merge neighbours until one part is left: eight parts take three rounds."""
    while len(parts) > 1:
        pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
        parts = [client.submit(merge_partials, *pair) for pair in pairs]
    return parts[0]


def attend(client: Client, shards: list[Shard]) -> list[Future]:
    """Start self-attention over all tokens; return the output of every shard's queries, (n_tokens, d) each."""
    outputs = []
    for asking in shards:
        parts = [visit(client, asking.query, shard) for shard in shards]
        merged = merge_as_a_tree(client, parts)
        outputs.append(client.submit(getattr, merged, "output"))
    return outputs


@contextmanager
def connect(scheduler: str | None = None) -> Iterator[Client]:
    """Connect to a scheduler, or start two worker processes on this machine."""
    if scheduler:
        with Client(scheduler) as client:
            yield client
    else:
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            yield client


class Parser(argparse.ArgumentParser):
    """A parser without the usage in front of what is wrong."""

    def error(self, message: str) -> NoReturn:
        """Answer in one line."""
        self.exit(2, f"{self.prog}: {message}; see --help\n")


def positive(text: str) -> int:
    """Read a number of things, of which there must be some."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not 1, 2, 3 or more")
    return int(text)


def main() -> None:
    """Run it, with a progress bar."""
    parser = Parser(description="Attention over tokens that are spread over Dask workers.")
    parser.add_argument("scheduler", nargs="?", help="address of a scheduler; two local processes if omitted")
    parser.add_argument("--shards", type=positive, default=8)
    parser.add_argument("--tokens", type=positive, default=4096, help="tokens in a shard")
    parser.add_argument("--features", type=positive, default=64)
    options = parser.parse_args()
    n = options.shards * options.tokens
    with connect(options.scheduler) as client:
        print(f"{n} tokens in {options.shards} shards on {len(client.ncores())} workers")
        outputs = attend(client, spread(client, options.shards, options.tokens, options.features))
        progress(outputs)  # a bar, until the last output is there
        shapes = client.gather([client.submit(np.shape, output) for output in outputs])
    rows, grid = sum(shape[0] for shape in shapes), 4 * n**2 / 2**30
    print(f"\noutput: {rows} rows; one grid of weights would have taken {grid:.1f} GiB")


if __name__ == "__main__":
    main()
