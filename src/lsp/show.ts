import { relative } from "node:path";
import { isPathInside, pathOf } from "../lib/paths.ts";
import { shorten } from "../lib/text.ts";
import { type FileTexts, fromUnits } from "./files.ts";
import type { Diagnostic, DocumentSymbol, LspLocation, Range } from "./results.ts";

const MOST_PLACES = 200;
const MOST_LINE_CHARS = 200;
const MOST_TEXT_CHARS = 20_000;

/** What an agent may see of a file: its text, only its path, or nothing. */
export type Detail = "text" | "name" | "nothing";

export interface ShowPorts {
  readonly texts: FileTexts;
  readonly cwd: string;
  sightOf(path: string): Detail;
}

/** One location of a server's answer, with a label before it. */
export interface ShownPlace extends LspLocation {
  readonly label?: string;
}

/** Formats each location on a line, with its line of text if the agent may see that. `none`: the text for no locations. */
export async function showPlaces(
  places: readonly ShownPlace[],
  ports: ShowPorts,
  none: string,
): Promise<string> {
  const seen = new Set<string>();
  const lines: string[] = [];
  let withheld = 0;
  let more = 0;
  for (const place of places) {
    const { start } = place.range;
    const key = `${place.label ?? ""}\0${place.uri}\0${start.line}\0${start.character}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const path = pathOf(place.uri);
    const sight = path === null ? "name" : ports.sightOf(path);
    if (sight === "nothing") withheld += 1;
    else if (lines.length >= MOST_PLACES) more += 1;
    else lines.push(await showPlace(place, path, sight, ports));
  }
  if (lines.length === 0 && withheld === 0) return none;
  return [
    ...lines,
    ...(more > 0 ? [`… and ${more} more places, which are not shown.`] : []),
    ...(withheld > 0 ? [withheldText(withheld)] : []),
  ].join("\n");
}

export function withheldText(count: number): string {
  return count === 1
    ? "1 place is in a file that you may not read, and is left out."
    : `${count} places are in files that you may not read, and are left out.`;
}

async function showPlace(
  { uri, range, label }: ShownPlace,
  path: string | null,
  sight: Detail,
  { texts, cwd }: ShowPorts,
): Promise<string> {
  const before = label === undefined ? "" : `${label}  `;
  if (path === null) return `${before}${shortenLine(uri)}:${range.start.line + 1}`;
  const file = sight === "text" ? await texts.read(path) : null;
  const line = file?.lines[range.start.line];
  const text = line === undefined ? "" : `  ${shortenLine(line.trim())}`;
  return `${before}${positionText(path, cwd, line, range)}${text}`;
}

function positionText(path: string, cwd: string, line: string | undefined, range: Range): string {
  const shown = path !== cwd && isPathInside(path, cwd) ? relative(cwd, path) : path;
  return `${shown}:${range.start.line + 1}:${characterOf(line, range)}`;
}

function characterOf(line: string | undefined, { start }: Range): number {
  return line === undefined ? start.character + 1 : fromUnits(line, start.character);
}

/** Formats the symbols of a file, indented below those that contain them. */
export function showSymbols(symbols: readonly DocumentSymbol[], lines: readonly string[]): string {
  const all = [...withDepth(symbols, 0)];
  const shown = all.slice(0, MOST_PLACES).map(({ symbol: { name, kind, selectionRange }, depth }) => {
    const { line } = selectionRange.start;
    const place = `${line + 1}:${characterOf(lines[line], selectionRange)}`;
    return `${"  ".repeat(Math.min(depth, 20))}${kindName(kind)} ${shortenLine(name)}  ${place}`;
  });
  const more = all.length - shown.length;
  return [...shown, ...(more > 0 ? [`… and ${more} more symbols, which are not shown.`] : [])].join("\n");
}

function* withDepth(
  symbols: readonly DocumentSymbol[],
  depth: number,
): Generator<{ readonly symbol: DocumentSymbol; readonly depth: number }> {
  for (const symbol of symbols) {
    yield { symbol, depth };
    yield* withDepth(symbol.children ?? [], depth + 1);
  }
}

export function showDiagnostics(
  found: readonly Diagnostic[],
  { path, lines, cwd }: { readonly path: string; readonly lines: readonly string[]; readonly cwd: string },
): string {
  const sorted = [...found].sort((a, b) => (a.severity ?? 1) - (b.severity ?? 1));
  const shown = sorted.slice(0, MOST_PLACES).map(({ range, severity, code, source, message }) => {
    const from = [source, code].filter((one) => one !== undefined).join(" ");
    const by = from === "" ? "" : ` (${shortenLine(from)})`;
    const position = positionText(path, cwd, lines[range.start.line], range);
    return `${position}  ${SEVERITIES[(severity ?? 1) - 1] ?? "note"}: ${shorten(message, 1_000)}${by}`;
  });
  const more = found.length - shown.length;
  return [...shown, ...(more > 0 ? [`… and ${more} more, which are not shown.`] : [])].join("\n");
}

const SEVERITIES = ["error", "warning", "information", "hint"];

export function showText(text: string): string {
  return shorten(text.trim(), MOST_TEXT_CHARS);
}

function shortenLine(line: string): string {
  return shorten(line.replace(/\s+/g, " "), MOST_LINE_CHARS);
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
