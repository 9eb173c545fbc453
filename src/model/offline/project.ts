import { formatCount } from "../../lib/text.ts";
import { type OfflinePlan, unsure } from "./plan.ts";
import { fileWeight, linesUntil } from "./source.ts";
import { change, type FoundLine, findLines, listSizes, type OfflineTools, quote, readSome } from "./tools.ts";

/** The files at the top of a project that say what it is, by their names in lower case. */
export type Manifests = ReadonlyMap<string, readonly FoundLine[]>;

const MANIFEST =
  /^(?:readme|contributing|claude|agents|licen[cs]e|copying)(?:\.\w+)?$|^(?:requirements[\w-]*\.txt|build\.gradle(?:\.kts)?|package\.json|pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|go\.mod|cargo\.toml|gemfile|composer\.json|pom\.xml|makefile|justfile|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$/i;

export function* readManifests(tools: OfflineTools): OfflinePlan<Manifests> {
  const found = (yield* listSizes(tools)).filter(({ path }) => MANIFEST.test(path));
  const beginnings = found.map(({ path }) => ({ path, limit: 600 }));
  const read = yield* readSome(tools, beginnings);
  return new Map(found.map(({ path }, at) => [path.toLowerCase(), read[at] ?? []]));
}

/** The lines of all manifests whose name fits. */
export function manifest(manifests: Manifests, name: RegExp): readonly FoundLine[] {
  return [...manifests].flatMap(([path, lines]) => (name.test(path) ? lines : []));
}

/** The lines of the sections that begin so: in brackets, or below a header of TOML. All lines if it is null. */
export function section(lines: readonly FoundLine[], begins: RegExp | null): readonly FoundLine[] {
  if (begins === null) return lines;
  return lines.flatMap(({ text }, at) => {
    const ends = /[{[(]\s*$/.test(text) ? /^\s*[}\])]/ : text.startsWith("[") ? /^\[|^\s*$/ : /^/;
    return begins.test(text) ? linesUntil(lines, at, ends) : [];
  });
}

/** What the README and the manifest say that it is. */
export function* describeProject(_: string, tools: OfflineTools): OfflinePlan {
  const manifests = yield* readManifests(tools);
  const own = manifest(manifests, /^readme/);
  // Memory files are the next best.
  const readme = own.length > 0 ? own : manifest(manifests, /^(?:claude|agents)\./);
  const whole = readme.map(({ text }) => text).join("\n");
  // Badges, logos and advertisements are in elements of HTML.
  const html = /^<(\w+)(?![^>]*\/>)[\s\S]*?<\/\1>.*$/gm;
  const texts = whole.replace(html, (element) => element.replace(/.+/g, "")).split("\n");
  const isTitle = (at: number) => /^[=-]{3,}$/.test(texts[at + 1] ?? "");
  const isProse = (text: string, at: number) => /^(?:> )?[*_`"“]*[A-Z].*\w\s+\w/i.test(text) && !isTitle(at);
  const paragraph = linesUntil(readme, texts.findIndex(isProse)).slice(0, 8);
  const stated = manifest(manifests, /^(?:package\.json|pyproject\.toml|cargo\.toml|composer\.json)$/);
  const about = stated.filter(({ text }) => /^\s*"?(?:name|description)"?\s*[:=]/.test(text)).slice(0, 2);
  return paragraph.length + about.length === 0
    ? unsure(
        "Nothing here says what this is: no README, no CLAUDE.md or AGENTS.md, and no manifest with a description.",
      )
    : { ok: true, text: `This is what it says of itself:\n\n${quote([...paragraph, ...about])}` };
}

const DEPENDENCIES =
  /\s*["[]?(?:[\w.-]*[.-])?(?:(?:dev|peer|optional)?dependencies|install_requires|dependency-groups)\b["\]]*\s*(?:[:=({]|$)/i;
const FOR_USE = /(?!.*(?:dev|peer|optional|build|group))/;
/** In composer.json; elsewhere it says how a module is loaded. */
const REQUIRES = /^\s*"require(?:-dev)?"\s*:\s*\{/;
/** Manifests that name one in each line; the others have sections. */
const DEPENDENCY = /^requirements|^gemfile|^pom|^build\.gradle/;
const IN_LINE =
  /^\s*(?:gem|implementation|api|testImplementation)\b|<artifactId>|^[\w-]+(?:\[\w+\])?\s*[<>=~!;]|^[\w-]+$/;

/** What a project depends on, as its manifests say it. */
export function* listDependencies(question: string, tools: OfflineTools): OfflinePlan {
  const manifests = yield* readManifests(tools);
  const isForUse = /\b(?:runtime|run-time|production|prod)\b/i.test(question);
  const begins = new RegExp(`^${isForUse ? FOR_USE.source : ""}${DEPENDENCIES.source}`, "i");
  const silent: string[] = [];
  const found = [...manifests].flatMap(([path, lines]) => {
    if (/^(?:readme|contributing|claude|agents|licen|copying)|^makefile|^justfile|lock|^tox/.test(path))
      return [];
    const named = DEPENDENCY.test(path)
      ? lines.filter(({ text }) => IN_LINE.test(text))
      : section(lines, path === "composer.json" ? REQUIRES : begins).filter(({ text }) => /\w/.test(text));
    if (named.length === 0) silent.push(lines[0]?.path ?? path);
    return named.slice(0, 60);
  });
  if (found.length > 0) return { ok: true, text: `This is what is stated:\n\n${quote(found)}` };
  if (silent.length === 0) return unsure("There is no manifest here that could name dependencies.");
  return { ok: true, text: `${silent.join(" and ")} names no ${isForUse ? "runtime " : ""}dependencies.` };
}

/** A license or a version, as the manifests say it: the lines whose key has the word that was asked for. */
export function* findStated(question: string, tools: OfflineTools): OfflinePlan {
  const manifests = yield* readManifests(tools);
  const [asked = ""] =
    /licen[sc]e|\b(?:python|node|rust|go)\b/i.exec(question) ?? /version/i.exec(question) ?? [];
  const word = asked.toLowerCase().replace("licence", "license");
  const key = new RegExp(`^\\s*["']?(?:[\\w-]*[_-])?${word}(?:[_-]\\w+)?["']?\\s*(?:[:=]|\\d)`, "i");
  const title = /^.{0,40}\blicen[sc]e\b.{0,40}$/i;
  const found = [...manifests].flatMap(([path, lines]) => {
    const isText = /^(?:licen|copying|readme)/.test(path);
    return lines.filter(({ text }) => (isText ? word === "license" && title.test(text) : key.test(text)));
  });
  if (found.length === 0) return unsure(`No manifest here states the ${word}.`);
  return { ok: true, text: `This is what is stated:\n\n${quote(found.slice(0, 6))}` };
}

/** The comments that say what is left to do. */
export function* listTodos(question: string, tools: OfflineTools): OfflinePlan {
  const pattern = String.raw`(?:\/\/|#|\*|--|<!--)\s*(?:TODO|FIXME|HACK|XXX)\b`;
  const [, place = ""] = /\bin (?:the )?[`"']?([\w.-]*\/[\w./-]*|[\w-]+\.\w+)/.exec(question) ?? [];
  const [found = []] = yield* findLines(tools, { pattern, head_limit: place === "" ? 300 : 0 });
  const all = found.filter(({ path }) => path.startsWith(place.replace(/^\.\//, "")));
  const weight = ({ path }: FoundLine) => fileWeight(path);
  const shown = all.filter((line) => weight(line) > 0.1).sort((a, b) => weight(b) - weight(a));
  const where = place === "" ? "" : ` in ${place}`;
  const lead = `${formatCount(shown.length, "comment")} with TODO, FIXME, HACK or XXX${where}.`;
  return { ok: true, text: `${lead}\n\n${quote(shown, 25)}`.trim() };
}

/** The newest commits, or what is not committed, by git itself. */
export function* recentChanges(question: string, tools: OfflineTools): OfflinePlan {
  const isOwn = /\b(?:uncommitted|not committed|unstaged|i|we)\b/i.test(question);
  const command = isOwn ? "git status --short" : 'git log -n 12 --date=short --format="%h %ad %s"';
  const what = isOwn ? "uncommitted changes" : "newest commits";
  const { ok, text } = yield* change(tools, "Bash", { command, description: `List the ${what}` });
  const listed = ok ? `:\n\n${text.trim().replace(/^/gm, "    ")}` : ` cannot be listed: ${text}`;
  return { ok, text: `The ${what}${listed}` };
}
