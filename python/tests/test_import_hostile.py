"""Files from strangers: they must not run code, read elsewhere, or eat memory and time."""

from __future__ import annotations

import pathlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilewright as tw
from tilewright.importers.timeloop.convert import import_timeloop
from tilewright.importers.timeloop.expressions import ExpressionError, compute

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
)
SQUARING = "".join("{% set x = x ~ x %}" for _ in range(60))

FILES = {
    "billion laughs": LAUGHS + "problem: *a9\n",
    "billion merged laughs": LAUGHS + "problem: {<<<: {shape: *a9}}\n",
    "a value in itself": "problem: &a [*a]\n",
    "a table in itself": "problem: &a {shape: *a}\n",
    "deep lists": "problem: " + "[" * 1_500 + "]" * 1_500 + "\n",
    "deep blocks": "problem:\n" + "".join(" " * n + "- \n" for n in range(1, 200)) + "\n",
    "python objects": "problem: !!python/object/apply:os.system [touch HERE/ran]\n",
    "a python name": "problem: !!python/name:os.system\n",
    "a control character": "problem: \x00\n",
    "no UTF-8": "problem: \udcff\n",
    "a key that is a list": "problem: {[1, 2]: 3}\n",
    "import in a template": "problem: {{ __import__('os').system('touch HERE/ran') }}\n",
    "the way up in a template": "problem: {{ ''.__class__.__mro__[1].__subclasses__() }}\n",
    "a function's insides": "problem: {{ include.__globals__ }}\n",
    "a function's insides by item": "problem: {{ include['__self__'] }}\n",
    "a function's insides by filter": "problem: {{ include|attr('__self__') }}\n",
    "a method in a template": "problem: {{ '{0.__class__}'.format(1) }}\n",
    "format in a template": "problem: {{ '%1000000000d'|format(1) }}\n",
    "a wide text": "problem: {{ 'x'|center(1000000000) }}\n",
    "a long product": "problem: {{ 'x' * 10000000000 }}\n",
    "a large power": "problem: {{ 9 ** 9 ** 9 ** 9 }}\n",
    "texts that double": "{% set x = 'xxxxxxxx' %}" + SQUARING + "problem: {{ x }}\n",
    "loops without end": "{% for a in range(99999) %}{% for b in range(99999) %}"
    "{% endfor %}{% endfor %}problem: 1\n",
    "a list that doubles": "{% set x = [1] %}{% set x = [x, x] %}problem: {{ x }}\n",
    "a macro": "{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}problem: {{ m() }}\n",
    "another template": "{% include 'other.yaml' %}problem: 1\n",
    "a template that extends": "{% extends 'other.yaml' %}\n",
    "a file above": "problem: {{ include_text('../../secret.yaml') }}\n",
    "a file elsewhere": "problem: {{ include_text('/etc/passwd') }}\n",
    "a text above": "problem: {{ include_text('../secret.txt') }}\n",
    "a link elsewhere": "problem: {{ include_text('link.yaml') }}\n",
    "itself": "{{ include_text('evil.yaml') }}\n",
    "a folder": "problem: {{ include_text('.') }}\n",
    "an undefined name": "problem: {{ nothing }}\n",
    "half a template": "problem: {{ \n",
    "an expression that calls": "variables: {x: __import__('os').system('touch HERE/ran')}\n"
    "problem: {shape: gemm, instance: {M: x, N: 1, K: 1}}\n",
    "a large number": "problem: {shape: gemm, instance: {M: 9**9**9, N: 1, K: 1}}\n",
    "a variable of itself": "variables: {x: x + 1}\n"
    "problem: {shape: gemm, instance: {M: x, N: 1, K: 1}}\n",
    "two variables of each other": "variables: {x: y + 1, y: x + 1}\n"
    "problem: {shape: gemm, instance: {M: x, N: 1, K: 1}}\n",
    "a size below one": "problem: {shape: gemm, instance: {M: -1, N: 1, K: 1}}\n",
    "nothing": "",
    "a list": "- problem\n",
    "no section": "colour: blue\n",
}


@pytest.mark.parametrize("name", FILES)
def test_hostile_files_end_in_a_message(tmp_path, name):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (tmp_path / "secret.yaml").write_text("secret: 1\n", encoding="utf-8")
    (tmp_path / "a" / "secret.txt").write_text("secret\n", encoding="utf-8")
    (folder / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    path = folder / "evil.yaml"
    text = FILES[name].replace("HERE", str(tmp_path))
    path.write_bytes(text.encode("utf-8", errors="surrogateescape"))
    with pytest.raises(tw.InputError) as caught:
        import_timeloop([path])
    assert "secret: 1" not in str(caught.value)
    assert all(problem.message for problem in caught.value.problems)
    assert not (tmp_path / "ran").exists()


CONFIGS = {
    "an include": '@include "/etc/passwd"\n',
    "no value": "arch = ;\n",
    "an open group": "arch = { storage = (",
    "an odd character": "arch = $;\n",
    "deep lists": "arch = " + "(" * 5_000,
}


@pytest.mark.parametrize("name", CONFIGS)
def test_hostile_libconfig(tmp_path, name):
    path = tmp_path / "evil.cfg"
    path.write_text(CONFIGS[name], encoding="utf-8")
    with pytest.raises(tw.InputError):
        import_timeloop([path])


class NoNames:
    def find(self, name):
        raise KeyError(name)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "().__class__",
        "[x for x in (1, 2)]",
        "(lambda: 1)()",
        "'a' * 1000000000",
        "10 ** 1000000",
        "2 ** 2 ** 2 ** 2 ** 2 ** 2",
        "open('/etc/passwd')",
        "1 if",
        "1 / 0",
        "~1",
        "f'{1}'",
        "max()",
        "(" * 1000 + ")" * 1000,
        "+".join(["1"] * 3000),
        "x := 1",
    ],
)
def test_hostile_expressions(text):
    with pytest.raises(ExpressionError):
        compute(text, NoNames())


@settings(max_examples=30)
@given(data=st.data())
def test_damaged_files_end_in_a_message_or_an_import(tmp_path, data):
    samples = pathlib.Path(__file__).parent / "timeloop"
    name = data.draw(st.sampled_from(["nodes.yaml", "problem.yaml", "mapping.yaml", "flat.cfg"]))
    text = (samples / name).read_text(encoding="utf-8")
    at = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 12))
    new = data.draw(st.text('{}[]()=*&!:-%#"\n 09aCNx', max_size=6))
    path = tmp_path / name
    path.write_text(text[:at] + new + text[at + length :], encoding="utf-8")
    others = [samples / other for other in ("nodes.yaml", "problem.yaml", "mapping.yaml")]
    paths = [path] if name == "flat.cfg" else [path if p.name == name else p for p in others]
    try:
        assert "report.md" in import_timeloop(paths).files
    except tw.InputError as error:
        assert error.problems
