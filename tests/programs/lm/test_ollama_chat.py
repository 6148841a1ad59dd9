from importlib.util import find_spec
from pathlib import Path
from statistics import median

import pytest
from tokenizers import Tokenizer

from programs.ingest.formats import read
from programs.lm.ollama_chat import (
    Room,
    Windows,
    estimated_prompt_tokens,
    estimated_tokens,
    fewest_tokens,
    was_cut,
)
from tests.benchmarks import BENCHMARKS, needs_benchmarks

TEXTS = {
    "prose": "Caloric restriction extends the lifespan of Saccharomyces cerevisiae by repressing ribosome biogenesis. ",
    "numbers": "0.034 12.71 1998 3,141,592 1e-05 99.9% p=0.0001 ",
    "table": "1.23 ± 0.04\t5.6 ± 0.7\n",
    "chinese": "低温对酵母寿命的影响。实验结果表明，酵母在低环境中寿命缩短。",
    "japanese": "ミトコンドリア機能が低下する。",
    "formula": r"\frac{\partial u}{\partial t} = \alpha \nabla^2 u + \sum_{k=1}^{n} \lambda_k ∫₀^∞ e^{−x²}dx ",
    "genes": "sod-3 daf-16 hsp-12.6 sirt1 rpd3 tor1Δ sch9Δ msn2/4 ",
    "chemicals": "2-deoxy-2-fluoro-D-glucose (3-aminopropyl)triethoxysilane phosphatidylinositol-4,5-bisphosphate ",
    "protein": "MKVLAAGIVGLCAKAYWRQHPNDE",
    "sequence": "acgttgcaagctagctaggatcca" * 2,
    "code": '<td class="x"><sup>13</sup>C</td>\n    {"a": [1, 2]}\n',
    "emoji": "🧬🔬 ",
}


@pytest.fixture(scope="module")
def tokenizer():
    """A real byte-pair tokenizer of 65,000 tokens, which LiteLLM carries."""
    package = Path(find_spec("litellm").origin).parent
    return Tokenizer.from_file(str(package / "litellm_core_utils" / "tokenizers" / "anthropic_tokenizer.json"))


@pytest.mark.parametrize("kind", TEXTS)
def test_the_estimate_is_close_enough_that_a_window_of_twice_its_size_is_never_refused(kind, tokenizer):
    text = TEXTS[kind] * 100
    assert 2 * estimated_tokens(text) >= len(tokenizer.encode(text).ids) >= fewest_tokens([text])


@needs_benchmarks
def test_papers_are_refused_once_at_most_in_windows_little_larger_than_needed(tokenizer):
    ratios, answer = [], 1000
    for path in sorted(BENCHMARKS.glob("evidence_inference/nxml/*.nxml"))[:80:8]:
        text = read(path).text
        real = len(tokenizer.encode(text).ids)
        windows = Windows(lengths={"m": 131_072})
        room = windows.fit("m", estimated_prompt_tokens([text]), answer)
        assert 2 * room.num_ctx > real + answer
        ratios.append(room.num_ctx / (real + answer))
    assert len(ratios) == 10
    assert median(ratios) <= 1.3


def test_windows_come_in_steps_capped_by_the_model():
    windows = Windows(lengths={"m": 40960, "small": 2048})
    assert windows.fit("m", 10, 100) == Room(4096, 100)
    assert windows.fit("m", 4000, 96) == Room(4096, 96)
    assert windows.fit("m", 4000, 97) == Room(5120, 97)
    assert windows.fit("m", 33000, 4000) == Room(40960, 4000)
    assert windows.fit("small", 10, 100) == Room(2048, 100)


def test_an_opened_window_stays_so_that_the_model_is_not_loaded_again():
    windows = Windows(lengths={"m": 40960, "other": 40960})
    windows.fit("m", 10000, 4000)
    assert windows.fit("m", 10, 10).num_ctx == 14336
    assert windows.fit("other", 10, 10).num_ctx == 4096


def test_the_answer_takes_what_a_small_context_leaves_but_no_less_than_512():
    windows = Windows(lengths={"m": 8192})
    assert windows.fit("m", 5000, 4000) == Room(8192, 3192)
    assert windows.fit("m", 8000, 4000) == Room(8192, 512)


def test_a_window_that_was_refused_is_doubled_once_for_all_calls():
    windows = Windows(lengths={"m": 10000})
    refused = windows.fit("m", 10, 10).num_ctx
    assert windows.grow("m", refused)
    assert windows.grow("m", refused)  # another thread met the same window
    assert windows.fit("m", 10, 10).num_ctx == 8192
    assert windows.grow("m", 8192)
    assert windows.fit("m", 10, 10).num_ctx == 10000
    assert not windows.grow("m", 10000)


@pytest.mark.parametrize(("count", "cut"), [(6000, False), (None, False), (0, False), (4098, True), (2050, True)])
def test_a_cut_prompt_shows_where_fewer_tokens_were_read_than_words_sent(count, cut):
    assert was_cut(count, fewest=5000) is cut
