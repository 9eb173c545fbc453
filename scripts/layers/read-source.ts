import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { type CallExpression, type Declaration, type NewExpression, parseSync, Visitor } from "oxc-parser";
import type { Import, SourceFile, Use } from "./source-file.ts";

/** Every TypeScript file below `folder`, with paths relative to `root`. */
export function readSources(root: string, folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => posix.join(folder, name.replaceAll("\\", "/")))
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => sourceFile(path, readFileSync(join(root, path), "utf8")));
}

/** Identifiers that count wherever they stand: called, passed on, or imported under another name. */
const WATCHED = new Set(["setTimeout", "setInterval", "setImmediate", "randomUUID"]);

export function sourceFile(path: string, text: string): SourceFile {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path} cannot be parsed: ${error.message}`);
  const imports: Import[] = [];
  const uses: Use[] = [];
  const atLoad: Use[] = [];
  const exports: Use[] = [];
  let functions = 0;
  const enter = () => {
    functions += 1;
  };
  const leave = () => {
    functions -= 1;
  };
  const call = (node: CallExpression | NewExpression) => {
    if (functions === 0 && node.callee.type === "Identifier")
      atLoad.push({ what: node.callee.name, line: lineOf(node) });
  };
  const lineOf = (at: { start: number }) => text.slice(0, at.start).split("\n").length;
  const bring = (node: { start: number }, specifier: string, typeOnly: boolean) =>
    imports.push({ to: resolve(path, specifier), typeOnly, line: lineOf(node) });
  const use = (node: { start: number }, what: string) => uses.push({ what, line: lineOf(node) });

  new Visitor({
    // Only `import type` is erased: `import { type A }` still loads the file.
    ImportDeclaration(node) {
      bring(node, node.source.value, node.importKind === "type");
    },
    ExportNamedDeclaration(node) {
      if (node.source) bring(node, node.source.value, node.exportKind === "type");
      for (const name of declaredNames(node.declaration)) exports.push({ what: name, line: lineOf(node) });
    },
    ExportAllDeclaration(node) {
      bring(node, node.source.value, node.exportKind === "type");
    },
    ImportExpression(node) {
      if (node.source.type === "Literal") bring(node, String(node.source.value), false);
      else use(node, "import() of a computed name");
    },
    TSImportType(node) {
      bring(node, node.source.value, true);
    },
    MemberExpression(node) {
      use(node, text.slice(node.start, node.end).replace(/^globalThis\./, ""));
    },
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    PropertyDefinition: enter,
    "PropertyDefinition:exit": leave,
    CallExpression: call,
    NewExpression(node) {
      call(node);
      if (node.callee.type === "Identifier" && node.arguments.length === 0)
        use(node, `new ${node.callee.name}()`);
    },
    Identifier(node) {
      if (WATCHED.has(node.name)) use(node, node.name);
    },
    TSAnyKeyword(node) {
      use(node, "any");
    },
  }).visit(program);
  return { path, lines: text.split("\n").length - 1, imports, uses, atLoad, exports };
}

function resolve(from: string, specifier: string): string {
  return specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier) : specifier;
}

function declaredNames(declaration: Declaration | null): string[] {
  if (declaration === null) return [];
  if (declaration.type === "VariableDeclaration")
    return declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
  return "id" in declaration && declaration.id?.type === "Identifier" ? [declaration.id.name] : [];
}
