"""Where Chromium comes from: $CHROMIUM, the PATH, Playwright's own download, and, for root on Debian, the system's packages."""

import os
import pathlib
import shutil
import subprocess

FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def on_path():
    return next((path for path in map(shutil.which, NAMES) if path), None)


def from_packages():
    if os.getuid() != 0 or not shutil.which("apt-get"):
        return None
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", "chromium"]):
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, timeout=600)  # old lists may be enough
    return on_path()


def find(playwright):
    """The path of a Chromium, or None."""
    named = os.environ.get("CHROMIUM")
    if named:
        assert pathlib.Path(named).is_file(), f"CHROMIUM={named} is no file"
        return named
    downloaded = playwright.chromium.executable_path
    return on_path() or (downloaded if pathlib.Path(downloaded).is_file() else None) or from_packages()


def flags():
    """Chromium's sandbox does not work for root."""
    return FLAGS + (["--no-sandbox"] if os.getuid() == 0 else [])
