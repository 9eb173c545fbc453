import type { Node, ParseError } from "jsonc-parser";
import { isObject, type JsonObject, parseJson, textsIn } from "../lib/json.ts";

/** The restrictions that a broken text still has. */
export interface SettingsRestrictions {
  readonly deny: readonly string[];
  readonly ask: readonly string[];
  readonly disableBypass: boolean;
}

/** What a file's text says. */
export type SettingsText =
  | { readonly type: "read"; readonly value: JsonObject }
  /** Not readable as a whole. `problem` follows the file's name. */
  | { readonly type: "broken"; readonly problem: string; readonly restrictions: SettingsRestrictions };

const none: SettingsRestrictions = { deny: [], ask: [], disableBypass: false };

/** Parses settings: JSON with comments and trailing commas. Loads the tolerant parser only for what is not plain JSON. */
export async function parseSettings(text: string): Promise<SettingsText> {
  try {
    const plain = parseJson(withoutMark(text));
    if (isObject(plain) && !hasDuplicateKey(text, plain)) return { type: "read", value: plain };
    return await parseTolerantly(withoutMark(text));
  } catch (error) {
    // Deep nesting exhausts the stack.
    if (error instanceof RangeError)
      return { type: "broken", problem: "is nested too deeply", restrictions: none };
    throw error;
  }
}

/** Returns the line, from 1, on which the value at this path starts, or null if the text has none. */
export async function findLine(text: string, path: readonly string[]): Promise<number | null> {
  const { parseTree, findNodeAtLocation } = await import("jsonc-parser");
  const plain = withoutMark(text);
  const tree = parseTree(plain);
  const node = tree && findNodeAtLocation(tree, [...path]);
  return node ? positionOf(plain, node.offset).line : null;
}

/** Removes a byte order mark: editors on some systems write one. */
export function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, "");
}

/**
 * True if a key occurs twice in one object: JSON.parse keeps only the last one, and a deny rule could be lost. In valid
 * JSON a string before a colon is always a key.
 */
function hasDuplicateKey(text: string, value: unknown): boolean {
  const strings = text.match(/"(?:[^"\\]|\\.)*"\s*:?/g) ?? [];
  return strings.filter((token) => token.endsWith(":")).length !== countKeys(value);
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((count, inner) => count + countKeys(inner), own);
}

async function parseTolerantly(text: string): Promise<SettingsText> {
  const { parseTree } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  const broken = (offset: number, what: string): SettingsText => {
    const { line, column } = positionOf(text, offset);
    const restrictions = tree ? restrictionsIn(tree) : none;
    return { type: "broken", problem: `line ${line}, column ${column} ${what}`, restrictions };
  };
  if (error !== undefined || tree === undefined) return broken(error?.offset ?? 0, "is not valid JSON");
  const duplicate = findDuplicate(tree);
  if (duplicate) return broken(duplicate.offset, `says ${JSON.stringify(duplicate.value)} a second time`);
  const value = jsonOf(tree);
  return isObject(value) ? { type: "read", value } : broken(tree.offset, "must be an object");
}

/** Finds restrictions at any depth: a missing brace moves what follows into another object. */
function restrictionsIn(tree: Node): SettingsRestrictions {
  const members = propertiesIn(tree, "permissions").flatMap(({ children = [] }) => children);
  const named = (key: string) => members.filter((member) => keyOf(member) === key).map(memberValue);
  const rules = (key: string) =>
    named(key).flatMap((node) =>
      (node ? [node, ...(node.children ?? [])] : []).flatMap(({ value }) => textsIn(value)),
    );
  const disableBypass = named("disableBypassPermissionsMode").length > 0;
  return { deny: rules("deny"), ask: rules("ask"), disableBypass };
}

function propertiesIn(node: Node, key: string): Node[] {
  const value = node.type === "property" && keyOf(node) === key ? memberValue(node) : undefined;
  return [...(value ? [value] : []), ...(node.children ?? []).flatMap((child) => propertiesIn(child, key))];
}

/** Returns the node of the first key that its object already has. */
function findDuplicate({ type, children = [] }: Node): Node | undefined {
  const keys = type === "object" ? children.map(keyOf) : [];
  const again = children.find((_, at) => keys.indexOf(keys[at]) < at && keys.length > 0);
  return again ? again.children?.[0] : children.map(findDuplicate).find((one) => one !== undefined);
}

/** The parser's own function would lose a key `__proto__`. */
function jsonOf({ type, children, value }: Node): unknown {
  const inner = children?.map(jsonOf);
  if (inner === undefined) return value;
  return type === "object" ? Object.fromEntries(inner.filter(Array.isArray)) : inner;
}

function keyOf(property: Node): unknown {
  return property.children?.[0]?.value;
}

function memberValue(property: Node): Node | undefined {
  return property.children?.[1];
}

function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}
