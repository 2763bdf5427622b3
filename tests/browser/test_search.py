"""What a reader types leads to the page that answers it."""

import pytest

from tests.browser.conftest import PATIENCE

pytestmark = pytest.mark.nightly

AMONG = {  # questions, and a page that must be among the first three
    "fully masked row nan": "how-to/mask-pitfalls/",
    "query": "learn/queries-keys-values/",  # "what is a" would match each word in is- and a-
    "rows or columns": "learn/read-the-grid/",
    "soft lookup dictionary": "learn/lookup/",
    # the field's words, where the pages mostly say it in their own
    "decoupled rotary": "learn/smaller-caches/",
    "GPU": "learn/speed/",
    "decode step": "learn/decoding/",
    "induction head": "learn/what-attention-can-and-cannot/",
}
FIRST = {  # what engineers type, and the page that must come first
    "why divide by sqrt": "learn/scaling/",
    "W_Q": "learn/queries-keys-values/",
    "query key value meaning": "learn/queries-keys-values/",
    "is_causal": "learn/masks/",
    "multi head attention": "learn/heads/",
    "dropout": "learn/transformer-block/",
    "rope": "learn/relative-positions/",
    "grouped query attention": "learn/sharing-heads/",
    "rolling cache": "learn/windows-and-sinks/",
    "flash attention": "learn/memory/",
    "gradient": "learn/gradients/",
    "what is attention for": "learn/the-problem/",
    "why softmax": "learn/scores-and-softmax/",
    "attention is all you need": "",
    "Why divide by √dₖ?": "learn/scaling/",
}


@pytest.fixture(scope="module")
def first_three(browser, server):
    """Type a question into the search box; return the pages of the first three results (Material groups by page)."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(server)
    page.locator(".md-search__input").click()

    def first_three(question):
        box, results = page.locator(".md-search__input"), page.locator(".md-search-result__link")
        box.fill("")
        page.locator(".md-search-result__item").first.wait_for(state="detached")
        box.press_sequentially(question)
        results.first.wait_for()
        seen = []  # the last keystroke's results replace those before; once they rest, they are read
        while len(seen) < 4 or seen[-4:].count(seen[-1]) < 4:
            page.wait_for_timeout(150)
            seen.append(
                page.locator(".md-search-result__item").evaluate_all(
                    "all => all.slice(0, 3).map(item => item.querySelector('.md-search-result__link').href)"
                )
            )
        found = seen[-1]
        return [address.removeprefix(server).partition("?")[0].partition("#")[0] for address in found]

    first_three.marked = page.locator(".md-search-result__item mark").all_text_contents  # type: ignore[attr-defined]
    yield first_three
    context.close()


@pytest.mark.parametrize("question", AMONG | FIRST)
def test_a_question_finds_its_page(first_three, question):
    found = first_three(question)
    assert found[0] == FIRST[question] if question in FIRST else AMONG[question] in found


def test_small_words_are_no_beginnings_of_others_unless_nothing_else_is_typed(first_three):
    assert first_three("why do we divide")[0] == "learn/scaling/"
    assert {word.lower()[:4] for word in first_three.marked()} == {"divi"}
    assert first_three("of the")
