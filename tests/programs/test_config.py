from pathlib import Path

import pytest

from programs.config import Settings, server_address
from programs.errors import UsageError


def test_an_empty_environment_gives_the_defaults():
    settings = Settings.from_environment({"OLLAMA_HOST": "", "QDRANT_API_KEY": " "})
    assert settings.ollama_host == "http://127.0.0.1:11434"
    assert settings.ollama_timeout == 600
    assert settings.embedder == "sentence-transformers/all-MiniLM-L6-v2"
    assert settings.device is None
    assert settings.cache.name in {"corroborate", "Cache"}
    assert settings.compiled.parts[-2:] == ("corroborate", "compiled")
    assert settings.qdrant_api_key is None
    assert settings.api_key is None


def test_every_variable_is_read():
    settings = Settings.from_environment(
        {
            "OLLAMA_HOST": "gpu-box:8080",
            "CORROBORATE_OLLAMA_TIMEOUT": "2.5",
            "CORROBORATE_EMBEDDER": "BAAI/bge-small-en",
            "CORROBORATE_DEVICE": "cuda:1",
            "CORROBORATE_CACHE": "~/elsewhere",
            "CORROBORATE_COMPILED": "~/states",
            "QDRANT_API_KEY": "q",
            "CORROBORATE_API_KEY": "c",
        }
    )
    assert settings == Settings(
        ollama_host="http://gpu-box:8080",
        ollama_timeout=2.5,
        embedder="BAAI/bge-small-en",
        device="cuda:1",
        cache=Path.home() / "elsewhere",
        compiled=Path.home() / "states",
        qdrant_api_key="q",
        api_key="c",
    )


def test_keys_are_not_shown():
    assert "secret" not in repr(
        Settings.from_environment({"QDRANT_API_KEY": "secret", "CORROBORATE_API_KEY": "secret"})
    )


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("localhost", "http://localhost:11434"),
        (":5000", "http://127.0.0.1:5000"),
        ("10.0.0.7:80/", "http://10.0.0.7:80"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("[::]:8080", "http://[::1]:8080"),
        ("[fe80::1]", "http://[fe80::1]:11434"),
        ("http://example.org", "http://example.org:80"),
        ("https://example.org/ollama/", "https://example.org:443/ollama"),
    ],
)
def test_addresses_are_completed_as_ollamas_tools_do(given, address):
    assert server_address(given, "host") == address


@pytest.mark.parametrize("value", ["ftp://host", "host:port", "host:99999", "two words", "http://[::1"])
def test_a_bad_host_is_named_with_what_is_accepted(value):
    with pytest.raises(UsageError, match=r"OLLAMA_HOST=.*accepted are a host, host:port") as caught:
        Settings.from_environment({"OLLAMA_HOST": value})
    assert value in str(caught.value)


@pytest.mark.parametrize("value", ["soon", "0", "-1", "inf", "nan"])
def test_a_bad_timeout_is_named_with_what_is_accepted(value):
    with pytest.raises(UsageError, match=f"CORROBORATE_OLLAMA_TIMEOUT='{value}'.*seconds above 0"):
        Settings.from_environment({"CORROBORATE_OLLAMA_TIMEOUT": value})


def test_what_matters_to_a_container_is_read_from_the_environment():
    read = Settings.from_environment(
        {"CORROBORATE_NUM_PREDICT": "900", "CORROBORATE_THINK": "Low", "CORROBORATE_KEEP_ALIVE": "-1"}
    )
    assert (read.ollama_num_predict, read.ollama_think, read.ollama_keep_alive) == (900, "low", -1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CORROBORATE_NUM_PREDICT", "0"),
        ("CORROBORATE_NUM_PREDICT", "many"),
        ("CORROBORATE_THINK", "hard"),
        ("CORROBORATE_KEEP_ALIVE", "soon"),
    ],
)
def test_options_of_ollama_that_cannot_be_are_refused(name, value):
    with pytest.raises(UsageError, match=f"{name}='{value}'"):
        Settings.from_environment({name: value})
