"""Modules joined into one script, and a file that asks for nothing."""

import pytest

pytest.importorskip("markupsafe", reason="templates need the docs extra")

from markupsafe import Markup

from docs_ext.html.alone import ASSETS, alone, one_script


def write(folder, **modules):
    for name, source in modules.items():
        (folder / f"{name}.js").write_text(source, "utf-8")
    return folder / "main.js"


def test_what_a_module_imports_comes_before_it_once(tmp_path):
    main = write(
        tmp_path,
        base="export const a = 1;\n",
        one='import { a } from "./base.js";\nexport function b() {\n  return a;\n}\n',
        two='import {\n  a,\n} from "./base.js";\nexport const c = () => a;\n',
        main='import { b } from "./one.js";\nimport { c } from "./two.js";\nconsole.log(b() + c());\n',
    )
    script = one_script(main)
    assert script.count("const a = 1;") == 1
    assert "import" not in script
    assert "export" not in script
    order = [script.index(part) for part in ("const a", "function b", "const c", "console.log")]
    assert order == sorted(order)


def test_what_is_imported_later_is_there_from_the_start(tmp_path):
    main = write(
        tmp_path,
        late="export const a = 1;\nconst own = 2;\nexport function b() {\n  return own;\n}\n",
        main='async function go() {\n  const late = await import("./late.js");\n  return late.a + late.b();\n}\n',
    )
    script = one_script(main)
    assert "const late = { a, b };" in script
    assert script.index("const own = 2;") < script.index("async function go")
    assert "import(" not in script


def test_a_script_cannot_end_its_element_early(tmp_path):
    assert "</script" not in one_script(write(tmp_path, main='const text = "</script>";\n'))


@pytest.mark.parametrize("source", ['import "./base.js";\n', "export default 1;\n", 'export * from "./base.js";\n'])
def test_what_cannot_be_joined_is_refused(tmp_path, source):
    main = write(tmp_path, base="", main=source)
    with pytest.raises(ValueError, match=r"main\.js: only imports and exports by name"):
        one_script(main)


def test_modules_that_are_joined_share_no_name_by_accident():
    names = []
    for line in one_script(ASSETS / "js/widgets/head-browser.js").splitlines():
        for kind in ("const ", "let ", "function ", "class ", "async function "):
            if line.startswith(kind):
                left = line.removeprefix(kind).split("=")[0].split("(")[0].strip()
                names += left.strip("[] ").split(", ") if left.startswith("[") else [left.split()[0]]
    assert len(names) == len(set(names)) > 20


def test_a_page_holds_its_data_and_asks_for_nothing():
    data = {"words": ["</script><b>", "&"]}
    page = alone("head-browser", "<i> & co", "About.", Markup("<p>body</p>"), "held", data, sheets=())
    assert "<h1>&lt;i&gt; &amp; co</h1>" in page
    assert '<script type="application/json" id="held">{"words":["\\u003c/script>\\u003cb>","&"]}</script>' in page
    assert "default-src 'none'" in page
    assert "url(" not in page
    assert "src=" not in page.replace("src$=", "")
    assert "<link" not in page
