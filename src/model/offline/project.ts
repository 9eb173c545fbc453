import { formatCount } from "../../lib/figures.ts";
import { manifest, readManifests, section } from "./manifests.ts";
import { type OfflinePlan, type PlanResult, unsure } from "./plan.ts";
import { fileWeight } from "./source.ts";
import { change, type FoundLine, grep, grepLines, look, type OfflineTools, quote } from "./tools.ts";

const MOST_SHOWN = 25;

/** What the README and the manifest say that it is. */
export function* describeProject(_: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const manifests = yield* readManifests(tools);
  const readme = manifest(manifests, /^readme/);
  const isProse = ({ text }: FoundLine) => /^(?:> )?[*_`"“]*[A-Z].*\w\s+\w/i.test(text);
  const isTitle = (at: number) => /^[=-]{3,}$/.test(readme[at + 1]?.text ?? "");
  const from = readme.findIndex((line, at) => isProse(line) && !isTitle(at));
  const end = readme.findIndex(({ text }, at) => at > from && text.trim() === "");
  const paragraph = from < 0 ? [] : readme.slice(from, Math.min(end < 0 ? readme.length : end, from + 8));
  const stated = manifest(manifests, /^(?:package\.json|pyproject\.toml|cargo\.toml|composer\.json)$/);
  const about = stated.filter(({ text }) => /^\s*"?(?:name|description)"?\s*[:=]/.test(text)).slice(0, 2);
  return paragraph.length + about.length === 0
    ? unsure("Nothing here says what this is: no README, and no manifest with a description.")
    : { ok: true, text: `This is what it says of itself:\n\n${quote([...paragraph, ...about])}` };
}

/** How much there is, in which directories, and which files are the largest. */
export function* sizes(_: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const [text = ""] = yield* look(tools, [grep("^", 0, { output_mode: "count" })]);
  const counts = text.split("\n").flatMap((row) => {
    const [, path, count] = /^(.+):(\d+)$/.exec(row) ?? [];
    return path === undefined ? [] : [{ path: tools.shown(path), lines: Number(count) }];
  });
  const top = (some: typeof counts) =>
    some
      .toSorted((a, b) => b.lines - a.lines)
      .slice(0, 10)
      .map(({ path, lines }) => row(path, [{ lines }]));
  const below = (depth: number, dir: string): string[] => {
    const inside = counts.filter(({ path }) => path.startsWith(dir) && path.split("/").length > depth);
    const groups = Map.groupBy(inside, ({ path }) => `${path.split("/").slice(0, depth).join("/")}/`);
    const largest = [...groups].sort(([, a], [, b]) => b.length - a.length).slice(0, depth === 1 ? 12 : 8);
    return largest.flatMap(([name, files]) => [row(name, files), ...(depth === 1 ? below(2, name) : [])]);
  };
  const files = counts.flatMap(({ path }) => (path.includes("/") ? [] : [path])).slice(0, MOST_SHOWN);
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["In all:", [row("", counts)]],
    ["Directories:", below(1, "")],
    ["The largest files:", top(counts)],
    ["The largest source files:", top(counts.filter(({ path }) => fileWeight(path) === 1))],
    ["At the top:", [`    ${files.join(", ")}`]],
  ];
  const shown = parts.map(([title, rows]) => `${title}\n${rows.join("\n")}`);
  return { ok: counts.length > 0, text: shown.join("\n\n") };
}

function row(path: string, files: readonly { readonly lines: number }[]): string {
  const lines = formatCount(
    files.reduce((sum, one) => sum + one.lines, 0),
    "line",
  );
  const count = files.length > 1 ? formatCount(files.length, "file") : "";
  return `    ${path.padEnd(32)}  ${count.padStart(12)}  ${lines.padStart(14)}`;
}

/** Where manifests name what a project depends on. */
const DEPENDENCIES: readonly (readonly [file: RegExp, begins: RegExp | null])[] = [
  [/^package\.json$/, /^\s*"(?:dev|peer|optional)?dependencies"\s*:/i],
  [/^pyproject\.toml$/, /^\s*dependencies\s*=|^\[(?:dependency-groups|[\w.-]*dependencies)\]/],
  [/^setup\.py$/, /\binstall_requires\s*=/],
  [/^requirements.*\.txt$/, null],
  [/^cargo\.toml$/, /^\[(?:.*[.-])?dependencies\b/],
  [/^go\.mod$/, /^require\b/],
  [/^gemfile$/, /^\s*gem\b/],
  [/^composer\.json$/, /^\s*"require(?:-dev)?"\s*:/],
  [/^pom\.xml$/, /<artifactId>/],
  [/^build\.gradle/, /^\s*(?:implementation|api|testImplementation)\b/],
];

export function* listDependencies(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const manifests = yield* readManifests(tools);
  const isForUse = /\b(?:runtime|run-time|production|prod)\b/i.test(question);
  const read = DEPENDENCIES.map(([file, begins]) => ({ lines: manifest(manifests, file), begins }));
  const parts = read.flatMap(({ lines, begins }) => {
    const [first] = lines;
    if (first === undefined) return [];
    const named = section(lines, begins && isForUse ? without(begins) : begins).filter(({ text }) =>
      /\w/.test(text),
    );
    const what = isForUse ? "runtime dependencies" : "dependencies";
    return named.length > 0 ? [quote(named.slice(0, 60))] : [`${first.path} names no ${what}.`];
  });
  return parts.length > 0
    ? { ok: true, text: parts.join("\n\n") }
    : unsure("There is no manifest here that could name dependencies.");
}

/** The same beginnings, except those of what only development needs. */
function without(begins: RegExp): RegExp {
  return new RegExp(`^(?!.*(?:dev|peer|optional|build|group)).*(?:${begins.source})`, begins.flags);
}

/** What to search for by a word of the question: a pattern, and the top-level files to search. The first match counts. */
const STATED: readonly (readonly [asked: RegExp, line: RegExp, files: string])[] = [
  [/\b(?:todos?|fixmes?)\b/i, /(?:\/\/|#|\*|--|<!--)\s*(?:TODO|FIXME|HACK|XXX)\b/, "*"],
  [/\blicen[sc]/i, /licen[sc]e["']?\s*[:=]|^.{0,40}\blicen[sc]e\b.{0,40}$/i, "*.json,*.toml,LICEN*,README*"],
  [/\bpython\b/i, /^\s*["']?(?:requires-python|python_requires|python)["']?\s*=/, "pyproject.toml,setup.*"],
  [/\b(?:node|npm)\b/i, /^\s*"(?:node|npm)"\s*:/, "package.json"],
  [/\brust\b/i, /^rust-version/, "Cargo.toml"],
  [/\bgo\b/i, /^go \d/, "go.mod"],
  [/\bversion\b/i, /^\s*["']?version["']?\s*[:=]\s*["']/, "package.json,pyproject.toml,Cargo.toml,setup.*"],
];

export function* findStated(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const [, line = /$^/, files = "*"] = STATED.find(([asked]) => asked.test(question)) ?? [];
  const anywhere = files === "*";
  const glob = anywhere ? {} : { glob: `/{${files}}`, "-i": true };
  const [text = ""] = yield* look(tools, [grep(line.source, 300, glob)]);
  const found = grepLines(text, tools)
    .filter(({ path }) => fileWeight(path) > 0.1)
    .sort((a, b) => fileWeight(b.path) - fileWeight(a.path));
  const shown = quote(found.slice(0, anywhere ? MOST_SHOWN : 6));
  if (anywhere)
    return {
      ok: true,
      text: `${formatCount(found.length, "comment")} with TODO, FIXME, HACK or XXX.\n\n${shown}`.trim(),
    };
  return found.length > 0
    ? { ok: true, text: `This is what is stated:\n\n${shown}` }
    : unsure("No manifest, README or license file here says that.");
}

/** The newest commits, by git itself. */
export function* recentChanges(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const isOwn = /\b(?:uncommitted|not committed|unstaged|i|we)\b/i.test(question);
  const command = isOwn ? "git status --short" : 'git log -n 12 --date=short --format="%h %ad %s"';
  const what = isOwn ? "uncommitted changes" : "newest commits";
  const { ok, text } = yield* change(tools, "Bash", { command, description: `List the ${what}` });
  return ok
    ? { ok, text: `The ${what}:\n\n${text.trim().replace(/^/gm, "    ")}` }
    : { ok, text: `The ${what} cannot be listed: ${text}` };
}
