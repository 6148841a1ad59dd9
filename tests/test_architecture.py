"""The architecture is its folders and the direction of imports; here it is held up."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from fnmatch import filter as matching
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from programs.ingest.paper_formats import FORMATS
from programs.registry import PROGRAMS

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("signatures", "metrics", "programs", "optimize")
"""Each may import itself and those before it."""
ROOMS = (
    "dataset",
    "training",
    "tasks",
    "generate",
    "run_folder",
    "judging",
    "statistics",
    "scoring",
    "report",
    "finished_run",
    "report_rendering",
    "assess",
    "job",
    "headroom",
    "policy",
    "optimizers",
    "compiling",
    "cli",
    "__main__",
)
"""Of ``optimize``: each may import itself and those before it."""
SYSTEMS = tuple(each.name for each in PROGRAMS)
SETTINGS = ROOT / "programs" / "config.py"
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers"}
HEAVY = (
    *("torch", "dspy", "sentence_transformers", "qdrant_client", "qdrant_edge", "transformers", "fastapi", "uvicorn"),
    *("sklearn", "scipy", "datasets", "pandas", "pyarrow", "optuna", "litellm", "openai", "httpx"),
    *("pypdfium2", "lxml", "onnx"),
)

COMMANDS = (
    "check",
    "index",
    "retrieve",
    "ask",
    "verify",
    "list",
    "fetch",
    "remove",
    "serve",
    "write",
    "pull",
    "table",
    "highlight",
    "mcp",
)

MODULES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """What the architecture is read from: the imports and attributes of a module, which is parsed once."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tuple(each for each in ast.walk(tree) if isinstance(each, ast.Import | ast.ImportFrom | ast.Attribute))


def imports(path: Path) -> Iterator[str]:
    """Dotted names of everything a module imports, also inside its functions."""
    folder = path.relative_to(ROOT).parent.parts
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = folder[: len(folder) + 1 - node.level] if node.level else ()
            module = ".".join([*parent, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def system(dotted: str | Path) -> str | None:
    """The one of the systems that a module belongs to."""
    parts = dotted.split(".") if isinstance(dotted, str) else dotted.relative_to(ROOT).with_suffix("").parts
    return next((part for part in parts[1:2] if parts[0] == "programs" and part in SYSTEMS), None)


def reads_environment(path: Path) -> bool:
    from_os = {alias.name for node in nodes(path) if isinstance(node, ast.ImportFrom) for alias in node.names}
    attributes = {node.attr for node in nodes(path) if isinstance(node, ast.Attribute)}
    return bool({"environ", "environb", "getenv", "getenvb"} & (from_os | attributes))


def wrong(refused: Callable[[Path, str], bool]) -> list[str]:
    """Imports that a rule refuses, each with its module."""
    return [f"{named(path)} imports {name}" for path in MODULES for name in imports(path) if refused(path, name)]


def test_imports_go_one_way():
    def refused(path: Path, name: str) -> bool:
        later = PACKAGES[PACKAGES.index(path.relative_to(ROOT).parts[0]) + 1 :]
        return name.split(".", maxsplit=1)[0] in (*later, "tests")

    assert wrong(refused) == []


def test_the_rooms_of_optimize_import_one_way():
    def refused(path: Path, name: str) -> bool:
        package, room = path.relative_to(ROOT).with_suffix("").parts[:2]
        if package != "optimize" or room == "__init__":
            return package == "optimize"
        parts = name.split(".")
        return parts[0] == "optimize" and parts[1] in ROOMS[ROOMS.index(room) + 1 :]

    assert wrong(refused) == []


def test_the_systems_do_not_import_each_other():
    def refused(path: Path, name: str) -> bool:
        return system(path) is not None and system(name) not in (None, system(path))

    assert wrong(refused) == []


def test_one_module_reads_the_environment():
    assert [path for path in MODULES if reads_environment(path)] == [SETTINGS]


def test_names_say_what_is_inside():
    folders = {path.parent for path in MODULES}
    assert [
        path for path in (*MODULES, *folders, *ROOT.joinpath("tests").rglob("*.py")) if path.stem in VAGUE_NAMES
    ] == []


def test_datasets_is_no_package_that_would_hide_the_library():
    assert not list(ROOT.joinpath("datasets").rglob("*.py"))


def test_help_loads_nothing_heavy():
    """Every command's, one after another in one process."""
    code = (
        "import sys\n"
        "from programs.cli.app import app\n"
        f"for command in ([], *([name] for name in {COMMANDS!r})):\n"
        "    app([*command, '--help'], standalone_mode=False)\n"
        f"    sys.stderr.write(''.join(f'{{command}} loads {{name}} ' for name in {HEAVY!r} if name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Usage:") == 1 + len(COMMANDS)


def test_no_modules_import_each_other_in_a_circle():
    """Deferred imports and those for types alone are counted too."""
    paths = {named(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in MODULES}

    def modules(path: Path) -> Iterator[str]:
        for dotted in imports(path):
            yield from [name for name in (dotted, dotted.rpartition(".")[0]) if name in paths][:1]

    TopologicalSorter({name: set(modules(path)) - {name} for name, path in paths.items()}).prepare()


def test_what_is_installed_has_every_file_that_the_code_reads():
    """An editable installation has them anyway; a wheel holds what ``package-data`` names."""
    named_data = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    folders = {ROOT / package.replace(".", "/"): globs for package, globs in named_data.items()}
    installed = {path for folder, globs in folders.items() for each in globs for path in folder.glob(each)}
    found = {
        path
        for package in PACKAGES
        for path in ROOT.joinpath(package).rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert sorted(found - installed) == []


def test_the_documented_tree_is_there():
    tree = ROOT.joinpath("docs", "architecture.md").read_text(encoding="utf-8").split("```")[1]
    roots = [ROOT / name for name in (*PACKAGES, "datasets", "tests", "bench")]
    found = [path for root in roots for path in (root, *root.rglob("*"))]
    there = [f"{path.name}/" if path.is_dir() else path.name for path in found]
    assert [each for each in re.findall(r"[\w*]+\.(?:py|tsv)|\w+/", tree) if not matching(there, each)] == []


def test_the_readme_has_every_program_and_format():
    readme = ROOT.joinpath("README.md").read_text(encoding="utf-8")
    assert [each.name for each in PROGRAMS if f"| `{each.name}` |" not in readme] == []
    assert [each.name for each in FORMATS if each.name not in readme] == []
