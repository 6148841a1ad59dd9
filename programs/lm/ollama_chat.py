"""DSPy's requests as Ollama chats, in a context window that holds them, and Ollama's replies as DSPy's.

Request(model="ollama/gpt-oss", system="Your input fields are …", messages=(user,), config=Config(max_tokens=4000))
→  POST /api/chat  {"model": "gpt-oss", "messages": [{"role": "system", …}, {"role": "user", …}],
                    "options": {"num_ctx": 8192, "num_predict": 4000, "temperature": 0.0}}

Left alone, Ollama opens a window of about 4,096 tokens and silently drops the beginning of a longer prompt: the
instructions and the first passages. So every call states ``num_ctx``, by a close estimate, and forbids truncation
(``truncate`` and ``shift`` false). A server that finds the window too small refuses at once, and is asked again with a
larger one: being exact costs nothing here, and memory for context that is not used costs a lot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from dspy import lm15

from programs.lm.ollama_errors import AnswerTruncated, TooLong, Unsupported, disconnected
from programs.lm.pace import Timing

if TYPE_CHECKING:
    import ollama


SMALLEST_WINDOW = 4096
SHORTEST_ANSWER = 512
"""Tokens that are kept for an answer, however long the prompt is."""
_STEPS_A_DOUBLING = 4
# Role markers and line ends that a chat template puts around one message; Llama's, Qwen's and Gemma's put 4 to 8.
TOKENS_PER_MESSAGE = 12
# What templates add once: gpt-oss opens with about 90 tokens on date, channels and effort, Qwen's thinking with 10.
TOKENS_PER_PROMPT = 96

# Fitted to 40 papers, by the larger count of two byte-pair tokenizers, and a tenth on top for smaller vocabularies.
_LETTERS_OF_ONE_TOKEN = 6
_PER_WORD, _PER_FURTHER_LETTER, _PER_DIGIT, _PER_SIGN, _PER_LINE, _PER_OTHER_SCRIPT = 0.76, 0.4, 0.94, 0.88, 0.58, 2.45

_WORD = re.compile(r"[A-Za-z][a-z]*")
_DIGIT = re.compile(r"[0-9]")
_SIGN = re.compile(r"[!-/:-@\[-`{-~]")
_OTHER_SCRIPT = re.compile(r"[^\x00-\x7f]")


def estimated_tokens(text: str) -> float:
    """About how many tokens a text has in the tokenizers of today's open models.

    It is 1.01 to 1.18 times the true number for papers (two byte-pair tokenizers, 40 papers that nothing was fitted
    to).
    """
    words = [len(word) for word in _WORD.findall(text)]
    return (
        _PER_WORD * len(words)
        + _PER_FURTHER_LETTER * sum(max(letters - _LETTERS_OF_ONE_TOKEN, 0) for letters in words)
        + _PER_DIGIT * len(_DIGIT.findall(text))
        + _PER_SIGN * len(_SIGN.findall(text))
        + _PER_LINE * text.count("\n")
        + _PER_OTHER_SCRIPT * len(_OTHER_SCRIPT.findall(text))
    )


def estimated_prompt_tokens(texts: list[str]) -> int:
    """About how many tokens a chat has, its template included; ``texts`` holds one text a message."""
    tokens = max(sum(estimated_tokens(text) for text in texts), fewest_tokens(texts))
    return round(tokens) + TOKENS_PER_MESSAGE * len(texts) + TOKENS_PER_PROMPT


def fewest_tokens(texts: list[str]) -> int:
    """How many tokens a chat has at least: no tokenizer in use joins words across white space."""
    return sum(len(text.split()) for text in texts)


@dataclass(frozen=True, slots=True)
class Room:
    """What one call may take: the window, and the answer's part of it, in tokens."""

    num_ctx: int
    num_predict: int


@dataclass(slots=True)
class Windows:
    """The context windows of a server's models, as far as they were asked for.

    Ollama loads a model anew for every other ``num_ctx``, a smaller one included. So windows come in steps of about a
    fifth, and one that was opened stays: short prompts that follow a long one share its window.

    Attributes:
        lengths: Model name to the longest context it was trained for, in tokens.
        opened: Model name to the largest window asked for so far.
    """

    lengths: dict[str, int] = field(default_factory=dict)
    opened: dict[str, int] = field(default_factory=dict)

    def fit(self, model: str, prompt_tokens: int, num_predict: int) -> Room:
        """What to ask for; ``lengths`` must know the model.

        A model whose context does not hold the whole of it is given as long an answer as fits: the estimate errs on the
        high side, and whether a prompt is too long is for the server to say.
        """
        length = self.lengths[model]
        window = min(max(_step(prompt_tokens + num_predict), SMALLEST_WINDOW, self.opened.get(model, 0)), length)
        self.opened[model] = window
        return Room(window, min(num_predict, max(window - prompt_tokens, SHORTEST_ANSWER)))

    def grow(self, model: str, refused: int) -> bool:
        """Open twice the window that was too small; False where the model's context holds no more."""
        length = self.lengths[model]
        if refused >= length:
            return False
        self.opened[model] = min(max(2 * refused, self.opened.get(model, 0)), length)
        return True


