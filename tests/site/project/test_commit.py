"""What pre-commit asks: hooks of the locked tools, few and without a network, and files and messages that are sound."""

import subprocess

import yaml

from tests.site.pages import ROOT
from tests.tables import beside
from tools.commit import wrong_in, wrong_with

COMMITS = beside(__file__, "commit.toml")
SOUND = COMMITS["sound"]


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
    for name, (content, times, message) in COMMITS["files"].items():
        (tmp_path / name).write_text(times * content, "utf-8")
        (told,) = wrong_in(tmp_path / name)
        assert f"/{message}" in told
    assert list(wrong_with(SOUND)) == []
    for sound, wrong, said in COMMITS["messages"]:
        (told,) = wrong_with(SOUND.replace(sound, wrong))
        assert told.startswith(said)
