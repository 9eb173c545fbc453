import { type OfflinePlan, unsure } from "./plan.ts";
import { type Manifests, manifest, readManifests, section } from "./project.ts";
import { fileWeight } from "./source.ts";
import { type FoundLine, findLines, listSizes, listUnder, type OfflineTools, quote } from "./tools.ts";

const TARGET = /^@?([a-zA-Z][\w-]*)(?:\s[^:=]*)?:(?!=)/;
/** The file, the section, its lines, and the commands that each gives: `$1` is the name in it. */
const DECLARED: readonly (readonly [RegExp, RegExp | null, RegExp, ...string[]])[] = [
  [/^package\.json$/, /^\s*"scripts"/, /^\s*"([^"]+)":\s*"(.*)"/, "npm run $1"],
  [/^package\.json$/, /^\s*"bin"/, /"([\w@/-]+)":\s*"/, "npx $1"],
  [/^makefile$/, null, TARGET, "make $1"],
  [/^justfile$/, null, TARGET, "just $1"],
  [/^pyproject|^setup/, null, /^\s*["']?([\w-]+)\s*=\s*["']?[\w.]+:\w+["']/, "$1"],
  [/^(?:pyproject|setup|tox|requirements)/, null, /\bpytest\b/, "pytest"],
  [/^go\.mod$/, null, /^module/, "go build ./...", "go test ./...", "go run ."],
  [/^cargo\.toml$/, null, /^\[package\]/, "cargo build", "cargo test", "cargo run"],
  [/^pom\.xml$/, null, /<project/, "mvn package", "mvn test"],
  [/^build\.gradle/, null, /\S/, "gradle build", "gradle test"],
];

/** The commands that the project offers, each with a script's text and the line that says so. */
function listProjectCommands(manifests: Manifests) {
  const runner = ["yarn", "pnpm", "bun"].find((one) => manifests.keys().some((path) => path.startsWith(one)));
  const commands = new Map<string, { command: string; body: string; line: FoundLine }>();
  for (const [file, within, pattern, ...gives] of DECLARED)
    for (const line of section(manifest(manifests, file), within)) {
      const [whole, name = "", body = ""] = pattern.exec(line.text) ?? [];
      for (const form of whole === undefined ? [] : gives) {
        const plain = form.replace("$1", name).replace(/^npm run (test|start)$/, "npm $1");
        const command = plain.replace(/^npm\b/, runner ?? "npm");
        if (!commands.has(command)) commands.set(command, { command, body, line });
      }
    }
  return [...commands.values()];
}

/** What a question may contain that says nothing of which command is meant. */
const FILLER =
  /^(?:how|what|which|do|does|can|could|would|should|is|are|to|i|we|you|one|commands?|for|with|of|in|on|by|an?|the|this|that|it|its|your|our|my|me|all|here|locally|project|repo|repository|code|codebase|app|application|program|package|tool|suite|please|from|source|and|get|make|do|executed?|invoke|call|perform|generated?|created?)$/;
/** Any of these runs something; alone it means the program itself. */
const RUNS = /^(?:run|runs|running|start|starts|started|launch|use|used|try|serve)$/;
/** What else the same work is called. */
const ALIKE: readonly (readonly [asked: RegExp, fits: RegExp])[] = [
  [/^test/, /\btests?\b|\bpytest\b|\btox\b/i],
  [/^(?:install|set|setup|up)/, /\binstall\b|\bgo get\b|\bnpm ci\b|\bsetup\b|\buv sync\b/i],
  [/^(?:build|built|compil|bundl)/, /\bbuild\b|\bcompile\b|\bbundle\b/i],
  [/^lint/, /\blint|\bflake8\b|\bruff\b|\bclippy\b/i],
  [/^format/, /\bformat|\bfmt\b|\bblack\b/i],
  [RUNS, /\bstart\b|\brun \.|\bcargo run\b|\bserve\b|\bdev\b|^npx /i],
];
const SHELL_LINE =
  /^\s*(?:\$ )?(?:npm|npx|yarn|pnpm|bun|pip|pipx|uv|uvx|python3?|poetry|go|cargo|make|just|docker|brew|mvn|gradle|\.\/\w|pytest|tox)\s+\S/;

