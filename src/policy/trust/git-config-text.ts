/** One value of a git configuration file. */
export interface GitSetting {
  /** Section and name in lower case, with the subsection as written between them: `filter.LFS.clean`. */
  readonly key: string;
  /** The text after the first `=`; `true` without one. */
  readonly value: string;
}

/** What follows a backslash in a value. */
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  b: "\b",
  '"': '"',
  "\\": "\\",
};
const NAME = /^[A-Za-z][A-Za-z0-9-]*/;
const SECTION = /^\[\s*([A-Za-z0-9.-]+)(?:[^\S\n]+"((?:[^"\\\n]|\\[^\n])*)")?[^\S\n]*\]/;

/** Parses a configuration like git, without running git; returns null if git would refuse it, or might. */
export function gitSettingsIn(text: string): readonly GitSetting[] | null {
  const settings: GitSetting[] = [];
  let rest = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  let section: string | null = null;
  for (;;) {
    rest = rest.replace(/^(?:\s+|[#;][^\n]*)+/, "");
    if (rest === "") return settings;
    const header = SECTION.exec(rest);
    if (header) {
      section = sectionOf(header[1] ?? "", header[2]);
      rest = rest.slice(header[0].length);
      continue;
    }
    const name = NAME.exec(rest)?.[0];
    if (name === undefined || section === null) return null;
    const read = valueIn(rest.slice(name.length));
    if (read === null) return null;
    settings.push({ key: `${section}.${name.toLowerCase()}`, value: read.value });
    rest = read.rest;
  }
}

function sectionOf(name: string, subsection: string | undefined): string {
  const section = name.toLowerCase();
  return subsection === undefined ? section : `${section}.${subsection.replace(/\\(.)/g, "$1")}`;
}

/** Parses the value after a name, and the rest after its line; returns null if git would not read it. */
function valueIn(text: string): { readonly value: string; readonly rest: string } | null {
  const sign = /^[^\S\n]*(=[^\S\n]*|(?=[\n#;]|$))/.exec(text);
  if (sign === null) return null;
  let at = sign[0].length;
  if (sign[1] === "") return { value: "true", rest: text.slice(at) };
  let value = "";
  // Trailing blanks do not count, except in quotes.
  let kept = 0;
  let quoted = false;
  for (; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "\n") break;
    if (!quoted && (character === "#" || character === ";")) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
      break;
    }
    if (character === '"') {
      quoted = !quoted;
      kept = value.length;
    } else if (character === "\\") {
      at += 1;
      const next = text[at] ?? "";
      if (next === "\n") continue;
      const escaped = ESCAPES[next];
      if (escaped === undefined) return null;
      value += escaped;
      kept = value.length;
    } else {
      value += character;
      if (quoted || !/\s/.test(character)) kept = value.length;
    }
  }
  return quoted ? null : { value: value.slice(0, kept), rest: text.slice(at) };
}
