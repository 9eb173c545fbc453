import type { Node, ParseError } from "jsonc-parser";
import { isObject, type JsonObject, parsedJson, textsIn } from "./json.ts";

/** The rules of a text that restrict. */
export interface Restrictions {
  readonly deny: readonly string[];
  readonly ask: readonly string[];
  readonly disableBypass: boolean;
}

/** What a file's text says. */
export type SettingsText =
  | { readonly type: "read"; readonly value: JsonObject }
  /** It cannot be read as a whole; what of it still restricts is found. `problem` follows the file's name. */
  | { readonly type: "broken"; readonly problem: string; readonly restrictions: Restrictions };

/**
 * Reads settings: JSON, with comments and trailing commas where people wrote some. The tolerant parser is
 * loaded only for a text that is not plain JSON.
 */
export async function readSettingsText(text: string): Promise<SettingsText> {
  try {
    const plain = parsedJson(withoutMark(text));
    if (isObject(plain) && !hasTwins(text, plain)) return { type: "read", value: plain };
    return await readTolerantly(text);
  } catch (error) {
    // Brackets in brackets without an end: the stack is what gives out.
    if (error instanceof RangeError)
      return { type: "broken", problem: "is nested too deeply", restrictions: none };
    throw error;
  }
}

/** The line, from 1, on which the value of this path begins; null where the text has no such value. */
export async function lineOf(text: string, path: readonly string[]): Promise<number | null> {
  const { parseTree, findNodeAtLocation } = await import("jsonc-parser");
  const tree = parseTree(withoutMark(text));
  const node = tree && findNodeAtLocation(tree, [...path]);
  return node ? placeOf(withoutMark(text), node.offset).line : null;
}

/** Editors on some systems begin a file with a byte order mark. */
export function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, "");
}

/**
 * Whether a key stands twice in one object: JSON then keeps the last one in silence, and a deny rule could be
 * lost. In valid JSON a text before a colon is a key and nothing else.
 */
function hasTwins(text: string, value: unknown): boolean {
  const written = text.match(/"(?:[^"\\]|\\.)*"\s*:?/g) ?? [];
  return written.filter((token) => token.endsWith(":")).length !== countKeys(value);
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((count, inner) => count + countKeys(inner), own);
}

async function readTolerantly(whole: string): Promise<SettingsText> {
  const { parseTree, getNodeValue } = await import("jsonc-parser");
  const text = withoutMark(whole);
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  const broken = (offset: number, what: string): SettingsText => {
    const { line, column } = placeOf(text, offset);
    const restrictions = tree ? restrictionsIn(tree) : none;
    return { type: "broken", problem: `line ${line}, column ${column} ${what}`, restrictions };
  };
  if (error !== undefined || tree === undefined) return broken(error?.offset ?? 0, "is not valid JSON");
  if (tree.type !== "object") return broken(tree.offset, "must be an object");
  const twin = twinIn(tree);
  if (twin) return broken(twin.offset, `says ${JSON.stringify(twin.value)} a second time`);
  const value: unknown = getNodeValue(tree);
  return isObject(value) ? { type: "read", value } : broken(tree.offset, "must be an object");
}

const none: Restrictions = { deny: [], ask: [], disableBypass: false };

/** At any depth: a brace that is missing moves what follows into another object. */
function restrictionsIn(tree: Node): Restrictions {
  const members = propertiesIn(tree, "permissions").flatMap(({ children = [] }) => children);
  const named = (key: string) => members.filter((member) => keyOf(member) === key).map(memberValue);
  const rules = (key: string) =>
    named(key).flatMap((node) =>
      (node ? [node, ...(node.children ?? [])] : []).flatMap(({ value }) => textsIn(value)),
    );
  return {
    deny: rules("deny"),
    ask: rules("ask"),
    disableBypass: named("disableBypassPermissionsMode").length > 0,
  };
}

function propertiesIn(node: Node, key: string): Node[] {
  const value = node.type === "property" && keyOf(node) === key ? memberValue(node) : undefined;
  return [...(value ? [value] : []), ...(node.children ?? []).flatMap((child) => propertiesIn(child, key))];
}

function twinIn(node: Node): Node | undefined {
  const children = node.children ?? [];
  if (node.type === "object") {
    const seen = new Set<unknown>();
    for (const member of children) {
      const key = keyOf(member);
      if (seen.has(key)) return member.children?.[0];
      seen.add(key);
    }
  }
  for (const child of children) {
    const twin = twinIn(child);
    if (twin) return twin;
  }
  return undefined;
}

function keyOf(property: Node): unknown {
  return property.children?.[0]?.value;
}

function memberValue(property: Node): Node | undefined {
  return property.children?.[1];
}

function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}