/** Answers with the command that fits the question: one that matches each word that tells something. */
export function* howTo(question: string, tools: OfflineTools): OfflinePlan {
  const manifests = yield* readManifests(tools);
  const words = (question.toLowerCase().match(/[a-z\d][\w:-]*/g) ?? []).filter((word) => !FILLER.test(word));
  const telling = words.filter((word) => !RUNS.test(word));
  const own = listProjectCommands(manifests).sort((a, b) => a.command.length - b.command.length);
  const read = manifest(manifests, /^(?:readme|contrib)/).filter(({ text }) => SHELL_LINE.test(text));
  const documents = read.map((line) => ({ command: line.text.trim().replace(/^\$ /, ""), body: "", line }));
  const inProse = manifest(manifests, /^(?:readme|contrib|claude|agents)/).flatMap((line) => {
    const spans = [...line.text.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command);
    return spans.filter((one) => SHELL_LINE.test(one)).map((command) => ({ command, body: line.text, line }));
  });
  const chosenFor = (some: readonly string[], stated: readonly (typeof own)[number][]) => {
    const fits = some.map((word) => {
      const stem = word.replace(/(?:marks?|umentation|ing|er|s)$/, "");
      return ALIKE.find(([asked]) => asked.test(word))?.[1] ?? new RegExp(String.raw`(?:\b|_)${stem}`, "i");
    });
    const isFit = (text: string) => fits.every((fit) => fit.test(text));
    const byName = own.filter(({ command }) => isFit(command));
    const byBody = own.filter(({ command, body }) => isFit(`${command} ${body}`));
    const fitting = stated.filter(({ command, body }) => isFit(`${command} ${body}`)).slice(0, 4);
    return [...(byName.length > 0 ? byName : byBody).slice(0, 5), ...fitting];
  };
  // "make docs" builds them.
  const things = telling.filter((word) => !/^(?:buil[dt]|generat)/.test(word));
  const forms = [telling.length > 0 ? telling : ["run"], ...(things.length > 0 ? [things] : [])];
  // What is stated in a sentence is the last resort.
  const tries = [documents, inProse].flatMap((stated) => forms.map((form) => chosenFor(form, stated)));
  const chosen = tries.find(({ length }) => length > 0) ?? [];
  const [best, ...others] = chosen;
  if (best === undefined)
    return unsure("No script, no target and no line of README, CLAUDE.md or AGENTS.md says how to do that.");
  const names = others.filter((one) => own.includes(one)).map(({ command }) => `\`${command}\``);
  const also = names.length > 0 ? ` There are also ${names.join(", ")}.` : "";
  const lead = `This does it: \`${best.command}\`.${also}\n\n${quote(chosen.map(({ line }) => line))}`;
  if (/\b(?:how|what|which)\b/i.test(question)) return { ok: true, text: lead };
  return { ok: false, text: `${lead}\n\nNothing was run. To have it run, write: run "${best.command}"` };
}

/** How commands, HTTP routes and programs begin in the source of the usual languages. */
const DEFINED = String.raw`@\w+\.(?:command|group)\(|\.command\(\s*["'\x60]|add_parser\(\s*["']|\bUse:\s+"|\b(?:app|router|server|api|mux|r|e)\.(?:get|post|put|patch|delete|all|route|HandleFunc|Handle|GET|POST|PUT|DELETE)\(\s*["'\x60]/|@\w+\.(?:route|get|post|put|delete|patch)\(\s*["']/|@(?:Get|Post|Put|Delete|Patch|Request)Mapping|^func main\(|^\s*fn main\(|^int main\(|^if __name__ ==|^#!/`;

/** Scripts and programs of the project, what its code defines, and the subcommands that its documents show. */
export function* listCommands(question: string, tools: OfflineTools): OfflinePlan {
  const own = listProjectCommands(yield* readManifests(tools));
  const program = own.find(({ command }) => /^npx |^[\w-]+$/.test(command) && command !== "pytest");
  const name = program?.command.replace("npx ", "") ?? "\\z.";
  const pattern = `(?:^|\`|\\$ |npx |uv run )${name} [a-z][\\w-]+`;
  const documents = { pattern, glob: "*.{md,rst,txt}", head_limit: 500 };
  const found = yield* findLines(tools, { pattern: DEFINED, head_limit: 300 }, documents);
  const isSource = ({ path }: { readonly path: string }) => fileWeight(path) === 1;
  const [code = [], used = []] = [found[0]?.filter(isSource), found[1]];
  if (/\b(?:endpoints?|routes)\b/i.test(question)) {
    const routes = code.filter(({ text }) => /["'`]\/|Mapping\b/.test(text));
    return { ok: true, text: quote(routes, 25) || "No HTTP route was found in the code here." };
  }
  const subcommand = new RegExp(`${name} ([a-z][\\w-]+)`, "g");
  const words = used.flatMap(({ text }) => [...text.matchAll(subcommand)].map(([, word = ""]) => word));
  const often = new Set(words.filter((word, at) => words.indexOf(word) < at));
  const sources = (yield* listSizes(tools)).filter(isSource).map(({ path }) => `    ${path}`);
  const files = sources.filter((path) => /[ /](?:commands|cmd)\/[^/]+$/.test(path));
  const row = ({ command, body, line }: (typeof own)[number]) =>
    `    ${command.padEnd(22)}  ${body.slice(0, 60)}  (${line.path}:${line.line})`;
  const text = listUnder({
    "Scripts and programs:": own.slice(0, 40).map(row),
    [`Subcommands of ${name} in the documents:`]:
      often.size > 0 ? [`    ${[...often].sort().join(", ")}`] : [],
    "Files of commands:": files.slice(0, 40),
    "Commands, routes and programs in the code:": code.length > 0 ? [quote(code, 25)] : [],
  });
  return text === "" ? unsure("No script, program, command or route was found here.") : { ok: true, text };
}
