import type { StreamParser } from "@codemirror/streamparser";

type Load = () => Promise<StreamParser<unknown>>;

/** Each is loaded by itself, when code of it is first shown. */
const LANGUAGES = {
  c: async () => (await import("@codemirror/legacy-modes/mode/clike")).c,
  cpp: async () => (await import("@codemirror/legacy-modes/mode/clike")).cpp,
  csharp: async () => (await import("@codemirror/legacy-modes/mode/clike")).csharp,
  java: async () => (await import("@codemirror/legacy-modes/mode/clike")).java,
  kotlin: async () => (await import("@codemirror/legacy-modes/mode/clike")).kotlin,
  scala: async () => (await import("@codemirror/legacy-modes/mode/clike")).scala,
  dart: async () => (await import("@codemirror/legacy-modes/mode/clike")).dart,
  css: async () => (await import("@codemirror/legacy-modes/mode/css")).css,
  scss: async () => (await import("@codemirror/legacy-modes/mode/css")).sCSS,
  diff: async () => (await import("@codemirror/legacy-modes/mode/diff")).diff,
  dockerfile: async () => (await import("@codemirror/legacy-modes/mode/dockerfile")).dockerFile,
  go: async () => (await import("@codemirror/legacy-modes/mode/go")).go,
  haskell: async () => (await import("@codemirror/legacy-modes/mode/haskell")).haskell,
  javascript: async () => (await import("@codemirror/legacy-modes/mode/javascript")).javascript,
  json: async () => (await import("@codemirror/legacy-modes/mode/javascript")).json,
  typescript: async () => (await import("@codemirror/legacy-modes/mode/javascript")).typescript,
  lua: async () => (await import("@codemirror/legacy-modes/mode/lua")).lua,
  perl: async () => (await import("@codemirror/legacy-modes/mode/perl")).perl,
  powershell: async () => (await import("@codemirror/legacy-modes/mode/powershell")).powerShell,
  properties: async () => (await import("@codemirror/legacy-modes/mode/properties")).properties,
  python: async () => (await import("@codemirror/legacy-modes/mode/python")).python,
  ruby: async () => (await import("@codemirror/legacy-modes/mode/ruby")).ruby,
  rust: async () => (await import("@codemirror/legacy-modes/mode/rust")).rust,
  shell: async () => (await import("@codemirror/legacy-modes/mode/shell")).shell,
  sql: async () => (await import("@codemirror/legacy-modes/mode/sql")).standardSQL,
  swift: async () => (await import("@codemirror/legacy-modes/mode/swift")).swift,
  toml: async () => (await import("@codemirror/legacy-modes/mode/toml")).toml,
  html: async () => (await import("@codemirror/legacy-modes/mode/xml")).html,
  xml: async () => (await import("@codemirror/legacy-modes/mode/xml")).xml,
  yaml: async () => (await import("@codemirror/legacy-modes/mode/yaml")).yaml,
} satisfies Readonly<Record<string, Load>>;

export type LanguageName = keyof typeof LANGUAGES;

const OTHER_NAMES: Readonly<Record<string, LanguageName>> = {
  ...{ h: "c", "c++": "cpp", cc: "cpp", hpp: "cpp", cs: "csharp", "c#": "csharp", kt: "kotlin" },
  ...{ docker: "dockerfile", patch: "diff", golang: "go", hs: "haskell", less: "scss", sass: "scss" },
  ...{ js: "javascript", jsx: "javascript", mjs: "javascript", cjs: "javascript", node: "javascript" },
  ...{ ts: "typescript", tsx: "typescript", mts: "typescript", cts: "typescript" },
  ...{ jsonc: "json", json5: "json", jsonl: "json", ps1: "powershell", ini: "properties", env: "properties" },
  ...{ py: "python", python3: "python", rb: "ruby", rs: "rust", bash: "shell", sh: "shell", zsh: "shell" },
  ...{
    console: "shell",
    postgresql: "sql",
    mysql: "sql",
    sqlite: "sql",
    svg: "xml",
    vue: "html",
    yml: "yaml",
  },
};

/** Returns the language of code by what follows its fence, or null if it is not known. */
export function languageOf(info: string): LanguageName | null {
  const name = /^[^\s,{:]*/.exec(info)?.[0].toLowerCase() ?? "";
  if (isLanguage(name)) return name;
  return Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? null) : null;
}

export function loadLanguage(name: LanguageName): Promise<StreamParser<unknown>> {
  return LANGUAGES[name]();
}

function isLanguage(name: string): name is LanguageName {
  return Object.hasOwn(LANGUAGES, name);
}
