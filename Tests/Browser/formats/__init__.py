"""Formats of captured events: a module for each, which is found by its place in this folder. A module has

- `NAME`: its name in the page, and `HEADING`: that of the session of `shopping`;
- `identity(event)`;
- `script(url)`: changes of a replay script, after which it sends the format to a collector;
- `shopping()`, `large()`, `hostile(hook, number)`: apps with events of a shop, of many events, and of a hostile text in all places;
- `ODD`: bodies with values of other types and sizes.
"""

import importlib
import pkgutil

FORMATS = {
    module.name: importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)
}
