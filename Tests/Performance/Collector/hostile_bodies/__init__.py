"""Hostile bodies by kind, for the script hostile beside this folder. Bodies are generated, and reach SIZE bytes once they are inflated, or
as many as 1 MiB as sent has room for.

A format is a module of this folder with the kinds of its path. A kind returns its requests in order: a body, or (body, headers, path); a
list is sent at the same time.
"""
import importlib, pkgutil

import hostile_text
from .clickstream import PLAN, event

FORMATS = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
KINDS = {kind: requests for form in FORMATS for kind, requests in form.KINDS.items()}

# Inputs that have to be cheap in each format, with a kind of each.
INPUTS = ["one long name", "many rows", "many columns", "combining marks", "unplanned names", "patterns"]
TABLE = {name: [form.TABLE[name] for form in FORMATS] for name in INPUTS}


def requests(kind, size):
    """The requests of a kind, whose bodies inflate to `size` bytes."""
    hostile_text.SIZE = size
    return KINDS[kind]()
