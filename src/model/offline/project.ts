import { jsonOf, listProjectCommands, manifest, type ProjectCommand, readManifests } from "./manifests.ts";
import type { OfflinePlan, PlanResult } from "./plan.ts";
import { fileWeight } from "./source.ts";
import {
  change,
  countNoun,
  type FoundLine,
  grep,
  grepLines,
  look,
  type OfflineTools,
  quote,
} from "./tools.ts";

const MOST_SHOWN = 25;

function joined(ok: boolean, ...parts: string[]): PlanResult {
  return { ok, text: parts.filter((part) => part !== "").join("\n\n") };
}

/** What the README and the manifest say that it is. */
export function* describeProject(_: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const manifests = yield* readManifests(tools);
  const readme = manifest(manifests, /^readme/);
  const isProse = ({ text }: FoundLine) =>
    /^[*_`"“]*[A-Z].*\w\s+\w/i.test(text) && !/^(?:===|---|```)/.test(text);
  const from = readme.findIndex(
    (line, at) => isProse(line) && !/^[=-]{3,}$/.test(readme[at + 1]?.text ?? ""),
  );
  const end = readme.findIndex(({ text }, at) => at > from && text.trim() === "");
  const paragraph = from < 0 ? [] : readme.slice(from, Math.min(end < 0 ? readme.length : end, from + 8));
  const stated = manifest(manifests, /^(?:package\.json|pyproject\.toml|cargo\.toml|composer\.json)$/);
  const about = stated.filter(({ text }) => /^\s*"?(?:name|description)"?\s*[:=]/.test(text)).slice(0, 2);
  if (paragraph.length + about.length === 0)
    return joined(false, "Nothing here says what this is: no README, and no manifest with a description.");
  return joined(true, "This is what it says of itself:", quote(paragraph), quote(about));
}

/** What may be asked for, by what commands are called that do it. */
const VERBS: readonly (readonly [name: string, asked: RegExp, fits: RegExp])[] = [
  ["run the tests", /\btest(?:s|ed)?\b/i, /\btests?\b|\bpytest\b|\btox\b/i],
  ["install it", /\binstall|\bset ?up\b/i, /\binstall\b|\bgo get\b|\bnpm ci\b|\bsetup\b|\buv sync\b/i],
  ["lint and format it", /\blint|\bformat/i, /\blint|\bformat|\bfmt\b|\bcheck\b|\bflake8\b|\bblack\b/i],
  ["build it", /\bbuil[dt]|\bcompile|\bbundle/i, /\bbuild\b|\bcompile\b|\bbundle\b/i],
  ["run it", /\brun\b|\bstart|\blaunch|\buse\b|\bserve/i, /\bstart\b|\brun \.|\bserve\b|\bdev\b|^npx /i],
];
const SHELL_LINE =
  /^\s*(?:\$ )?(?:npm|npx|yarn|pnpm|bun|pip|pipx|uv|uvx|python3?|poetry|go|cargo|make|just|docker|brew|mvn|gradle|\.\/\w|pytest|tox)\s+\S/;

/** The command for what is asked: scripts and targets first, then what README and CONTRIBUTING show. */
export function* howTo(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const manifests = yield* readManifests(tools);
  const commands = listProjectCommands(manifests);
  const documents = [...manifests].flatMap(([path, lines]) =>
    /^(?:readme|contrib)/.test(path) ? lines : [],
  );
  const found = VERBS.filter(([, asked]) => asked.test(question)).map(([name, , fits]) => {
    const byName = commands.filter(({ command }) => fits.test(command));
    const chosen = byName.length > 0 ? byName : commands.filter(({ body }) => fits.test(body));
    const sorted = chosen.toSorted((a, b) => a.command.length - b.command.length).slice(0, 5);
    const shown = documents.filter(({ text }) => SHELL_LINE.test(text) && fits.test(text)).slice(0, 5);
    const command = sorted[0]?.command ?? shown[0]?.text.trim().replace(/^\$ /, "");
    const also = sorted.slice(1).map((other) => `\`${other.command}\``);
    const lead = command
      ? `To ${name}: \`${command}\`${also.length > 0 ? `; see also ${also.join(", ")}` : ""}.`
      : `No script, target or README line here says how to ${name}.`;
    return { command, lead, lines: [...sorted.map(({ line }) => line), ...shown] };
  });
  const [first] = found;
  if (first === undefined) return joined(false, "No script, target or README line here says how to do that.");
  const leads = found.map(({ lead }) => lead).join("\n");
  const evidence = quote([...new Set(found.flatMap(({ lines }) => lines))]);
  if (/\b(?:how|what|which)\b/i.test(question))
    return joined(
      found.some(({ command }) => command !== undefined),
      leads,
      evidence,
    );
  const order = first.command ? `Nothing was run. To have it run, write: run "${first.command}"` : "";
  return joined(false, leads, evidence, order);
}

