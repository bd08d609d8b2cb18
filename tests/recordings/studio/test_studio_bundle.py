from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from recordings.studio.bundle import STATIC, NotBundled, bundle

NODE = shutil.which("node")


def test_modules_run_once_each_in_the_order_of_their_needs(tmp_path: Path) -> None:
    (tmp_path / "main.js").write_text(
        'import { add as plus, one } from "./part/add.js";\n'
        'import * as whole from "./part/add.js";\n'
        "/** A comment. */\n"
        "export function three() { return plus(one, one) + whole.one; }\n"
        "console.log(three());\n"
    )
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "add.js").write_text(
        'import { said } from "../log.js";\nexport const one = 1;\n'
        "export function add(a, b) { said(); return a + b; }\n"
    )
    (tmp_path / "log.js").write_text('console.log("once");\nexport const said = () => {};\n')
    made = bundle(tmp_path / "main.js")
    assert made.index('"log.js"') < made.index('"add.js"') < made.index('"main.js"')
    assert made.count("once") == 1
    assert "A comment" not in made
    if NODE is None:
        pytest.skip("no node here to run it with")
    done = subprocess.run([NODE, "-e", made], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["once", "3"]


def test_every_module_of_the_exported_view_is_of_the_known_forms() -> None:
    made = bundle(STATIC / "exported.js")
    assert 'modules["timeline/timeline.js"]' in made
    assert "</script" not in made


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('import x from "./b.js";', "import x from"),
        ("export default 1;", "export default"),
        ("export let a = 1;", "export let"),
        ('export { b } from "./b.js";', "export { b }"),
        ('const late = () => import("./b.js");', "import("),
        ('const end = "</script>";', "</script>"),
    ],
)
def test_what_the_bundler_does_not_know_it_refuses(tmp_path: Path, line: str, what: str) -> None:
    (tmp_path / "a.js").write_text(f"{line}\n")
    with pytest.raises(NotBundled) as refused:
        bundle(tmp_path / "a.js")
    assert what in str(refused.value)
    assert "a.js" in str(refused.value)


def test_modules_that_need_each_other_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nexport const a = 1;\n')
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\nexport const b = 1;\n')
    with pytest.raises(NotBundled, match=r"circle: a\.js -> b\.js -> a\.js"):
        bundle(tmp_path / "a.js")


def needed(path: Path, found: set[Path]) -> set[Path]:
    """A module and all that it imports at once."""
    if path not in found:
        found.add(path)
        text = path.read_text(encoding="utf-8")
        for part in re.findall(r'^import .* from "([^"]+)";$', text, re.MULTILINE):
            needed((path.parent / part).resolve(), found)
    return found


def test_the_page_asks_at_once_for_every_module_of_its_first_views() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    listed = {(STATIC / name).resolve() for name in re.findall(r'modulepreload" href="([^"]+)"', page)}
    wanted: set[Path] = set()
    for name in ("app.js", "runs.js", "episode.js"):
        needed((STATIC / name).resolve(), wanted)
    assert listed == wanted - {(STATIC / "app.js").resolve()}
