"""Shell completion: the scripts, and what they are answered."""

import os

import pytest

from tests.cli.clusters import environment


@pytest.mark.parametrize(("shell", "word"), [("bash", "complete -o"), ("zsh", "#compdef kplace"), ("fish", "complete")])
def test_script(kplace, shell, word):
    result = kplace("completion", shell)
    assert result.exit_code == 0
    assert word in result.stdout
    assert f"_KPLACE_COMPLETE={shell}_complete" in result.stdout


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("kplace pl", {"place"}),
        ("kplace place --tie-break ", {"random", "first"}),
        ("kplace place --tr", {"--trace", "--trace-detail"}),
        ("kplace completion ", {"bash", "zsh", "fish"}),
    ],
)
def test_answers(kplace_process, line, answers):
    words = line.split(" ")
    variables = {"_KPLACE_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = kplace_process(env=environment(**variables))
    assert done.returncode == 0
    assert {answer.partition(",")[2] for answer in done.stdout.split(os.linesep) if answer} == answers


def test_help_keeps_its_lines(kplace):
    lines = kplace("completion", "--help").stdout.splitlines()
    assert [line.split()[0] for line in lines if "kplace completion " in line and ">" in line] == [
        "bash",
        "zsh",
        "fish",
    ]
