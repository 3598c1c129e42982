"""A release gate of another project: `mypy` and `pyright` hold it to Leakgauge's types, and it runs as it stands.

python gate.py TABLE SECRET MOST_BITS
"""

from __future__ import annotations

import sys

import leakgauge as lg


def leaked_bits(scenario: lg.Scenario) -> float:
    """What the release reveals of the secret, in bits."""
    return lg.measures.mutual_information(scenario)


def best_channel(joint: lg.Joint, most_wrong: float) -> lg.Channel:
    """The channel that leaks least at this share of wrong values."""
    problem = lg.design.RateDistortion(joint, lg.Hamming(), lg.MaxDistortion(most_wrong), lg.Knowledge.NOBODY)
    return lg.design.solve(problem).channel


def noisy_count(rows: int) -> float:
    """How many rows there are, give or take one person."""
    noise = lg.mechanisms.laplace(1.0, sensitivity=1)
    return float(noise.run([rows], lg.randomness.OperatingSystem())[0])


def protected(table: str, secret: str, folder: str) -> bool:
    """Whether a release with at most a fifth of the values wrong was written to the folder."""
    return lg.protect(table, folder, secret=secret, max_distortion=0.2).released


def main(table: str, secret: str, most_bits: float) -> int:
    """0 where the designed release stays below the limit, else 1."""
    counts = lg.open_table(table).counts(secret)
    source = counts.distribution()
    channel = best_channel(lg.Joint.of(source, lg.Channel.identity(source.outcomes)), most_wrong=0.2)
    bits = leaked_bits(lg.Scenario(source, channel))
    print(f"{secret}: {bits:.3f} bits")
    return int(bits > most_bits)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
