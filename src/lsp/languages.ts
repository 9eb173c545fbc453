import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import * as z from "zod/mini";
import { valueAt } from "../lib/json.ts";
export interface KnownServer {
  readonly command: string;
  readonly args: readonly string[];
  /** The npm package, if its version matters: used only from the project's own node_modules, from this major version on. */
  readonly package?: { readonly name: string; readonly fromMajor: number };
  readonly initializationOptions?: unknown;
}

export interface Language {
  readonly name: string;
  /** By ending, the protocol's name of the language. */
  readonly endings: Readonly<Record<string, string>>;
  /** Files in a project's directory that show that it uses the language. */
  readonly markers: readonly string[];
  readonly servers: readonly KnownServer[];
  readonly install: string;
}

const stdio = (command: string, more: Partial<KnownServer> = {}): KnownServer => ({
  ...{ command, args: ["--stdio"] },
  ...more,
});

/** The languages with known servers; settings add others. */
export const languages: readonly Language[] = [
  {
    name: "typescript",
    endings: {
      ...{ ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact" },
      ...{ ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact" },
    },
    markers: ["tsconfig.json", "jsconfig.json", "package.json"],
    servers: [
      // From version 7 on the compiler is a language server.
      stdio("tsc", { args: ["--lsp", "--stdio"], package: { name: "typescript", fromMajor: 7 } }),
      // Its syntax server answers from one file alone while the project is read, and is wrong then.
      stdio("typescript-language-server", {
        initializationOptions: { tsserver: { useSyntaxServer: "never" } },
      }),
    ],
    install:
      "npm install --save-dev typescript@7 (which is a language server), or typescript-language-server with typescript@6",
  },
  {
    name: "python",
    endings: { ".py": "python", ".pyi": "python" },
    markers: ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "pyrightconfig.json"],
    servers: [stdio("pyright-langserver"), stdio("basedpyright-langserver"), stdio("pylsp", { args: [] })],
    install: "npm install --save-dev pyright, or pip install pyright",
  },
  {
    name: "go",
    endings: { ".go": "go" },
    markers: ["go.mod", "go.work"],
    servers: [stdio("gopls", { args: ["serve"] })],
    install: "go install golang.org/x/tools/gopls@latest",
  },
  {
    name: "rust",
    endings: { ".rs": "rust" },
    markers: ["Cargo.toml"],
    servers: [
      stdio("rust-analyzer", {
        args: [],
        // Build scripts and macros are code of the project: an edit would run without permission.
        initializationOptions: {
          cargo: { buildScripts: { enable: false } },
          procMacro: { enable: false },
          checkOnSave: false,
        },
      }),
    ],
    install: "rustup component add rust-analyzer",
  },
  {
    name: "cpp",
    endings: {
      ...{ ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp" },
      ...{ ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp" },
    },
    markers: ["compile_commands.json", "CMakeLists.txt", ".clangd"],
    servers: [stdio("clangd", { args: [] })],
    install: "the package clangd of your system, or LLVM",
  },
];

const MOST_DIRS = 50;
const FOREIGN = new Set(["node_modules", "vendor", "dist", "build", "target", "venv", "__pycache__"]);

interface Signs {
  readonly name: string;
  readonly endings: readonly string[];
  readonly markers: readonly string[];
}

/** Returns the languages of a project, by the names of files in its directory and its subdirectories. */
export async function projectLanguages(root: string, signs: readonly Signs[]): Promise<ReadonlySet<string>> {
  const names: string[] = [];
  const dirs = await namesIn(root, names);
  const below = dirs.filter((name) => !name.startsWith(".") && !FOREIGN.has(name)).slice(0, MOST_DIRS);
  await Promise.all(below.map((name) => namesIn(join(root, name), names)));
  const there = new Set(names);
  const endings = new Set(names.map((name) => extname(name)));
  return new Set(
    signs
      .filter(
        (one) =>
          one.markers.some((name) => there.has(name)) || one.endings.some((ending) => endings.has(ending)),
      )
      .map(({ name }) => name),
  );
}

/** Adds the names of files, and returns those of directories. */
async function namesIn(dir: string, files: string[]): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isFile()) files.push(entry.name);
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

/** A language server of the setting `troupe.languageServers`, by the name of its language. */
const Entry = z.object({
  command: z.string().check(z.minLength(1)),
  args: z._default(z.array(z.string()), []),
  /** By ending, the protocol's name of the language, such as `{".ex": "elixir"}`. */
  extensionToLanguage: z.record(z.string().check(z.regex(/^\.[^/\\]+$/)), z.string()),
  env: z._default(z.record(z.string(), z.string()), {}),
  initializationOptions: z.optional(z.unknown()),
  /** The answer to the server's request for its configuration. */
  settings: z.optional(z.record(z.string(), z.unknown())),
});
export type LanguageServerEntry = z.infer<typeof Entry>;

interface ReadEntries {
  /** By language. Null if settings disable the language. */
  readonly entries: ReadonlyMap<string, LanguageServerEntry | null>;
  readonly problems: readonly string[];
}

export function readServerEntries(setting: Readonly<Record<string, unknown>>): ReadEntries {
  const entries = new Map<string, LanguageServerEntry | null>();
  const problems: string[] = [];
  for (const [name, value] of Object.entries(setting)) {
    if (valueAt(value, ["disabled"]) === true) {
      entries.set(name, null);
      continue;
    }
    const parsed = Entry.safeParse(value);
    if (parsed.success) entries.set(name, parsed.data);
    else {
      const where = parsed.error.issues[0]?.path.join(".") || "it";
      problems.push(
        `troupe.languageServers: ${JSON.stringify(name)} cannot be used, because ${where} is invalid. Example: {"command": "elixir-ls", "extensionToLanguage": {".ex": "elixir"}}.`,
      );
    }
  }
  return { entries, problems };
}