def _step(tokens: int) -> int:
    """The next number of the form 4, 5, 6 or 7 times a power of two."""
    step = max(1 << max((tokens - 1).bit_length() - 1, 0), _STEPS_A_DOUBLING) // _STEPS_A_DOUBLING
    return -(-tokens // step) * step


def too_long(model: str, length: int, said: str) -> TooLong:
    """The error for a prompt that even the model's whole context does not hold."""
    return TooLong(
        f"The prompt is too long for {model}, whose context holds {length:,} tokens ({said}). Give fewer or shorter "
        "passages, or use a model with a longer context"
    )


def was_cut(read: int | None, fewest: int) -> bool:
    """Whether a server read less than it was sent, going by the tokens that it reports and the words that were sent.

    Servers that know ``truncate`` and ``shift`` refuse instead; what is between, or is older, may cut in silence.
    """
    return bool(read) and (read or 0) < fewest


Think: TypeAlias = bool | str | None

# Fields of a request's config that carry over to Ollama's options under the same name.
SAME_NAME = ("temperature", "top_p", "top_k", "seed", "frequency_penalty", "presence_penalty")
# Fields that ask for something Ollama's chat has no counterpart for; dropping them silently would change results.
NO_COUNTERPART = ("tool_choice", "cache", "service_tier", "logprobs", "probabilities")
THINK_BY_EFFORT: dict[str, Think] = {"off": False, "low": "low", "medium": "medium", "high": "high"}
# Extensions that are about the call, not for the server: the factory's part of the cache key.
NOT_SENT = frozenset({"metadata"})
_NANOSECONDS = 1_000_000_000


@dataclass
class Chat:
    """A chat that is asked for, and its answer as it comes in: in one piece, or in many.

    Attributes:
        arguments: Of Ollama's chat.
        fewest: Tokens that its prompt has at least.
        last: The piece that is marked as done, with the counts.
        refusal: That the prompt does not fit the window.
    """

    request: lm15.Request
    model: str
    arguments: dict[str, Any]
    fewest: int
    thinking: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    last: ollama.ChatResponse | None = None
    refusal: TooLong | None = None

    @classmethod
    def of(
        cls,
        request: lm15.Request,
        model: str,
        windows: Windows,
        num_predict: int,
        keep_alive: float | str | None,
        think: Think,
    ) -> Chat:
        """Translate a request; ``num_predict`` and ``think`` apply where it does not say.

        Raises:
            Unsupported: It asks for tools, images or something else that this engine cannot do.
            TooLong: The prompt has more words than the model's context has tokens.
        """
        config = request.config
        _check_supported(request)
        messages = _messages(request)
        texts = [message["content"] for message in messages]
        fewest, length = fewest_tokens(texts), windows.lengths[model]
        if fewest > length:
            raise too_long(model, length, f"it has {fewest:,} words")
        room = windows.fit(model, estimated_prompt_tokens(texts), config.max_tokens or num_predict)
        options = {name: value for name in SAME_NAME if (value := getattr(config, name)) is not None}
        options |= {"num_ctx": room.num_ctx, "num_predict": room.num_predict}
        arguments = {
            "model": model,
            "messages": messages,
            "options": {**options, "stop": list(config.stop)} if config.stop else options,
            # A JSON schema, or any JSON object for {"type": "json_object"}.
            "format": config.response_format and (config.response_format.get("schema") or "json"),
            "think": _think(config.reasoning, think),
            "keep_alive": keep_alive,
        }
        return cls(request, model, {name: value for name, value in arguments.items() if value is not None}, fewest)

    @property
    def num_ctx(self) -> int:
        """The window that is asked for."""
        return int(self.arguments["options"]["num_ctx"])

    @property
    def is_begun(self) -> bool:
        """Whether a piece came in."""
        return bool(self.thinking or self.text or self.last)

    @property
    def filled_window(self) -> bool:
        """Whether the answer ended because the window did; its last token may be beyond it."""
        last = self.last
        if last is None or last.done_reason != "length":
            return False
        return (last.prompt_eval_count or 0) + (last.eval_count or 0) >= self.num_ctx

    @property
    def timing(self) -> Timing | None:
        """What reading and writing took, by the server; None where it does not tell.

        It counts the whole prompt, but times only what it had not read before: a pace by the same prompt again is high.
        """
        last = self.last
        if last is None or not (last.prompt_eval_count and last.prompt_eval_duration):
            return None
        written = (last.eval_count or 0) / last.eval_duration * _NANOSECONDS if last.eval_duration else 0.0
        read = last.prompt_eval_count
        return Timing(read, read / last.prompt_eval_duration * _NANOSECONDS, written)

    def add(self, piece: ollama.ChatResponse) -> list[lm15.StreamEvent]:
        """Take in a piece; returns it as events."""
        events = []
        if piece.message.thinking:
            self.thinking.append(piece.message.thinking)
            events.append(lm15.ThinkingDelta(piece.message.thinking, part_index=0))
        if piece.message.content:
            self.text.append(piece.message.content)
            events.append(lm15.TextDelta(piece.message.content, part_index=1))
        if piece.done:
            self.last = piece
        return [lm15.StreamDeltaEvent(event) for event in events]

    def response(self, host: str) -> lm15.Response:
        """Check the whole answer and return it, thinking apart from text. Raises like ``usage``."""
        usage = self.usage(host)
        parts = [lm15.ThinkingPart("".join(self.thinking))] if self.thinking else []
        parts.append(lm15.TextPart("".join(self.text)))
        message = lm15.Message.assistant(parts)
        return lm15.Response(id=None, model=self.request.model, message=message, finish_reason="stop", usage=usage)

    def usage(self, host: str) -> lm15.Usage:
        """Tokens read and written.

        Raises:
            Disconnected: No piece is marked as done.
            TooLong: The server did not read the whole prompt.
            AnswerTruncated: The answer reached its limit.
        """
        last = self.last
        if last is None:
            raise disconnected(host, self.model, "no end of the answer came")
        if was_cut(last.prompt_eval_count, self.fewest):
            raise TooLong(
                f"Ollama at {host} read {last.prompt_eval_count:,} tokens for {self.model} in a window of "
                f"{self.num_ctx:,}; the prompt has {self.fewest:,} words, so its beginning was dropped. Update the "
                "server, which should refuse instead; give fewer or shorter passages, or use one of a longer context"
            )
        if last.done_reason == "length":
            raise self._answer_truncated()
        return lm15.Usage(input_tokens=last.prompt_eval_count, output_tokens=last.eval_count)

    def _answer_truncated(self) -> AnswerTruncated:
        letters, most = len("".join(self.thinking)), self.arguments["options"]["num_predict"]
        thought = f", {letters:,} characters of it thinking" if letters else ""
        think_less = ", or have it think less with --lm-option think=low or think=false" if letters else ""
        if self.filled_window:
            limit = f"where its window of {self.num_ctx:,} tokens ended"
            advice = "give fewer or shorter passages, or use a model with a longer context"
        else:
            limit, advice = f"at {most:,} tokens", f"raise the limit with --lm-option num_predict={2 * most}"
        return AnswerTruncated(
            f"The answer of {self.model} was cut off {limit}{thought}; {advice}{think_less}", partial="".join(self.text)
        )


def _check_supported(request: lm15.Request) -> None:
    asked = [name for name in NO_COUNTERPART if getattr(request.config, name) is not None]
    asked += sorted((request.config.extensions or {}).keys() - NOT_SENT)
    if request.tools:
        asked.append("tools")
    if asked:
        raise Unsupported(f"The Ollama engine cannot pass on {', '.join(asked)}; leave it out, or use another model")


def _messages(request: lm15.Request) -> list[dict[str, str]]:
    system = [] if request.system is None else [{"role": "system", "content": _text(request.system)}]
    return system + [
        {"role": "system" if message.role == "developer" else message.role, "content": _text(message.parts)}
        for message in request.messages
    ]


def _text(parts: Any) -> str:  # noqa: ANN401 - text, or parts of DSPy's untyped classes
    if isinstance(parts, str):
        return parts
    texts = []
    for part in parts:
        if part.type == "text":
            texts.append(part.text)
        elif part.type != "thinking":  # former thinking is not sent back, as chat templates drop it anyway
            raise Unsupported(f"The Ollama engine sends text only, not {part.type}; leave it out, or use another model")
    return "\n\n".join(texts)


def _think(reasoning: lm15.Reasoning | None, think: Think) -> Think:
    if reasoning is None:
        return think
    if reasoning.effort not in THINK_BY_EFFORT:
        raise Unsupported(f"Ollama knows no reasoning effort {reasoning.effort!r}; use off, low, medium or high")
    return THINK_BY_EFFORT[reasoning.effort]