/** Lines of each text file that git does not ignore. */
function* lineCounts(tools: OfflineTools): OfflinePlan<{ path: string; lines: number }[]> {
  const [text = ""] = yield* look(tools, [grep("^", 0, { output_mode: "count" })]);
  return text.split("\n").flatMap((row) => {
    const [, path, count] = /^(.+):(\d+)$/.exec(row) ?? [];
    return path === undefined ? [] : [{ path: tools.shown(path), lines: Number(count) }];
  });
}

function totals(counts: readonly { readonly lines: number }[]): string[] {
  const lines = counts.reduce((sum, one) => sum + one.lines, 0);
  return [countNoun(counts.length, "file"), countNoun(lines, "line")];
}

export function* largestFiles(_: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const counts = yield* lineCounts(tools);
  const top = (some: typeof counts) => {
    const sorted = some.toSorted((a, b) => b.lines - a.lines).slice(0, 10);
    return table(sorted.map(({ path, lines }) => [path, countNoun(lines, "line")]));
  };
  const sources = counts.filter(({ path }) => fileWeight(path) === 1);
  const lead = `${totals(counts).join(" with ")}. The largest:`;
  return joined(counts.length > 0, lead, top(counts), "The largest source files:", top(sources));
}

export function* layout(_: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const counts = yield* lineCounts(tools);
  const rows = (depth: number, below: string): string[][] => {
    const inside = counts.filter(({ path }) => path.startsWith(below) && path.split("/").length > depth);
    const groups = Map.groupBy(inside, ({ path }) => `${path.split("/").slice(0, depth).join("/")}/`);
    const sorted = [...groups].sort(([, a], [, b]) => b.length - a.length).slice(0, depth === 1 ? 12 : 8);
    return sorted.flatMap(([dir, files]) => [
      [`${"  ".repeat(depth - 1)}${dir}`, ...totals(files)],
      ...(depth === 1 ? rows(2, dir) : []),
    ]);
  };
  const top = counts.flatMap(({ path }) => (path.includes("/") ? [] : [path])).slice(0, MOST_SHOWN);
  const lead = `${totals(counts).join(" with ")}.`;
  return joined(counts.length > 0, lead, table(rows(1, "")), `At the top: ${top.join(", ")}`);
}

