"""Keeps the collector's page open in a headless Chromium while it is under load, then sees how soon it is up to date.

Usage: page.py URL READY-FILE DONE-FILE. Makes READY-FILE when the page is live, and waits for DONE-FILE, after which an
event called `the_last_one` has been sent. Prints a JSON object. Needs playwright, and Chromium's path in CHROMIUM.
"""
import json
import os
import sys
import time

from playwright.sync_api import sync_playwright


def main():
    url, ready, done = sys.argv[1:4]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ["CHROMIUM"], args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(url)
        page.locator("#tally").wait_for()
        open(ready, "w").close()
        max_shown = 0
        while not os.path.exists(done):
            shown = "".join(filter(str.isdigit, page.locator("#tally").inner_text(timeout=60_000).split(" ")[0]))
            max_shown = max(max_shown, int(shown or 0))
            page.wait_for_timeout(500)
        began = time.monotonic()
        page.locator("#filter-name").fill("the_last_one", timeout=60_000)
        page.locator(".event-row", has_text="the_last_one").first.wait_for(timeout=60_000)
        print(json.dumps({"most": max_shown, "seconds": round(time.monotonic() - began, 2), "mistakes": errors}))
        browser.close()


main()
