"""The report in a real browser: it works, asks the network for nothing, runs no name as code."""

from __future__ import annotations

import base64
import csv
import json
import re
import shutil
import time
import zlib

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("bokeh")
pytest.importorskip("jinja2")
webdriver = pytest.importorskip("selenium.webdriver")
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

from unsuprank import VarianceRanker  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver (Debian: chromium-driver)"
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,1000",
)


HOSTILE = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "</script><script>window.hacked = 1</script>",
    '"><svg onload="window.hacked = 1">\'',
    "two\nlines",
    "emoji 🧬",
    "long " + "x" * 10_000,
    "$$\\frac{1}{2}$$",
    "with, comma",
    "{{ 7 * 7 }}",
    "javascript:window.hacked=1",
    "&lt;b&gt;",
]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    rng = np.random.default_rng(0)
    n = 300
    base = rng.normal(size=(60, 6))
    X = base @ rng.normal(size=(6, n)) + rng.normal(size=(60, n))
    X = X * np.linspace(5, 1, n)
    names = [*HOSTILE, *(f"gene {j}" for j in range(len(HOSTILE), n))]
    path = tmp_path_factory.mktemp("report") / "report.html"
    VarianceRanker().fit(pd.DataFrame(X, columns=names)).report(
        pd.DataFrame(X, columns=names),
        path,
        title=HOSTILE[2],
        labels=[HOSTILE[i % 3] for i in range(60)],
        label_name=HOSTILE[1],
    )
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


