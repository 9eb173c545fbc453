import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Comment, type Node, type Program, parseSync } from "oxc-parser";

const root = join(import.meta.dirname, "../..");

interface Exported {
  /** As users import it. */
  readonly name: string;
  /** As its file declares it. */
  readonly declared: string;
  readonly path: string;
}

/** One declaration as the page shows it. */
interface Entry {
  readonly doc: string;
  readonly code: string;
}

/** Returns what the index exports, in its order, with the file that declares it. */
function findExports(path: string): Exported[] {
  const { program } = parse(path);
  return program.body.flatMap((node): Exported[] => {
    if (node.type !== "ExportNamedDeclaration" || node.source === null) return [];
    const from = join(dirname(path), node.source.value);
    return node.specifiers.map(({ local, exported }) => ({
      name: nameOf(exported),
      declared: nameOf(local),
      path: from,
    }));
  });
}

/** Throws if the file does not declare it, or gives it no docstring although `isDocumented` says so. */
function findEntry({ declared, path, name }: Exported): Entry {
  const { program, comments, text } = parse(path);
  for (const node of program.body) {
    if (node.type !== "ExportNamedDeclaration") continue;
    if (node.source !== null) {
      const again = node.specifiers.find(({ exported }) => nameOf(exported) === declared);
      if (again === undefined) continue;
      const from = join(dirname(path), node.source.value);
      return findEntry({ name, declared: nameOf(again.local), path: from });
    }
    const { declaration } = node;
    if (declaration === null || declaredName(declaration) !== declared) continue;
    return { doc: docBefore(node, comments, text), code: signature(declaration, text, comments) };
  }
  throw new Error(`${relative(root, path)} does not declare ${declared}, which src/index.ts exports.`);
}

function declaredName(declaration: Node): string | null {
  if (declaration.type === "VariableDeclaration") {
    const [first] = declaration.declarations;
    return first?.id.type === "Identifier" ? first.id.name : null;
  }
  return "id" in declaration && declaration.id !== null && typeof declaration.id === "object"
    ? nameOf(declaration.id as { name?: string })
    : null;
}

/** Returns a declaration without what its users do not see: bodies, values and private members. */
function signature(declaration: Node, text: string, comments: readonly Comment[]): string {
  const whole = text.slice(declaration.start, declaration.end);
  switch (declaration.type) {
    case "FunctionDeclaration":
      return `${text.slice(declaration.start, declaration.body?.start).trim()};`;
    case "VariableDeclaration": {
      const [first] = declaration.declarations;
      const annotated = first?.id.type === "Identifier" && first.id.typeAnnotation;
      return annotated ? `const ${text.slice(first.id.start, first.id.end)};` : whole;
    }
    case "ClassDeclaration": {
      const members = declaration.body.body.flatMap((member) => {
        if (!("key" in member) || member.key.type === "PrivateIdentifier") return [];
        const doc = docBefore(member, comments, text);
        const value = member.type === "MethodDefinition" ? member.value : null;
        const end = value?.body?.start ?? member.end;
        const line = text
          .slice(member.start, end)
          .trim()
          .replace(/^override /, "")
          .replace(/;$/, "");
        return [`${doc === "" ? "" : `  /** ${doc.replaceAll("\n", " ")} */\n`}  ${line};`];
      });
      return `${text.slice(declaration.start, declaration.body.start)}{\n${members.join("\n")}\n}`;
    }
    default:
      return whole;
  }
}

function docBefore(
  { start }: { readonly start: number },
  comments: readonly Comment[],
  text: string,
): string {
  const doc = comments.findLast(
    ({ end, type, value }) =>
      end <= start && type === "Block" && value.startsWith("*") && text.slice(end, start).trim() === "",
  );
  return (doc?.value ?? "")
    .split("\n")
    .map((line) => line.replace(/^\s*\*+ ?/, "").trimEnd())
    .join("\n")
    .trim();
}

function nameOf(node: { readonly name?: string; readonly value?: string }): string {
  return node.name ?? node.value ?? "";
}

interface Parsed {
  readonly program: Program;
  readonly comments: readonly Comment[];
  readonly text: string;
}

function parse(path: string): Parsed {
  const text = readFileSync(path, "utf8");
  const { program, comments } = parseSync(path, text);
  return { program, comments, text };
}

/** Returns docs/reference.md: what `src/index.ts` exports, with docstrings and declarations. */
export function renderApiDoc(): string {
  const exported = findExports(join(root, "src/index.ts"));
  const entries = exported
    .toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
    .map((one) => {
      const { doc, code } = findEntry(one);
      const [words = "", example] = doc.split("@example");
      const shown = example === undefined ? "" : `\n\n\`\`\`ts\n${example.trim()}\n\`\`\``;
      return `### ${one.name}\n\n${words.trim()}${shown}\n\n\`\`\`ts\n${code}\n\`\`\`\n`.replace(
        "\n\n\n\n",
        "\n\n",
      );
    });
  return `# Reference\n\nGenerated from the docstrings of what \`troupe\` exports (\`npm run docs\`). Start with [the library](library.md) and [the
examples](../examples).\n\n${entries.join("\n")}`;
}
