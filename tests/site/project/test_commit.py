"""What pre-commit asks: hooks of the locked tools, few and without a network, and files and messages that are sound."""

import subprocess

import yaml

from tests.site.pages import ROOT
from tools.commit import wrong_in, wrong_with

SOUND = "Give masked rows zero weight\n\nThe sum over no keys is zero.\n# what git adds\n"
FILES = {  # name: content, what is said
    "a.toml": (b"a = [1\n", "a.toml: Unclosed array"),
    "b.yml": (b"a: !ENV [X]\nb: c: d\n", "b.yml: mapping values are not allowed"),
    "c.py": (b"a = 1\n<<<<<<< HEAD\n", "c.py:2: a conflict"),
    "d.json": (b"1" * 1_000_001, "d.json: 1,000,001 bytes"),
}

MESSAGES = [  # what stands in a sound one, what to put there, what is said
    ("zero weight", 60 * "x", "the subject has 77 characters"),
    ("The sum over no keys is zero.", "", "a body says why"),
    ("weight\n", "weight", "the line below the subject is empty"),
]


def test_six_hooks_at_most_call_what_is_locked_and_pass_here():
    (repo,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert repo["repo"] == "local"
    assert len(repo["hooks"]) <= 6
    for hook in repo["hooks"]:
        assert hook["language"] == "system"
        program, *rest = hook["entry"].split()
        assert (ROOT / program).exists()
        name = "docs/assets/js/main.js" if "deno" in program else "tools/commit.py"
        if "stages" not in hook:
            if (program.endswith("ruff") and rest == ["format"]) or rest[:1] == ["fmt"]:
                rest = [*rest, "--check"]
            subprocess.run([ROOT / program, *rest, name], cwd=ROOT, check=True)


def test_files_and_messages_that_no_commit_should_hold_are_told(tmp_path):
    for name, (content, message) in FILES.items():
        (tmp_path / name).write_bytes(content)
        (told,) = wrong_in(tmp_path / name)
        assert f"/{message}" in told
    assert list(wrong_with(SOUND)) == []
    for sound, wrong, said in MESSAGES:
        (told,) = wrong_with(SOUND.replace(sound, wrong))
        assert told.startswith(said)