def wait_for(condition, seconds=20):
    """Poll until `condition()` holds."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            pytest.fail("the page did not get there")
        time.sleep(0.05)
    return value


@pytest.fixture
def opened(browser, page):
    browser.get(page.as_uri())
    wait_for(lambda: browser.execute_script("return document.body.dataset.ready"))
    return browser


def rows(browser):
    found = browser.find_elements(By.CSS_SELECTOR, "#table tbody tr[data-feature]")
    return [[c.text for c in r.find_elements(By.TAG_NAME, "td")] for r in found[:6]]


def test_no_request_no_error_no_code(opened, page):
    for name in ("score", "spread"):
        opened.execute_script(f"document.getElementById('{name}s')?.scrollIntoView()")
    assert opened.execute_script("return window.hacked") is None
    errors = [e for e in opened.get_log("browser") if e["level"] in ("WARNING", "SEVERE")]
    assert errors == []
    sent = [json.loads(e["message"])["message"] for e in opened.get_log("performance")]
    urls = {
        m["params"]["request"]["url"]
        for m in sent
        if m["method"] == "Network.requestWillBeSent"
        and m["params"]["documentURL"] == page.as_uri()  # not the browser's own first page
    }
    assert page.as_uri() in urls
    assert all(u == page.as_uri() or u.startswith(("data:", "blob:")) for u in urls), urls
    assert HOSTILE[2] in opened.find_element(By.TAG_NAME, "h1").text
    assert opened.execute_script("return document.querySelectorAll('main script').length") == 0


def test_pictures_are_drawn(opened):
    assert opened.execute_script("return Bokeh.documents[0].roots().length") == 7
    assert opened.execute_script(
        "return Bokeh.documents[0].get_model_by_name('features').data.name.length"
    ) == 300  # fmt: skip
    unlabelled = opened.execute_script(
        "return [...document.querySelectorAll('.plot')].filter(p => !p.ariaLabel).length"
    )
    assert unlabelled == 0


def test_search(opened):
    box = opened.find_element(By.ID, "search")
    box.send_keys("gene 12")
    assert opened.find_element(By.ID, "count").text == "11 of 300 columns"
    assert all("gene 12" in r[1] for r in rows(opened))
    box.clear()
    box.send_keys("<IMG")
    assert opened.find_element(By.ID, "count").text == "1 of 300 columns"
    box.send_keys(Keys.CONTROL, "a", Keys.DELETE)
    assert opened.find_element(By.ID, "count").text == "300 of 300 columns"
    assert opened.execute_script("return window.hacked") is None


def test_sort_and_scroll(opened):
    assert [r[0] for r in rows(opened)] == ["1", "2", "3", "4", "5", "6"]
    opened.find_element(By.CSS_SELECTOR, "[data-sort=rank]").click()
    assert [r[0] for r in rows(opened)][:3] == ["300", "299", "298"]
    opened.find_element(By.CSS_SELECTOR, "[data-sort=score]").click()
    assert [r[0] for r in rows(opened)][:3] == ["1", "2", "3"]
    opened.find_element(By.CSS_SELECTOR, "[data-sort=name]").click()
    first = rows(opened)[0][1]
    assert first == min(HOSTILE, key=lambda s: s)[:120]
    opened.execute_script("document.getElementById('scroller').scrollTop = 1e6")
    last = "return [...document.querySelectorAll('#table tr[data-feature]')].at(-1).textContent"
    wait_for(lambda: "{{ 7 * 7 }}" in opened.execute_script(last))


def test_highlight(opened):
    opened.find_element(By.CSS_SELECTOR, "details summary").click()
    opened.find_element(By.ID, "paste").send_keys("gene 20, gene 21;nobody\nwith, comma\n")
    assert opened.find_element(By.ID, "matched").text == "3 found, 1 unknown"
    opened.find_element(By.ID, "only").click()
    assert opened.find_element(By.ID, "count").text == "3 of 300 columns"
    marked = opened.find_elements(By.CSS_SELECTOR, "#table tr.marked")
    assert len(marked) == 3
    chosen = "return Bokeh.documents[0].get_model_by_name('features').selected.indices.length"
    assert opened.execute_script(chosen) == 3


def test_card(opened):
    box = opened.find_element(By.ID, "search")
    box.send_keys("<img")
    opened.find_element(By.CSS_SELECTOR, "#table tbody tr[data-feature]").click()
    card = opened.find_element(By.ID, "card")
    assert card.is_displayed()
    assert card.find_element(By.TAG_NAME, "h2").text == HOSTILE[1]
    why = card.find_element(By.ID, "card-why").text
    assert "Rank " in why
    assert "of the variance of the other columns" in why
    assert len(card.find_elements(By.CSS_SELECTOR, "#card-bars i")) == 12
    near = card.find_elements(By.CSS_SELECTOR, "#card-near button")
    assert len(near) == 4
    name = near[0].text
    near[0].click()
    assert card.find_element(By.TAG_NAME, "h2").text[:60] == name[:60]
    card.find_element(By.CSS_SELECTOR, ".close").click()
    assert not card.is_displayed()
    assert opened.execute_script("return window.hacked") is None


def test_a_dot_opens_a_card(opened):
    opened.execute_script("Bokeh.documents[0].get_model_by_name('features').selected.indices = [4]")
    assert "Rank 5 of 300" in opened.find_element(By.ID, "card-why").text


def row_colours(browser):
    return browser.execute_script(
        "return Bokeh.documents[0].get_model_by_name('rows').data.colour.slice(0, 6)"
    )


def test_rows_are_coloured_by_label_or_column(opened):
    by_label = row_colours(opened)
    assert by_label[:3] == by_label[3:]  # three labels in turn
    assert len(set(by_label)) == 3
    legend = opened.find_element(By.ID, "row-legend")
    assert HOSTILE[0][:20] in legend.text
    opened.execute_script("document.querySelector('.bars .link').click()")
    name = opened.find_element(By.ID, "card-name").text
    opened.find_element(By.ID, "card-colour").click()
    assert not opened.find_element(By.ID, "card").is_displayed()
    chosen = opened.execute_script(
        "return document.querySelector('#colour-by option:checked').textContent"
    )
    assert chosen[:20].strip() == name[:20].strip()
    assert len(set(row_colours(opened))) == 6
    assert "by rank, from" in legend.text
    assert opened.execute_script("return window.hacked") is None


def test_download(opened, tmp_path):
    opened.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    opened.find_element(By.ID, "download").click()
    path = tmp_path / "features.csv"
    wait_for(lambda: path.exists() and path.read_text().endswith("\n"))
    with path.open(newline="") as stream:
        stored = list(csv.DictReader(stream))
    assert len(stored) == 300
    assert [int(r["rank"]) for r in stored] == list(range(1, 301))
    assert {r["feature"] for r in stored} >= set(HOSTILE)


@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_is_wider_than_the_window(opened, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    opened.refresh()
    wait_for(lambda: opened.execute_script("return document.body.dataset.ready"))
    assert opened.execute_script("return document.documentElement.scrollWidth") <= width
    opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def placed_pictures(pdf):
    """Widths of what is shown of each canvas and of the canvas itself, from a printed page."""
    found = []
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.S):
        try:
            text = zlib.decompress(stream)
        except zlib.error:
            continue
        lines = text.split(b"\n")
        for clip, rule, place in zip(lines, lines[1:], lines[3:], strict=False):
            if clip.endswith(b" re") and rule == b"W* n" and place.endswith(b" cm"):
                found.append((float(clip.split()[2]), float(place.split()[0])))
    return found


def test_prints(opened):
    pdf = opened.execute_cdp_cmd("Page.printToPDF", {})["data"]
    placed = placed_pictures(base64.b64decode(pdf))
    assert len(placed) >= 7
    for shown, width in placed:  # nothing is cut off on the right
        assert shown >= width - 1
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert opened.find_element(By.CSS_SELECTOR, "table.paper").is_displayed()
    for hidden in ("#scroller", "nav", ".tools", "span.screen"):
        assert not opened.find_element(By.CSS_SELECTOR, hidden).is_displayed()
    style = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    for whole in ("main section > p", "figure", ".verdict > div", ".clusters tbody"):
        assert opened.execute_script(style, whole, "breakInside") == "avoid"
    for head in ("h2", "h3", "main section > p", ".legend"):  # they stay with what follows
        assert opened.execute_script(style, head, "breakAfter") == "avoid"
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
