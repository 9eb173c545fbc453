export type FileKind = "source" | "test" | "docs" | "config" | "example" | "minor";

/** What a file is for, told from its path alone. `minor`: generated, locked, vendored, historical. */
export function fileKind(path: string): FileKind {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  if (isMinor(lower, name)) return "minor";
  if (/(?:^|\/)(?:tests?|__tests__|specs?|e2e|testing|test-d)\//.test(lower)) return "test";
  if (/(?:[._-](?:test|spec)s?\.[a-z]+|^test_.*\.py|_test\.[a-z]+)$/.test(name)) return "test";
  if (/(?:^|\/)(?:examples?|demos?|samples?|bench(?:marks?)?|playground)\//.test(lower)) return "example";
  if (/\.(?:md|mdx|rst|adoc|txt|html?)$/.test(name) || /(?:^|\/)docs?\//.test(lower)) return "docs";
  if (/\.(?:json|ya?ml|toml|ini|cfg|conf|xml|env|properties)$/.test(name) || name.startsWith("."))
    return "config";
  return "source";
}

function isMinor(path: string, name: string): boolean {
  return (
    /(?:^|\/)(?:node_modules|vendor|third_party|dist|build|out|target|coverage|fixtures?|__snapshots__|snapshots?|locales?|i18n|migrations|\.git)\//.test(
      path,
    ) ||
    /^(?:changelog|changes|history|licen[cs]e|copying|notice|authors|contributors|release[-_ ]?notes)\b/.test(
      name,
    ) ||
    /(?:\.lock|-lock\.(?:json|yaml)|\.min\.(?:js|css)|\.map|\.snap|\.svg|\.csv|\.d\.ts|_pb2?\.\w+|\.generated\.\w+|\.g\.dart)$/.test(
      name,
    )
  );
}

/** How much a place counts for what its file is. `asked`: kinds that the question names itself. */
export function kindFactor(kind: FileKind, asked: ReadonlySet<FileKind>): number {
  if (asked.has(kind)) return 1.15;
  switch (kind) {
    case "source":
      return 1;
    case "config":
      return 0.7;
    case "docs":
      return 0.6;
    case "test":
      return 0.45;
    case "example":
      return 0.45;
    case "minor":
      return 0.15;
    default:
      return kind satisfies never;
  }
}
