import { isAbsolute, relative } from "node:path";
import { pathOf } from "./diagnostics.ts";
import type { FileTexts } from "./file-texts.ts";
import { type Encoding, fromUnits } from "./positions.ts";
import type { Diagnostic, DocumentSymbol, Location, Range } from "./results.ts";

/** More are not shown, only counted. */
const MOST_PLACES = 200;
const MOST_LINE_CHARS = 200;
const MOST_TEXT_CHARS = 20_000;

/** What of a file its asker may see: its text, only that it is there, or nothing. */
export type Sight = "text" | "name" | "nothing";

export interface ShowPorts {
  readonly texts: FileTexts;
  readonly encoding: Encoding;
  /** Paths inside it are shown from it. */
  readonly cwd: string;
  sightOf(path: string): Sight;
}

/** One place that a server named, with words before it. */
export interface Place extends Location {
  readonly label?: string;
}

/** A line for each place, each with its line of text where the asker may see that. `none`: said where nothing is left. */
export async function showPlaces(places: readonly Place[], ports: ShowPorts, none: string): Promise<string> {
  const seen = new Set<string>();
  const lines: string[] = [];
  let withheld = 0;
  let left = 0;
  for (const { uri, range, label } of places) {
    const key = `${label ?? ""}\0${uri}\0${range.start.line}\0${range.start.character}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const path = pathOf(uri);
    const sight = path === null ? "name" : ports.sightOf(path);
    if (sight === "nothing") withheld += 1;
    else if (lines.length >= MOST_PLACES) left += 1;
    else lines.push(await showPlace({ uri, path, range, label, sight }, ports));
  }
  if (lines.length === 0 && withheld === 0) return none;
  return [
    ...lines,
    ...(left > 0 ? [`… and ${left} more places, which are not shown.`] : []),
    ...(withheld > 0 ? [withheldWords(withheld)] : []),
  ].join("\n");
}

export function withheldWords(count: number): string {
  return count === 1
    ? "1 place is in a file that you may not read, and is left out."
    : `${count} places are in files that you may not read, and are left out.`;
}

async function showPlace(
  {
    uri,
    path,
    range,
    label,
    sight,
  }: { uri: string; path: string | null; range: Range; label: string | undefined; sight: Sight },
  ports: ShowPorts,
): Promise<string> {
  const before = label === undefined ? "" : `${label}  `;
  if (path === null) return `${before}${shortened(uri)}:${range.start.line + 1}`;
  const file = sight === "text" ? await ports.texts.read(path) : null;
  const line = file?.lines[range.start.line];
  const character = characterOf(line, range, ports.encoding);
  const text = line === undefined ? "" : `  ${shortened(line.trim())}`;
  return `${before}${shownPath(path, ports.cwd)}:${range.start.line + 1}:${character}${text}`;
}

function characterOf(line: string | undefined, { start }: Range, encoding: Encoding): number {
  return line === undefined ? start.character + 1 : fromUnits(line, start.character, encoding);
}

export function shownPath(path: string, cwd: string): string {
  const from = relative(cwd, path);
  return from === "" || from.startsWith("..") || isAbsolute(from) ? path : from;
}

/** The symbols of a file, indented below those that hold them. */
export function showSymbols(
  symbols: readonly DocumentSymbol[],
  lines: readonly string[],
  encoding: Encoding,
): string {
  const shown: string[] = [];
  let left = 0;
  const pending = symbols.map((symbol) => ({ symbol, depth: 0 })).reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { symbol, depth } = next;
    for (const child of [...(symbol.children ?? [])].reverse())
      pending.push({ symbol: child, depth: depth + 1 });
    if (shown.length >= MOST_PLACES) {
      left += 1;
      continue;
    }
    const { start } = symbol.selectionRange;
    const character = characterOf(lines[start.line], symbol.selectionRange, encoding);
    const indent = "  ".repeat(Math.min(depth, 20));
    shown.push(`${indent}${kindName(symbol.kind)} ${shortened(symbol.name)}  ${start.line + 1}:${character}`);
  }
  return [...shown, ...(left > 0 ? [`… and ${left} more symbols, which are not shown.`] : [])].join("\n");
}

export function showDiagnostics(
  found: readonly Diagnostic[],
  { path, lines, encoding, cwd }: { path: string; lines: readonly string[]; encoding: Encoding; cwd: string },
): string {
  const sorted = [...found].sort((a, b) => (a.severity ?? 1) - (b.severity ?? 1));
  const shown = sorted.slice(0, MOST_PLACES).map(({ range, severity, code, source, message }) => {
    const character = characterOf(lines[range.start.line], range, encoding);
    const from = [source, code].filter((one) => one !== undefined).join(" ");
    const by = from === "" ? "" : ` (${shortened(from)})`;
    const place = `${shownPath(path, cwd)}:${range.start.line + 1}:${character}`;
    return `${place}  ${SEVERITIES[(severity ?? 1) - 1] ?? "note"}: ${limited(message, 1_000)}${by}`;
  });
  const left = found.length - shown.length;
  return [...shown, ...(left > 0 ? [`… and ${left} more, which are not shown.`] : [])].join("\n");
}

const SEVERITIES = ["error", "warning", "information", "hint"];

/** Text of a server's, such as a type with its documentation. */
export function showText(text: string): string {
  return limited(text.trim(), MOST_TEXT_CHARS);
}

function shortened(line: string): string {
  return limited(line.replace(/\s+/g, " "), MOST_LINE_CHARS);
}

function limited(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

const KINDS = [
  ..."file module namespace package class method property field constructor enum interface function".split(
    " ",
  ),
  ..."variable constant string number boolean array object key null enum-member struct event operator".split(
    " ",
  ),
  "type-parameter",
];

export function kindName(kind: number): string {
  return KINDS[kind - 1] ?? "symbol";
}
