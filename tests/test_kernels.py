"""What holds for every kernel and for the tuples they share."""

import ast
import inspect
from collections import Counter
from pathlib import Path

import pytest

import kplace
from kplace._jit import FOLDERS

PACKAGE = Path(kplace.__file__).parent
TREES = {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}
DECORATORS = {"kernel", "bare_kernel", "inner_kernel"}
MOST_ARGUMENTS = 8


def decorators(function: ast.FunctionDef) -> set[str]:
    return {item.id for item in function.decorator_list if isinstance(item, ast.Name)}


def is_kernel(function: ast.FunctionDef) -> bool:
    return bool(decorators(function) & DECORATORS)


def kernels() -> list[tuple[Path, ast.FunctionDef]]:
    return [
        (path, node)
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and is_kernel(node)
    ]


def test_there_are_kernels():
    assert len(kernels()) > 50


def test_kernels_are_where_the_cache_looks_for_changes():
    assert {path.relative_to(PACKAGE).parts[0] for path, _ in kernels()} <= set(FOLDERS)


def test_names_of_tuples_are_unique():
    """Two NamedTuples of one name and with the same fields make every call of a kernel slow: numba takes the one for
    the other at first sight, and has to look again.
    """
    names = Counter(
        (node.name, *(item.target.id for item in node.body if isinstance(item, ast.AnnAssign)))
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any(getattr(base, "id", "") == "NamedTuple" for base in node.bases)
    )
    assert [name for name, number in names.items() if number > 1] == []


def test_kernels_are_at_module_level():
    """A nested one is compiled anew in every process: its closure is no part of the key under which it is kept."""
    top = {id(node) for tree in TREES.values() for node in tree.body}
    assert [node.name for _, node in kernels() if id(node) not in top] == []


def test_inner_kernels_are_called_by_kernels_only():
    """Python cannot call them, and finds that out when it is too late."""
    inner = {node.name for _, node in kernels() if "inner_kernel" in decorators(node)}
    outside = [
        (path.name, called.func.id)
        for path, tree in TREES.items()
        if "fused" in path.parts
        for node in tree.body
        if not (isinstance(node, ast.FunctionDef) and is_kernel(node))
        for called in ast.walk(node)
        if isinstance(called, ast.Call) and isinstance(called.func, ast.Name) and called.func.id in inner
    ]
    assert len(inner) > 50
    assert outside == []


def test_the_fused_loop_counts_no_references():
    """Counting took half to three quarters of its time: whatever it calls is compiled without."""
    fused = [node for path, node in kernels() if "fused" in path.parts]
    assert [node.name for node in fused if "kernel" in decorators(node)] == []


def test_kernels_are_documented_and_take_few_arguments():
    assert [node.name for _, node in kernels() if not ast.get_docstring(node)] == []
    assert [node.name for _, node in kernels() if len(node.args.args) > MOST_ARGUMENTS] == []


def test_kernels_raise_nothing():
    """What a kernel allocated before it raises is never freed."""
    raising = [
        node.name for _, node in kernels() if any(isinstance(item, ast.Raise | ast.Assert) for item in ast.walk(node))
    ]
    assert raising == []


def test_one_decorator_settles_how_kernels_are_compiled():
    outside = [
        str(path.relative_to(PACKAGE))
        for path, tree in TREES.items()
        if path.name != "_jit.py" and any(getattr(node, "attr", "") in {"njit", "jit"} for node in ast.walk(tree))
    ]
    assert outside == []
    from kplace import _jit

    source = inspect.getsource(_jit.kernel)
    assert "cache=KEEPS_KERNELS" in source
    assert "fastmath=False" in source


@pytest.mark.parametrize("name", ["kernels.py"])
def test_modules_of_kernels_import_numbers_and_other_kernels_only(name: str):
    allowed = ("typing", "numpy", "kplace._jit", "kplace.dtypes", "kplace.plugins", "kplace.state")
    for path, tree in TREES.items():
        if path.name == name:
            imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
            assert [module for module in imported if not module.startswith(allowed)] == [], path
