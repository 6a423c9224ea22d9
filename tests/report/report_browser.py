"""A headless Chromium for tests of the page."""

import json
import time

# Key codes, and the text that a key types.
KEYS = {
    "Tab": (9, ""), "Enter": (13, "\r"), "Space": (32, " "), "Escape": (27, ""),
    "ArrowLeft": (37, ""), "ArrowUp": (38, ""), "ArrowRight": (39, ""), "ArrowDown": (40, ""),
}  # fmt: skip


class Browser:
    """A page in Chromium, controlled by mouse and keyboard; coordinates are CSS pixels of the window."""

    def __init__(self, driver, downloads):
        self.driver, self.downloads = driver, downloads

    def open(self, path):
        self.driver.get_log("browser"), self.driver.get_log("performance")  # discard earlier entries
        self.driver.get(path.resolve().as_uri())
        self.settle()
        return self

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def settle(self):
        """Wait until all changes are drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));"
        )

    def command(self, name, **arguments):
        return self.driver.execute_cdp_cmd(name, arguments)

    def mouse(self, kind, x, y, buttons=0):
        button = "left" if kind != "mouseMoved" or buttons else "none"
        self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=1)

    def at(self, selector):
        """Scroll to an element and return its left, top, width and height in the window."""
        return self.run(
            "const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center'});"
            "const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height];",
            selector,
        )

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, 1)
        self.mouse("mouseReleased", x, y)
        self.settle()

    def drag(self, start, end):
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, 1)
        for share in (0.3, 0.7, 1.0):
            self.mouse("mouseMoved", *(a + share * (b - a) for a, b in zip(start, end, strict=True)), 1)
        self.mouse("mouseReleased", *end)
        self.settle()

    def point(self, index):
        """Position of a solution in the window."""
        left, top, _, _ = self.at("#marks")
        x, y = self.run("return report.screenPlace(arguments[0])", index)
        return left + x, top + y

    def press(self, selector):
        self.run("document.querySelector(arguments[0]).click()", selector)
        self.settle()

    def slide(self, selector, value):
        self.run(
            "const e = document.querySelector(arguments[0]); e.value = arguments[1];"
            "e.dispatchEvent(new Event('input', {bubbles: true}));",
            selector,
            str(value),
        )
        self.settle()

    def key(self, name, **options):
        """Press and release a key, with the browser's default action."""
        code, text = KEYS.get(name, (0, ""))
        options = {"key": text if name == "Space" else name, "code": name, "windowsVirtualKeyCode": code} | options
        self.command("Input.dispatchKeyEvent", type="keyDown", **options, **({"text": text} if text else {}))
        self.command("Input.dispatchKeyEvent", type="keyUp", **options)
        self.settle()

    def clipboard(self):
        """Text of the clipboard, read by pasting into a temporary text area."""
        self.run(
            "const area = document.createElement('textarea'); area.id = 'pasted';"
            "document.body.append(area); area.focus();"
        )
        self.key("v", commands=["paste"], modifiers=2)
        return self.run("const area = document.getElementById('pasted'); area.remove(); return area.value;")

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def downloaded(self, name):
        path, deadline = self.downloads / name, time.monotonic() + 10
        while not path.exists():
            assert time.monotonic() < deadline, f"{name} was not downloaded; there are {list(self.downloads.iterdir())}"
            time.sleep(0.05)
        text = path.read_bytes().decode("utf-8")
        path.unlink()
        return text

    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] != "INFO"]

    def requests(self):
        """URLs that the page requested since it was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        return [parameters["request"]["url"] for parameters in sent]