function table(rows: readonly (readonly string[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const cells = ([first = "", ...more]: readonly string[]) =>
    `    ${first.padEnd(width(0))}${more.map((cell, at) => `  ${cell.padStart(width(at + 1))}`).join("")}`;
  return rows.map(cells).join("\n");
}

const JSON_LISTS = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "require"];

export function* listDependencies(_: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const manifests = yield* readManifests(tools);
  const parts = [...manifests].flatMap(([path, lines]) => {
    if (/^(?:package|composer)\.json$/.test(path)) {
      const json = jsonOf(lines);
      return JSON_LISTS.flatMap((list) => {
        const names = Object.keys(Object(json[list]));
        const at = lines.find(({ text }) => text.trim().startsWith(`"${list}"`));
        return at && names.length > 0 ? [`${at.path}:${at.line}  ${list}:\n    ${names.join(", ")}`] : [];
      });
    }
    if (/^(?:requirements.*\.txt|gemfile)$/.test(path)) return [quote(lines.slice(0, MOST_SHOWN))];
    if (!/^(?:pyproject\.toml|cargo\.toml|go\.mod|setup\.py)$/.test(path) || lines.length === 0) return [];
    let isOpen = false;
    const listed = lines.filter(({ text }) => {
      const starts = /^\s*\[?.*dependenc|^\s*require\b|install_requires/.test(text);
      const shows = starts || isOpen;
      isOpen = starts ? /[[(\]]\s*$/.test(text) : isOpen && !/^\s*[\])]|^\[|^\s*$/.test(text);
      return shows && text.trim() !== "";
    });
    return [listed.length > 0 ? quote(listed.slice(0, 60)) : `${lines[0]?.path} names no dependencies.`];
  });
  if (parts.length === 0) return joined(false, "There is no manifest here that could name dependencies.");
  return joined(true, ...parts);
}

/** How commands, HTTP routes and programs begin in the source of the usual languages. */
const DEFINED = String.raw`@\w+\.(?:command|group)\(|\.command\(\s*["'\x60]|add_parser\(\s*["']|\bUse:\s+"|\b(?:app|router|server|api|mux|r|e)\.(?:get|post|put|patch|delete|all|route|HandleFunc|Handle|GET|POST|PUT|DELETE)\(\s*["'\x60]/|@\w+\.(?:route|get|post|put|delete|patch)\(\s*["']/|@(?:Get|Post|Put|Delete|Patch|Request)Mapping|^func main\(|^\s*fn main\(|^int main\(|^if __name__ ==|^#!/`;

/** Scripts and programs of the project, what its code defines, and the subcommands that its documents show. */
export function* listCommands(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const own = listProjectCommands(yield* readManifests(tools));
  const programs = own.flatMap(({ command, isProgram }) => (isProgram ? command.replace(/^npx /, "") : []));
  const [defined = "", used = ""] = yield* look(tools, [
    grep(DEFINED, 300),
    // Without a program of its own there is nothing to look for.
    grep(`(?:^|\`|\\$ |npx |uv run )(?:${programs.join("|") || "\\z."}) [a-z][\\w-]+`, 500, {
      glob: "*.{md,rst,txt}",
    }),
  ]);
  const code = grepLines(defined, tools).filter(({ path }) => fileWeight(path) === 1);
  if (/\b(?:endpoints?|routes)\b/i.test(question)) {
    const routes = code.filter(({ text }) => /["'`]\/|Mapping\b/.test(text)).slice(0, MOST_SHOWN);
    return joined(true, routes.length > 0 ? quote(routes) : "No HTTP route was found in the code here.");
  }
  const subcommand = new RegExp(`(?:${programs.join("|")}) ([a-z][\\w-]+)`);
  const words = Map.groupBy(grepLines(used, tools), ({ text }) => subcommand.exec(text)?.[1] ?? "");
  const shown = [...words].flatMap(([word, lines]) => (lines.length > 1 ? [word] : [])).sort();
  const row = ({ command, body, line }: ProjectCommand) =>
    `    ${command.padEnd(22)}  ${body.slice(0, 60)}  (${line.path}:${line.line})`;
  return joined(
    own.length + code.length > 0,
    own.length > 0 ? `Scripts and programs:\n${own.slice(0, 40).map(row).join("\n")}` : "",
    shown.length > 0
      ? `Subcommands of ${programs.join(", ")} in the documents:\n    ${shown.join(", ")}`
      : "",
    code.length > 0
      ? `Commands, routes and programs in the code:\n\n${quote(code.slice(0, MOST_SHOWN))}`
      : "",
    code.length > MOST_SHOWN ? `(${code.length - MOST_SHOWN} more)` : "",
    own.length + code.length === 0 ? "No script, program, command or route was found here." : "",
  );
}

export function* listTodos(_: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const [text = ""] = yield* look(tools, [
    grep(String.raw`(?://|#|\*|--|<!--)\s*(?:TODO|FIXME|HACK|XXX)\b`, 300),
  ]);
  const found = grepLines(text, tools).filter(({ path }) => fileWeight(path) > 0.1);
  const shown = found.toSorted((a, b) => fileWeight(b.path) - fileWeight(a.path)).slice(0, MOST_SHOWN);
  return joined(true, `${countNoun(found.length, "comment")} with TODO, FIXME, HACK or XXX.`, quote(shown));
}

/** The newest commits, by git itself. */
export function* recentChanges(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const isOwn = /\b(?:uncommitted|not committed|unstaged|i|we)\b/i.test(question);
  const command = isOwn ? "git status --short" : 'git log -n 12 --date=short --format="%h %ad %s"';
  const what = isOwn ? "uncommitted changes" : "newest commits";
  const { ok, text } = yield* change(tools, "Bash", { command, description: `List the ${what}` });
  const rows = text.replace(/\n?\[Exit code 0\]\s*$/, "").trim();
  const failed = !ok || /\[Exit code \d+\]$/.test(rows);
  return failed
    ? joined(false, `The ${what} cannot be listed: ${rows}`)
    : joined(true, `The ${what}:`, rows.replace(/^/gm, "    "));
}

/** Lines of the manifests about the license or a version. */
export function* statedField(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const manifests = yield* readManifests(tools);
  const [, field] = FIELDS.find(([asked]) => asked.test(question)) ?? [];
  const lines = [...manifests.values()].flatMap((some) =>
    some.filter(({ text }) => field?.test(text)).slice(0, 2),
  );
  if (lines.length === 0) return joined(false, "No manifest, README or license file here says that.");
  return joined(true, "This is what is stated:", quote(lines.slice(0, 6)));
}

const FIELDS: readonly (readonly [asked: RegExp, field: RegExp])[] = [
  [/licen[sc]/i, /^\s*["']?licen[sc]e["']?\s*[:=]|^.{0,40}\blicen[sc]e\b.{0,40}$/i],
  [/python/i, /^\s*["']?(?:requires-python|python_requires|python)["']?\s*=/],
  [/\bnode\b|\bnpm\b/i, /^\s*"(?:node|npm)"\s*:/],
  [/version/i, /^\s*["']?(?:version|rust-version|edition)["']?\s*[:=]|^go \d/],
];
