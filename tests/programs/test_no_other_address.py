"""No command contacts a host that the user did not name."""

import ipaddress
import socket

import pytest

from tests.command_line import run
from tests.loopback_ollama import LoopbackOllama
from tests.loopback_openai import LoopbackOpenAI

TEXT = "# Bone loss in orbit\n\n## Results\n\nFemur density fell by 12 percent in flight mice.\n"


@pytest.fixture
def refused(monkeypatch):
    """Names and addresses beyond this machine that something tried to reach; none gets through."""
    tried = []
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def is_here(host):
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host in (None, "", "localhost")

    def checked_connect(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6) and not is_here(address[0]):
            tried.append(address)
            raise ConnectionRefusedError(address)
        return connect(self, address)

    def checked_look_up(host, *rest, **more):
        name = host.decode() if isinstance(host, bytes) else host
        if not is_here(name):
            tried.append(name)
            raise socket.gaierror(name)
        return look_up(host, *rest, **more)

    monkeypatch.setattr(socket.socket, "connect", checked_connect)
    monkeypatch.setattr(socket, "getaddrinfo", checked_look_up)
    return tried


@pytest.fixture
def papers(tmp_path, monkeypatch, embedder):
    (tmp_path / "bone.md").write_text(TEXT, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_commands_contact_nobody(refused, papers):
    question = "By how much did density fall?"
    commands = [
        ("index", "bone.md", "--summaries"),
        ("check",),
        ("list",),
        ("retrieve", question),
        ("retrieve", question, "--program", "paper_retriever"),
        ("ask", question, "--program", "main_points", "--output", "answer.json"),
        ("ask", question, "--program", "multi_signal"),
        ("ask", question, "--program", "rag_fusion"),
        ("verify", "answer.json"),
        ("remove", "bone"),
    ]
    for command in commands:
        ran = run(*command)
        assert ran.code in (0, 1), (command, ran.stderr)
        assert "Traceback" not in ran.stderr
    assert run("list", module="optimize.cli.app").code == 2  # no such command, and its libraries are loaded
    assert refused == []


def test_servers_that_are_named_are_all_that_is_contacted(refused, papers):
    with LoopbackOllama(["nothing"]) as ollama, LoopbackOpenAI("nothing") as other:
        run("index", "bone.md")
        for lm, option in (("ollama/tiny", f"host={ollama.url}"), ("openai/mine", f"api_base={other.url}/v1")):
            ran = run("ask", "How much?", "--program", "main_points", "--lm", lm, "--lm-option", option)
            assert ran.code in (0, 1), ran.stderr
        assert ollama.chats
        assert other.requests
    assert refused == []
