/** Extensions of code, text and settings that a report may cite. Others are more often words with a dot than files. */
const ENDINGS =
  "tsx?|mts|cts|jsx?|mjs|cjs|json[5lc]?|ya?ml|toml|ini|cfg|conf|lock|mdx?|rst|adoc|txt|csv|tsv|sql|py|pyi|ipynb|rb|rs|go|java|kt|kts|scala|swift|cs|fs|c|cc|cpp|cxx|h|hh|hpp|m|mm|zig|lua|pl|pm|php|ex|exs|erl|hs|ml|clj|dart|vue|svelte|astro|html?|css|s[ac]ss|less|xml|svg|proto|graphql|gql|tf|sh|bash|zsh|fish|ps1|bat|gradle|properties|tmpl|hbs|ejs|log|diff|patch|snap|pdf|png|jpe?g|prisma|sol|mod|nix|cmake|mk|hcl|tfvars|groovy|elm|nim|jl|bzl|cljs|cljc|vb";

/** Letters of any script, so that a name in Chinese is one as well. */
const NAME = "[\\p{L}\\p{N}_.@+~-]";
/** Names of files without an extension. */
const NAMED =
  "(?:Make|Docker|Container|Jenkins|Gem|Rake|Proc|Just|Vagrant|Brew|Pod|Caddy|Tilt)file|\\.env(?:\\.[a-z]{1,20})?";

/** What may be in parentheses directly after a path: a position as compilers write it. Elsewhere a call follows: `np.log(2)`. */
const COMPILER_POSITION = "(?<=\\.(?:[cm]?tsx?|cs|vb|fs|cc|cpp|cxx|hh|hpp)\\()\\d{1,7}(?:,\\d{1,7}){0,3}\\)";
/** A path with a known extension or name; absolute, relative or a bare name. Linear: it never starts within a name. */
const FILE_PATH = new RegExp(
  `(?<!${NAME}|[/\\\\:])(?:[a-z]:(?=[/\\\\]))?(?:\\.{0,2}[/\\\\])?(?:${NAME}+[/\\\\])*(?:${NAME}*\\.(?:${ENDINGS})|${NAMED})(?![\\p{L}\\p{N}_/\\\\~-]|\\((?!${COMPILER_POSITION})|\\.[\\p{L}\\p{N}])`,
  "giu",
);
const URL = /\b(?!file:)[a-z][a-z0-9+.-]{0,20}:\/\/[^\s)>\]`"']+/gi;

export interface PathFound {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** Returns every file that a line names. */
export function pathsIn(line: string): PathFound[] {
  const text = line.replace(URL, (url) => " ".repeat(url.length));
  return [...text.matchAll(FILE_PATH)].flatMap(({ 0: path, index }) =>
    isFile(path) ? [{ path, from: index, to: index + path.length }] : [],
  );
}

/** Names with such an extension that are not files. */
const NO_FILE =
  /^(?:[ap]\.m|(?:node|vue|next|react|three|d3|express|nuxt|chart|ember|backbone|alpine|moment|day|discord|p5|solid|nest|deno|bun|electron|asp)\.(?:js|ts|cs|net)|(?:e\.g|i\.e|this|self|process|console|window|module|exports|math|json|object|array|promise|string|number|options?|config|settings|request|response|req|res|ctx|context|state|props)\.[a-z]{1,4})$/i;
/** Files that any project has, and which may be mentioned unseen. */
const COMMON =
  /^(?:package(?:-lock)?\.json|tsconfig(?:\.\w+)?\.json|readme\.md|changelog\.md|license\.(?:md|txt)|cargo\.(?:toml|lock)|pyproject\.toml|go\.mod|requirements\.txt|yarn\.lock|pnpm-lock\.yaml|agents\.md|claude\.md|skill\.md|settings\.json|index\.html|setup\.py|\.mcp\.json|\.env(?:\.\w+)?)$/i;
/** `example.com/a.html` */
const HOST = /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|rs|ai|cn|de|uk|gov|edu)$/i;
/** Placeholders for any file. */
const PLACEHOLDER = /(?:^|\/)(?:path\/to|foo|bar|baz|your|some|my|example|xxx+|name)(?:[/._-]|$)/i;

/** True if the text is cited as a file. */
function isFile(path: string): boolean {
  if (NO_FILE.test(path) || PLACEHOLDER.test(path)) return false;
  const [first = "", ...rest] = path.split("/");
  return rest.length === 0 || !HOST.test(first);
}

/** Build outputs, which come and go. */
const MADE = /^(?:\.\/)?(?:dist|build|out|target|coverage|node_modules|\.next|__pycache__)\//;

export function isCommon(path: string): boolean {
  return COMMON.test(path) || MADE.test(path);
}

/** Normalizes a path for comparison: with slashes, and without the working directory. */
export function plainPath(path: string, folders: readonly string[]): string {
  const slashed = path
    .replaceAll("\\", "/")
    .replace(/^file:\/\//, "")
    .replace(/^(?:\.\/)+/, "");
  for (const folder of folders) {
    if (slashed.startsWith(`${folder}/`)) return plainPath(slashed.slice(folder.length + 1), folders);
  }
  // An agent's worktree is inside the checkout, and its files are the checkout's.
  const inTree = /(?:^|\/)\.claude\/worktrees\/[^/]+\/(.+)$/.exec(slashed)?.[1];
  return inTree ?? slashed;
}

/** True if both name the same file, one possibly from a higher directory. */
export function isSame(a: string, b: string): boolean {
  return (
    a === b ||
    a.endsWith(`/${b.replace(/^\/|^(?:\.\.\/)+/, "")}`) ||
    b.endsWith(`/${a.replace(/^\/|^(?:\.\.\/)+/, "")}`)
  );
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
