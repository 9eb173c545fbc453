/** What a report may cite: files of code, text and settings. Other endings are words with a dot more often than files. */
const ENDINGS =
  "tsx?|mts|cts|jsx?|mjs|cjs|json[5lc]?|ya?ml|toml|ini|cfg|conf|lock|mdx?|rst|adoc|txt|csv|tsv|sql|py|pyi|ipynb|rb|rs|go|java|kt|kts|scala|swift|cs|fs|c|cc|cpp|cxx|h|hh|hpp|m|mm|zig|lua|pl|pm|php|ex|exs|erl|hs|ml|clj|dart|vue|svelte|astro|html?|css|s[ac]ss|less|xml|svg|proto|graphql|gql|tf|sh|bash|zsh|fish|ps1|bat|gradle|properties|tmpl|hbs|ejs|log|diff|patch|snap|pdf|png|jpe?g|prisma|sol|mod|nix|cmake|mk|hcl|tfvars|groovy|elm|nim|jl|bzl|cljs|cljc|vb";

/** Letters of any script, so that a name in Chinese is one as well. */
const NAME = "[\\p{L}\\p{N}_.@+~-]";
/** Names of files without an ending. */
const NAMED =
  "(?:Make|Docker|Container|Jenkins|Gem|Rake|Proc|Just|Vagrant|Brew|Pod|Caddy|Tilt)file|\\.env(?:\\.[a-z]{1,20})?";

/** A path that ends like a file, or is named like one; absolute, relative or a bare name. Linear: it begins nowhere within a name. */
const FILE_PATH = new RegExp(
  `(?<!${NAME}|[/\\\\:])(?:[a-z]:(?=[/\\\\]))?(?:\\.{0,2}[/\\\\])?(?:${NAME}+[/\\\\])*(?:${NAME}*\\.(?:${ENDINGS})|${NAMED})(?![\\p{L}\\p{N}_/\\\\(~-]|\\.[\\p{L}\\p{N}])`,
  "giu",
);
const URL = /\b(?!file:)[a-z][a-z0-9+.-]{0,20}:\/\/[^\s)>\]`"']+/gi;

export interface PathFound {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** Every file that a line names. */
export function pathsIn(line: string): PathFound[] {
  const text = line.replace(URL, (url) => " ".repeat(url.length));
  return [...text.matchAll(FILE_PATH)].flatMap(({ 0: path, index }) =>
    isFile(path) ? [{ path, from: index, to: index + path.length }] : [],
  );
}

/** Names with such an ending that are no files. */
const NO_FILE =
  /^(?:[ap]\.m|(?:node|vue|next|react|three|d3|express|nuxt|chart|ember|backbone|alpine|moment|day|discord|p5|solid|nest|deno|bun|electron|asp)\.(?:js|ts|cs|net)|(?:e\.g|i\.e|this|self|process|console|window|module|exports|math|json|object|array|promise|string|number|options?|config|settings|request|response|req|res|ctx|context|state|props)\.[a-z]{1,4})$/i;
/** What everybody has, and may be spoken of unseen. */
const COMMON =
  /^(?:package(?:-lock)?\.json|tsconfig(?:\.\w+)?\.json|readme\.md|changelog\.md|license\.(?:md|txt)|cargo\.(?:toml|lock)|pyproject\.toml|go\.mod|requirements\.txt|yarn\.lock|pnpm-lock\.yaml|agents\.md|claude\.md|skill\.md|settings\.json|index\.html|setup\.py|\.mcp\.json|\.env(?:\.\w+)?)$/i;
/** `example.com/a.html` */
const HOST = /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|rs|ai|cn|de|uk|gov|edu)$/i;
/** Words for any file at all. */
const PLACEHOLDER = /(?:^|\/)(?:path\/to|foo|bar|baz|your|some|my|example|xxx+|name)(?:[/._-]|$)/i;

/** Whether such a text is cited as a file. */
function isFile(path: string): boolean {
  if (NO_FILE.test(path) || PLACEHOLDER.test(path)) return false;
  const [first = "", ...rest] = path.split("/");
  return rest.length === 0 || !HOST.test(first);
}

/** What a build makes is there or not, as one looks. */
const MADE = /^(?:\.\/)?(?:dist|build|out|target|coverage|node_modules|\.next|__pycache__)\//;

export function isCommon(path: string): boolean {
  return COMMON.test(path) || MADE.test(path);
}

/** As it is compared: with slashes, and without what says only where the folder is that was worked in. */
export function plainPath(path: string, folders: readonly string[]): string {
  const slashed = path
    .replaceAll("\\", "/")
    .replace(/^file:\/\//, "")
    .replace(/^(?:\.\/)+/, "");
  for (const folder of folders) {
    if (slashed.startsWith(`${folder}/`)) return plainPath(slashed.slice(folder.length + 1), folders);
  }
  // A worktree of an agent stands in the checkout, and what is in it is the checkout's.
  const inTree = /(?:^|\/)\.claude\/worktrees\/[^/]+\/(.+)$/.exec(slashed)?.[1];
  return inTree ?? slashed;
}

/** One names the other: from the same file, or from further up. */
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
