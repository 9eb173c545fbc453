/** What a sed script is allowed to do. */
export type SedUse =
  /** Addresses and `p` (§5.6). */
  | "print"
  /** Any change of the text, but no file and no command: not `w W e r R` (§5.7). */
  | "edit";

/** Whether a script does no more than this. Read to its last letter: what is not understood is no. */
export function sedDoesOnly(script: string, use: SedUse): boolean {
  const reader = new SedReader(script);
  let depth = 0;
  for (;;) {
    reader.skip(/[\s;]*/y);
    if (reader.done) return depth === 0 && script.trim() !== "";
    if (!reader.addresses()) return false;
    reader.skip(/[!\s]*/y);
    const command = reader.next();
    if (command === "p") {
      if (!reader.ends()) return false;
      continue;
    }
    if (use === "print") return false;
    if (command === "{") depth += 1;
    else if (command === "}") {
      depth -= 1;
      if (depth < 0 || !reader.ends()) return false;
    } else if (!reader.edits(command)) return false;
  }
}

class SedReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  next(): string {
    const letter = this.#text[this.#at] ?? "";
    this.#at += 1;
    return letter;
  }

  skip(pattern: RegExp): string {
    const sticky = new RegExp(pattern.source, "y");
    sticky.lastIndex = this.#at;
    const [found = ""] = sticky.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  /** A command is over at `;`, a new line, a closing brace or the end. */
  ends(): boolean {
    this.skip(/[ \t]*/y);
    const letter = this.#text[this.#at];
    return letter === undefined || letter === ";" || letter === "\n" || letter === "}";
  }

  /** None, one, or two addresses; false where something begins like one and does not end like one. */
  addresses(): boolean {
    const first = this.#address();
    if (first !== "found") return first === "none";
    this.skip(/\s*/y);
    if (this.#text[this.#at] !== ",") return true;
    this.#at += 1;
    this.skip(/\s*/y);
    if (this.skip(/[+~]\d+/y) !== "") return true;
    return this.#address() === "found";
  }

  #address(): "found" | "none" | "broken" {
    if (this.skip(/\d+(?:~\d+)?|\$/y) !== "") return "found";
    const letter = this.#text[this.#at];
    if (letter !== "/" && letter !== "\\") return "none";
    this.#at += letter === "/" ? 1 : 2;
    const delimiter = this.#text[this.#at - 1] ?? "\n";
    if (this.#until(delimiter) === null) return "broken";
    this.skip(/[IM]*/y);
    return "found";
  }

  /** Text up to a delimiter that is not escaped; null where readers of sed would not agree on where it ends. */
  #until(delimiter: string): string | null {
    if (/[\s\\]/.test(delimiter)) return null;
    const start = this.#at;
    while (!this.done && this.#text[this.#at] !== delimiter) {
      if (this.#text[this.#at] === "\n") return null;
      this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    }
    if (this.done) return null;
    const text = this.#text.slice(start, this.#at);
    this.#at += 1;
    const plain = text.replace(/\\[\s\S]/g, "").replace(/\[\^?\]?[^\]]*\]/g, "");
    return plain.includes("[") ? null : text;
  }

  edits(command: string): boolean {
    if ("dDPnNgGhHx=lFz".includes(command)) return command !== "" && this.ends();
    if ("qQ".includes(command)) {
      this.skip(/[ \t]*\d*/y);
      return this.ends();
    }
    if ("btT:".includes(command)) {
      this.skip(/[ \t]*[\w.-]*/y);
      return this.ends();
    }
    if ("aic".includes(command)) {
      // The text goes on to the end of the line, and over lines that end in a backslash.
      this.skip(/(?:[^\\\n]|\\[\s\S])*/y);
      return true;
    }
    if (command !== "s" && command !== "y") return false;
    const delimiter = this.next();
    if (this.#until(delimiter) === null || this.#replacement(delimiter) === null) return false;
    if (command === "s") this.skip(/[gpiIM\d]*/y);
    return this.ends();
  }

  #replacement(delimiter: string): string | null {
    const start = this.#at;
    while (!this.done && this.#text[this.#at] !== delimiter)
      this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    if (this.done) return null;
    this.#at += 1;
    return this.#text.slice(start, this.#at - 1);
  }
}
