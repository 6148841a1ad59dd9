from dataclasses import dataclass

from metrics.support.checker import Judgement, current, install, use


@dataclass(frozen=True)
class Fixed:
    name: str

    def judge(self, pairs):
        return [Judgement(1.0, 0.0, 0.0) for _ in pairs]

    def verdict(self, judgement):
        return "supported"


def test_a_block_uses_its_own_checker_and_gives_it_back():
    before = current()
    with use(Fixed("outer")):
        with use(Fixed("inner")):
            assert current().name == "inner"
        assert current().name == "outer"
        with use(None):
            assert current() is None
    assert current() is before


def test_an_installed_provider_is_asked_only_when_a_checker_is_wanted(monkeypatch):
    from metrics.support import checker

    monkeypatch.setattr(checker, "_installed", [])
    asked = []
    install(lambda: asked.append(1) or Fixed("installed"))
    assert asked == []
    assert current().name == "installed"
