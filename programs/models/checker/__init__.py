"""The checker: does this text prove this claim? A small cross-encoder that is shipped with the project.

    checker = SmallChecker()
    checker.judge([("Relapses fell by half.", "Relapses were halved (p = 0.01).")])
    # [Judgement(supported=0.93, contradicted=0.02, neither=0.05)]

Beside this file: `model.onnx` (int8), `tokenizer.json`, `manifest.json` (hashes, the linear model on counts,
calibration, thresholds) and `README.md`, the model card. Made by `python -m optimize checker`. Nothing is loaded before
the first judgement.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metrics.support.checker import Judgement
from programs.errors import ModelUnusable
from programs.models.checker.surface import Surface
from signatures.values import Verdict

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

    from programs.models.session import Session

SHIPPED = Path(__file__).parent
LONGEST = 20_000
"""Characters of a text that are looked at; far more than the model's window holds."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How logits become probabilities, and from which ones on a verdict is given.

    Attributes:
        scale: Of the model's three logits: supported, contradicted, unverifiable.
        surface: Of the three scores that counts give (`surface`).
        shift: Added to both.
        supported: Probability from which on "supported" is said; above 1 it is never said.
        contradicted: The same for "contradicted".
    """

    scale: tuple[float, ...]
    surface: tuple[float, ...]
    shift: tuple[float, ...]
    supported: float
    contradicted: float

    def verdict(self, judgement: Judgement) -> Verdict:
        """The verdict that a judgement is sure enough of."""
        if judgement.supported >= max(self.supported, judgement.contradicted, judgement.neither):
            return "supported"
        if judgement.contradicted >= max(self.contradicted, judgement.supported, judgement.neither):
            return "contradicted"
        return "unverifiable"


def calibrated(
    logits: NDArray[np.float64], scores: NDArray[np.float64], calibration: Calibration
) -> NDArray[np.float64]:
    """Probabilities [pairs, 3] of the model's logits and the counts' scores, [pairs, 3] each."""
    values = logits * np.array(calibration.scale) + scores * np.array(calibration.surface)
    values += np.array(calibration.shift)
    found = np.exp(values - values.max(axis=1, keepdims=True))
    result: NDArray[np.float64] = found / found.sum(axis=1, keepdims=True)
    return result


def token_kinds(encoding: Encoding) -> list[int]:
    """What each token of an encoded pair is: 0 of the claim alone, 1 of the premise alone, 2 and 3 of both.

    A model of this size needs many examples to find out by itself which words two texts share.
    """
    tokens = list(zip(encoding.ids, encoding.type_ids, encoding.special_tokens_mask, strict=True))
    sides = [{token for token, kind, special in tokens if kind == side and not special} for side in (0, 1)]
    both = sides[0] & sides[1]
    return [kind + 2 * (token in both and not special) for token, kind, special in tokens]


class SmallChecker:
    """A checker from a folder; safe to share between threads, the same pair always gets the same judgement."""

    def __init__(self, folder: Path = SHIPPED) -> None:
        """Choose the folder; its files are read and their hashes compared at the first use.

        Args:
            folder: With `model.onnx`, `tokenizer.json` and `manifest.json`.
        """
        self._folder = folder
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        """Name and the first digits of the SHA-256 of the weights.

        Raises:
            ModelUnusable: The manifest cannot be read.
        """
        return f"{self._manifest['name']}@sha256:{self._manifest['files']['model.onnx'][:12]}"

    @property
    def calibration(self) -> Calibration:
        """Scales, shifts and thresholds, from the manifest."""
        try:
            values = self._manifest["calibration"]
            scale, surface, shift = (tuple(map(float, values[name])) for name in ("scale", "surface", "shift"))
            return Calibration(scale, surface, shift, float(values["supported"]), float(values["contradicted"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelUnusable(f"{self._folder / 'manifest.json'} holds no calibration ({error}); {_AGAIN}") from error

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Judgement]:
        """Judge (claim, premise) pairs.

        Args:
            pairs: Any number, texts of any length; what exceeds the model's window is cut, the longer text first. An
                empty claim or premise is judged "neither".

        Raises:
            ModelUnusable: A file is missing, was altered, or is not a model this version runs.
        """
        asked = [at for at, (claim, premise) in enumerate(pairs) if claim.strip() and premise.strip()]
        found = [Judgement(0.0, 0.0, 1.0)] * len(pairs)
        if asked:
            these = [pairs[at] for at in asked]
            rows = calibrated(self.logits(these), self.surface.scores(these), self.calibration)
            for at, row in zip(asked, rows, strict=True):
                found[at] = Judgement(*map(float, row))
        return found

    def verdict(self, judgement: Judgement) -> Verdict:
        """The verdict that a judgement is sure enough of; "unverifiable" below the thresholds."""
        return self.calibration.verdict(judgement)

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """The model's raw scores [pairs, 3]: supported, contradicted, unverifiable."""
        tokenizer, session = self._loaded
        encodings = tokenizer.encode_batch([(claim[:LONGEST], premise[:LONGEST]) for claim, premise in pairs])
        # One pair a run: the integer layers take one scale for all that they are run with.
        inputs = ([np.array([row], np.int32) for row in (each.ids, token_kinds(each))] for each in encodings)
        found = [session.run(each)[0] for each in inputs]
        return np.concatenate(found).astype(np.float64)

    @cached_property
    def surface(self) -> Surface:
        """The linear model on counts, from the manifest."""
        try:
            return Surface.from_json(self._manifest["surface"])
        except (KeyError, TypeError, ValueError) as error:
            raise ModelUnusable(
                f"{self._folder / 'manifest.json'} holds no surface model ({error}); {_AGAIN}"
            ) from error

    @cached_property
    def _manifest(self) -> dict[str, Any]:
        path = self._folder / "manifest.json"
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelUnusable(f"the checker's manifest {path} cannot be read ({error}); {_AGAIN}") from error
        if not isinstance(manifest, dict) or "model.onnx" not in manifest.get("files", {}):
            raise ModelUnusable(f"{path} is not the manifest of a checker; {_AGAIN}")
        return manifest

    @property
    def _loaded(self) -> tuple[Tokenizer, Session]:
        with self._loading:
            return self._parts

    @cached_property
    def _parts(self) -> tuple[Tokenizer, Session]:
        from tokenizers import Tokenizer

        from programs.models.session import Session

        model, words = (self._checked(name) for name in ("model.onnx", "tokenizer.json"))
        tokenizer = Tokenizer.from_str(words.decode("utf-8"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(int(self._manifest["tokens"]), strategy="longest_first")
        return tokenizer, Session(model)

    def _checked(self, name: str) -> bytes:
        """A file's bytes, if they are those that the manifest speaks of."""
        path = self._folder / name
        try:
            content = path.read_bytes()
        except OSError as error:
            raise ModelUnusable(f"the checker's file {path} cannot be read ({error}); {_AGAIN}") from error
        found, wanted = hashlib.sha256(content).hexdigest(), self._manifest["files"].get(name)
        if found != wanted:
            raise ModelUnusable(f"{path} was altered: its SHA-256 is {found}, the manifest says {wanted}; {_AGAIN}")
        return content


_AGAIN = "install the package again, or make the checker with `python -m optimize checker`"
