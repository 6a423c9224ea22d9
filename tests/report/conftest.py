"""A headless Chromium without network, to open pages in."""

import os
import shutil

import pytest
from report_browser import Browser

from tensorrvea.report import report

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1360,950",
)  # fmt: skip


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """One headless Chromium for all tests of a worker."""
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    try:
        from selenium import webdriver
    except ModuleNotFoundError:
        webdriver = None
    missing = [
        name
        for name, found in (("chromium", binary), ("chromedriver", driver), ("selenium", webdriver))
        if found is None
    ]
    if missing:
        message = f"the report's page was not tested in a browser: {', '.join(missing)} not found"
        if os.environ.get("CI") == "true":
            pytest.fail(message + ", and on CI these tests may not be skipped")
        pytest.skip(message)
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    downloads = tmp_path_factory.mktemp("downloads")
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        browser = Browser(started, downloads)
        started.set_script_timeout(20)
        browser.command("Network.enable")
        browser.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
        offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        browser.command("Network.emulateNetworkConditions", **offline)
        yield browser
    finally:
        started.quit()


@pytest.fixture
def browser(chromium):
    """The browser at laptop size in the light theme; asserts afterwards that there were no requests or errors."""
    chromium.command("Emulation.setDeviceMetricsOverride", width=1360, height=950, deviceScaleFactor=1, mobile=False)
    media = [
        {"name": "prefers-color-scheme", "value": "light"},
        {"name": "prefers-reduced-motion", "value": "no-preference"},
    ]
    chromium.command("Emulation.setEmulatedMedia", features=media)
    yield chromium
    assert chromium.errors() == []
    assert [url for url in chromium.requests() if not url.startswith(("file:", "blob:", "data:"))] == []


@pytest.fixture
def show(browser, tmp_path):
    """Write a page from runs and open it."""

    def make_and_open(*runs, **options):
        return browser.open(report(list(runs), tmp_path / "page.html", **options))

    return make_and_open
