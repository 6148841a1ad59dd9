from importlib.util import find_spec
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from programs.errors import ContextExceeded
from programs.lm.ollama_context import Windows, estimated_tokens, fewest_tokens, was_cut
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
def test_the_estimate_is_never_below_a_real_count(kind, tokenizer):
    text = TEXTS[kind] * 10
    assert estimated_tokens(text) >= len(tokenizer.encode(text).ids) >= fewest_tokens([text])


@needs_benchmarks
def test_for_papers_the_estimate_is_near_twice_the_real_count(tokenizer):
    papers = [path.read_text() for path in sorted(BENCHMARKS.glob("evidence_inference/nxml/*.nxml"))[:3]]
    assert papers
    for text in papers:
        real = len(tokenizer.encode(text).ids)
        assert real <= estimated_tokens(text) <= 2.1 * real


def test_windows_are_powers_of_two_capped_by_the_model():
    windows = Windows(lengths={"m": 40960, "small": 2048})
    assert windows.fit("m", 10, 100) == 4096
    assert windows.fit("m", 4000, 96) == 4096
    assert windows.fit("m", 4000, 97) == 8192
    assert windows.fit("m", 33000, 4000) == 40960
    assert windows.fit("small", 10, 100) == 2048


def test_an_opened_window_stays_so_that_the_model_is_not_loaded_again():
    windows = Windows(lengths={"m": 40960, "other": 40960})
    windows.fit("m", 10000, 4000)
    assert windows.fit("m", 10, 10) == 16384
    assert windows.fit("other", 10, 10) == 4096


def test_what_does_not_fit_is_an_error_with_the_figures():
    with pytest.raises(ContextExceeded, match=r"5,000 tokens .* 4,000 \(num_predict\), 9,000 in all; .* holds 8,192"):
        Windows(lengths={"m": 8192}).fit("m", 5000, 4000)


@pytest.mark.parametrize(
    ("evaluated", "generated", "cut"),
    [
        (3000, 500, False),
        (None, 500, False),  # some versions leave the count out when the prompt was cached
        (12, 500, False),  # or count only what was not cached
        (8192, 1, True),  # the whole window is full of prompt
        (8000, 193, True),  # the answer pushed the prompt's beginning out
        (8000, 192, False),
        (4098, 500, True),  # half the window and a bit
        (2050, 500, True),  # half of a smaller window than the one asked for
    ],
)
def test_a_cut_prompt_shows_in_the_counts(evaluated, generated, cut):
    assert was_cut(evaluated, generated, num_ctx=8192, fewest=5000) is cut


def test_half_a_window_is_no_sign_when_the_prompt_may_be_that_short():
    assert not was_cut(4098, 10, num_ctx=8192, fewest=4000)
