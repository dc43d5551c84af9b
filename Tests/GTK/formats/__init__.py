"""Formats of the captured events: a module for each, which is found by its place in this folder. A module has

- `QUERY`: the request to the collector that returns its events, page by page;
- `environment(url)`: the variables with which a program sends the format to a collector;
- `BROKEN`: settings in a configuration file that are invalid, with a part of the message;
- `time(event)`, `identity(event)`;
- `captured(event)`: the event independent of the format, or None for one that belongs to no step;
- `recorded(event)`: a captured event without what the format lacks; None if it lacks the event.
"""

import importlib
import pkgutil

FORMATS = {
    module.name: importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)
}
