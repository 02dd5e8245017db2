"""A browser driven over the WebDriver protocol, by the standard library alone."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
]

# A key's code, its number, and the text that it writes.
KEYS = {"Tab": ("Tab", 9, ""), "Enter": ("Enter", 13, "\r"), " ": ("Space", 32, " ")}


class Browser:
    """One Chromium with a profile of its own; a context manager that ends it."""

    def __init__(self, width, height, phone=False, dark=False):
        self.profile = tempfile.mkdtemp(prefix="page-test-")
        self.driver = subprocess.Popen(
            [shutil.which("chromedriver"), "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.base = f"http://127.0.0.1:{self._port()}"
        flags = [*FLAGS, f"--user-data-dir={self.profile}", f"--window-size={width},{height}"]
        if dark:
            flags.append("--blink-settings=preferredColorScheme=0")
        options = {"args": flags, "binary": shutil.which("chromium")}
        if phone:
            metrics = {"width": width, "height": height, "pixelRatio": 2, "touch": True, "mobile": True}
            options["mobileEmulation"] = {"deviceMetrics": metrics}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/session/" + session["sessionId"]

    def _port(self):
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                return int(line.rstrip(".\n").rsplit(" ", 1)[1])
        raise RuntimeError("chromedriver did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"content-type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, path):
        """Opens a file; the logs begin with it."""
        self._call("POST", "/url", {"url": "about:blank"})
        self.log("performance"), self.log("browser")
        self._call("POST", "/url", {"url": "file://" + path})

    def run(self, script, *args):
        """What a script returns; it has `arguments`."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def until(self, script, seconds=90):
        """Waits until a script returns something true, and returns that."""
        for _ in range(seconds * 20):
            value = self.run(script)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"never became true: {script}")

    def command(self, name, **parameters):
        """A command of the browser's own protocol."""
        return self._call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def before_any_page(self, script):
        """Runs a script in every document from now on, before anything of the document itself."""
        self.command("Page.addScriptToEvaluateOnNewDocument", source=script)

    def press(self, key):
        """Presses and releases a key, as the keyboard would."""
        code, number, text = KEYS[key]
        at = {"key": key, "code": code, "windowsVirtualKeyCode": number}
        self.command("Input.dispatchKeyEvent", type="keyDown", **at, **({"text": text} if text else {}))
        self.command("Input.dispatchKeyEvent", type="keyUp", **at)

    def print(self):
        """The page as a PDF file."""
        return base64.b64decode(self.command("Page.printToPDF", printBackground=True)["data"])

    def drag(self, start, end):
        """Presses the mouse at one point, and releases it at another."""
        steps = [_move(start, 0), {"type": "pointerDown", "button": 0}]
        steps += [_move(end, 200), {"type": "pointerUp", "button": 0}]
        self._act(steps)

    def double_click(self, point):
        """As the browser would see one from a hand: it counts the clicks itself, however long the page takes over each."""
        self._act([_move(point, 0)])
        at = {"x": round(point[0]), "y": round(point[1]), "button": "left"}
        for clicks in (1, 2):
            for step in ("mousePressed", "mouseReleased"):
                self.command("Input.dispatchMouseEvent", type=step, clickCount=clicks, **at)

    def _act(self, steps):
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}
        self._call("POST", "/actions", {"actions": [mouse]})

    def log(self, kind):
        return self._call("POST", "/se/log", {"type": kind})

    def screenshot(self, path):
        """The whole page, not only what is in view."""
        height = self.run("return document.documentElement.scrollHeight")
        width = self.run("return document.documentElement.clientWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        picture = self.command("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))


def _move(point, duration):
    return {"type": "pointerMove", "x": round(point[0]), "y": round(point[1]), "duration": duration, "origin": "viewport"}
