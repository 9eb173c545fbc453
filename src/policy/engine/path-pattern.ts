import { realOf } from "./path-candidates.ts";

/** Where a pattern is anchored (§4.3). */
export type Anchor = "root" | "home" | "project" | "config" | "cwd";

export interface PatternUse {
  /** Deny and ask are read wide, allow narrow. */
  readonly wide: boolean;
  /** Whether `d/**` means the folder itself too, so that it may be searched. */
  readonly withFolder: boolean;
  /** Where `/p` begins; in deny and ask the root of the file system comes in addition. */
  readonly slash: "project" | "config";
  readonly foldCase: boolean;
  /** For looking up where the fixed beginning of a deny rule leads. */
  readonly folders: Readonly<Record<Exclude<Anchor, "cwd">, string>>;
}

export interface PathPattern {
  readonly anchor: Anchor;
  /** Compared with the path below the anchor, without a leading slash. */
  readonly expression: RegExp;
  readonly body: string;
  readonly anyDepth: boolean;
  /** The folder and the beginning of a name that everything it matches has; null where it matches at any depth. */
  readonly fixed: string | null;
}

/** A pattern of a rule as expressions; a sentence's end where it can match nothing. */
export function pathPatterns(
  written: string,
  use: PatternUse,
): readonly PathPattern[] | { readonly problem: string } {
  if (written.startsWith("!")) return { problem: "begins with !, and rules have no exceptions" };
  if (/(?:^|\/)\.\.(?:\/|$)/.test(written))
    return { problem: "contains .., and a pattern never leaves its anchor" };
  const spellings = use.wide ? braced(written) : [written];
  const patterns = spellings.flatMap((spelling) => anchored(spelling, use));
  return use.wide ? [...patterns, ...patterns.flatMap((pattern) => behindLinks(pattern, use))] : patterns;
}

function anchored(pattern: string, use: PatternUse): PathPattern[] {
  const below = (anchor: Anchor, rest: string) => compile(anchor, rest.replace(/^\/+/, ""), false, use);
  if (pattern.startsWith("//")) return [below("root", pattern)];
  if (pattern === "~" || pattern.startsWith("~/")) return [below("home", pattern.slice(1))];
  if (pattern.startsWith("/")) {
    return use.wide
      ? [...new Set<Anchor>([use.slash, "project", "root"])].map((anchor) => below(anchor, pattern))
      : [below(use.slash, pattern)];
  }
  if (pattern.startsWith("./")) return [below("cwd", pattern.slice(2))];
  const bareName = !pattern.includes("/") || (use.wide && /^[^/]+\/$/.test(pattern));
  const anyDepth = bareName || (use.wide && /^[^/]+\/\*\*$/.test(pattern));
  return [compile("cwd", pattern, anyDepth, use)];
}

function compile(anchor: Anchor, body: string, anyDepth: boolean, use: PatternUse): PathPattern {
  const plain = body.replace(/\/+$/, "").replace(/\/{2,}/g, "/");
  const all = plain === "" || plain === "**";
  const inside = plain.endsWith("/**");
  const base = inside ? plain.slice(0, -3) : plain;
  const end = inside && !use.withFolder ? "/.+" : "(?:/.*)?";
  const start = anyDepth ? "(?:.*/)?" : "";
  const source = all ? ".*" : `${start}${translated(fold(base, use))}${end}`;
  const fixed = anyDepth ? null : (/^[^*?[\\]*/.exec(base)?.[0] ?? "");
  return {
    anchor,
    expression: new RegExp(`^${source}$`, use.foldCase ? "si" : "s"),
    body: plain,
    anyDepth,
    fixed,
  };
}

/** gitignore's signs as an expression. */
function translated(pattern: string): string {
  const token = /\*\*\/|\/\*\*(?=\/|$)|\*+|\?|\[(?:[!^]?\]?(?:\\.|[^\]\\])*)\]|\\.|[\s\S]/g;
  return pattern.replace(token, (sign) => {
    if (sign === "**/") return "(?:.*/)?";
    if (sign === "/**") return "(?:/.*)?";
    if (sign.startsWith("*")) return "[^/]*";
    if (sign === "?") return "[^/]";
    if (sign.startsWith("[") && sign.length > 1) return bracket(sign);
    const letter = sign.startsWith("\\") && sign.length > 1 ? sign.slice(1) : sign;
    return letter.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  });
}

function bracket(sign: string): string {
  const negated = /^\[[!^]/.test(sign);
  const inner = sign
    .slice(negated ? 2 : 1, -1)
    .replace(/\[:(\w+):\]/g, "")
    .replace(/[[\]^\\]/g, "\\$&");
  return negated ? `[^/${inner}]` : `(?!/)[${inner}]`;
}

/** A denied folder that is a link is denied where it leads, too. */
function behindLinks({ anchor, body, anyDepth }: PathPattern, use: PatternUse): PathPattern[] {
  if (anchor === "cwd" || anyDepth) return [];
  const names = body.split("/");
  const wild = names.findIndex((name) => /[*?[\\]/.test(name));
  const known = names.slice(0, wild < 0 ? undefined : wild).join("/");
  const folder = use.folders[anchor].replace(/\/$/, "");
  const written = known === "" ? folder : `${folder}/${known}`;
  const real = realOf(written === "" ? "/" : written);
  if (real === written || written === "") return [];
  const rest = wild < 0 ? [] : names.slice(wild);
  return [compile("root", [escaped(real.slice(1)), ...rest].join("/"), false, use)];
}

/** A path as a pattern that matches it alone. */
export function escaped(path: string): string {
  return path.replace(/[\\*?[\]!]/g, "\\$&");
}

/** gitignore knows no braces, but who denies `*.{pem,key}` means both. */
function braced(pattern: string): string[] {
  const found = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern);
  if (!found) return [pattern];
  const [, before = "", inner = "", after = ""] = found;
  const spelt = inner.split(",").flatMap((one) => braced(`${before}${one}${after}`));
  return [pattern, ...spelt].slice(0, 256);
}

function fold(text: string, use: PatternUse): string {
  return use.foldCase ? text.normalize("NFC") : text;
}
