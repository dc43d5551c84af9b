"""Code and identifiers of a source file, without its comments and the text of its strings."""
import re

C_COMMENT = r"(?P<comment>//[^\n]*|/\*.*?\*/)"
# A regular expression follows an operator or an opening bracket.
JS_PATTERN = r"(?<=[(,=:\[!&|?{;> ])(?P<pattern>/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[ ])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])*/)"
# By language: what is not code, and the brackets of an expression within a string with the text before it.
LANGUAGES = {
    ".c": (C_COMMENT + r"""|(?P<hashes>)(?P<quote>["'])""", None),
    ".js": (C_COMMENT + "|" + JS_PATTERN + r"""|(?P<hashes>)(?P<quote>["'`])""", ("$", "{", "}")),
    ".py": (r"""(?P<comment>\#[^\n]*)|(?P<hashes>\b[a-zA-Z]{1,2}(?=["'])|)(?P<quote>'''|\"\"\"|["'])""", ("", "{", "}")),
    # A raw string has number signs around it; three quotation marks begin a string only at the end of a line.
    ".swift": (C_COMMENT + r'|(?P<hashes>\#*)(?P<quote>"""(?=[ \t]*\n)|")', ("\\", "(", ")")),
}
LANGUAGES = {
    suffix: (re.compile(other + (rf"|(?P<bracket>[{re.escape(field[1] + field[2])}])" if field else ""), re.DOTALL), field)
    for suffix, (other, field) in LANGUAGES.items()
}


class Scanner:
    """Keeps the code of a source file, and puts blanks in place of everything else."""

    def __init__(self, text, suffix):
        self.text, self.suffix, self.code = text, suffix, []
        self.other, self.field = LANGUAGES[suffix]

    def blank(self, start, end):
        self.code.append(re.sub(r"[^\n]", " ", self.text[start:end]))
        return end

    def expression(self, position=0, is_nested=False):
        """Reads code to the bracket that closes an expression within a string, or to the end, and returns the position after it."""
        depth = 0
        while found := self.other.search(self.text, position):
            self.code.append(self.text[position:found.start()])
            position = found.end()
            if self.field and found["bracket"]:
                depth += 1 if found["bracket"] == self.field[1] else -1
                if is_nested and depth < 0:
                    return self.blank(found.start(), position)
                self.code.append(found["bracket"])
                continue
            self.blank(found.start(), position)
            if found["quote"]:
                position = self.string(position, found["hashes"], found["quote"])
        self.code.append(self.text[position:])
        return len(self.text)

    def string(self, position, hashes, quote):
        """Reads a string after its quotation mark, and returns the position after it."""
        has_field = self.field and (self.suffix == ".swift" or quote == "`" or "f" in hashes.lower())
        hashes = hashes if self.suffix == ".swift" else ""
        start = self.field[0] + hashes + self.field[1] if has_field else None
        stop = re.compile("|".join(map(re.escape, [quote + hashes] + ([start] if start else []) + ["\\" + hashes])) + r"|\n")
        while found := stop.search(self.text, position):
            position = self.blank(position, found.end())
            if found[0] == quote + hashes or found[0] == "\n" and len(quote) == 1 and quote != "`":
                return position
            if found[0] == start and self.suffix == ".py" and self.text.startswith("{", position):
                position = self.blank(position, position + 1)
            elif found[0] == start:
                position = self.expression(position, is_nested=True)
            elif found[0] != "\n":
                position = self.blank(position, position + 1)
        return self.blank(position, len(self.text))


def code(text, suffix):
    """The text with blanks in place of comments and of strings, except for the code in strings. Headers and Objective-C are read as C,
    files without a suffix as Python."""
    scanner = Scanner(text, {".h": ".c", ".m": ".c", "": ".py"}.get(suffix, suffix))
    scanner.expression()
    return "".join(scanner.code)


def identifiers(text, suffix):
    """The different identifiers of a file."""
    return set(re.findall(r"[A-Za-z_]\w*", code(text, suffix)))


def words(name):
    """The words of a name, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
