"""Measured values against what is required of them, as one table."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Gate:
    """One measured value; ``at_least`` and ``at_most`` are its limits, if it has any."""

    name: str
    value: float
    at_least: float | None = None
    at_most: float | None = None

    @property
    def holds(self) -> bool:
        return (self.at_least is None or self.value >= self.at_least) and (
            self.at_most is None or self.value <= self.at_most
        )

    def __str__(self) -> str:
        least = [] if self.at_least is None else [f"≥ {self.at_least:g}"]
        most = [] if self.at_most is None else [f"≤ {self.at_most:g}"]
        limits = " and ".join(least + most)
        verdict = ("ok" if self.holds else "MISSED") if limits else ""
        return f"{self.name:62}{self.value:12.4f}  {limits:14}{verdict}".rstrip()


def load() -> str:
    """How busy the machine is: timings on a busy one say little."""
    return f"load average {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores"


def report(gates: list[Gate]) -> bool:
    """Print the gates; False when one is missed."""
    print("\n".join(map(str, gates)), flush=True)
    return all(gate.holds for gate in gates)
