import { formatCount } from "../../lib/figures.ts";
import { type OfflinePlan, type PlanResult, unsure } from "./plan.ts";
import { fileWeight } from "./source.ts";
import {
  change,
  type FoundLine,
  grep,
  grepLines,
  listSizes,
  look,
  type OfflineTools,
  quote,
  readSome,
} from "./tools.ts";

/** The files at the top of a project that say what it is, by their names in lower case. */
export type Manifests = ReadonlyMap<string, readonly FoundLine[]>;

const MANIFEST =
  /^(?:readme|contributing|licen[cs]e|copying)(?:\.\w+)?$|^(?:requirements[\w-]*\.txt|build\.gradle(?:\.kts)?|package\.json|pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|go\.mod|cargo\.toml|gemfile|composer\.json|pom\.xml|makefile|justfile|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$/i;

export function* readManifests(tools: OfflineTools): OfflinePlan<Manifests> {
  const found = (yield* listSizes(tools)).filter(({ path }) => MANIFEST.test(path));
  const read = yield* readSome(
    tools,
    found.map(({ path }) => ({ path, limit: 600 })),
  );
  return new Map(found.map(({ path }, at) => [path.toLowerCase(), read[at] ?? []]));
}

/** The lines of all manifests whose name fits. */
export function manifest(manifests: Manifests, name: RegExp): readonly FoundLine[] {
  return [...manifests].flatMap(([path, lines]) => (name.test(path) ? lines : []));
}

/** The lines of the sections that begin so: in brackets, or below a header of TOML. All lines if it is null. */
export function section(
  lines: readonly FoundLine[],
  begins: RegExp | null,
  isMeant = (_head: string) => true,
): readonly FoundLine[] {
  if (begins === null) return lines;
  return lines.flatMap((line, at) => {
    if (!begins.test(line.text) || !isMeant(line.text)) return [];
    const ends = /[{[(]\s*$/.test(line.text) ? /^\s*[}\])]/ : /^\[/.test(line.text) ? /^\[|^\s*$/ : /^/;
    const size = lines.slice(at + 1).findIndex(({ text }) => ends.test(text));
    return lines.slice(at, size < 0 ? undefined : at + 1 + size);
  });
}

/** What the README and the manifest say that it is. */
export function* describeProject(_: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const manifests = yield* readManifests(tools);
  const readme = manifest(manifests, /^readme/);
  // Badges, logos and advertisements are in elements of HTML.
  const isHtml = readme.map(() => false);
  for (const [at, { text }] of readme.entries()) {
    const tag = /^<(\w+)(?![^>]*\/>)/.exec(text)?.[1];
    const end =
      tag === undefined ? -1 : readme.findIndex((line, to) => to >= at && line.text.includes(`</${tag}>`));
    isHtml.fill(true, at, end + 1);
  }
  const isProse = ({ text }: FoundLine) => /^(?:> )?[*_`"“]*[A-Z].*\w\s+\w/i.test(text);
  const isTitle = (at: number) => /^[=-]{3,}$/.test(readme[at + 1]?.text ?? "");
  const from = readme.findIndex((line, at) => isProse(line) && !isHtml[at] && !isTitle(at));
  const end = readme.findIndex(({ text }, at) => at > from && text.trim() === "");
  const paragraph = from < 0 ? [] : readme.slice(from, Math.min(end < 0 ? readme.length : end, from + 8));
  const stated = manifest(manifests, /^(?:package\.json|pyproject\.toml|cargo\.toml|composer\.json)$/);
  const about = stated.filter(({ text }) => /^\s*"?(?:name|description)"?\s*[:=]/.test(text)).slice(0, 2);
  return paragraph.length + about.length === 0
    ? unsure("Nothing here says what this is: no README, and no manifest with a description.")
    : { ok: true, text: `This is what it says of itself:\n\n${quote([...paragraph, ...about])}` };
}

const DEPENDENCIES =
  /^\s*["[]?(?:[\w.-]*[.-])?(?:(?:dev|peer|optional)?dependencies|install_requires|require(?:-dev)?|dependency-groups)\b["\]]*\s*(?:[:=({]|$)/i;
/** Manifests that name one in each line; the others have sections. */
const DEPENDENCY = /^requirements|^gemfile|^pom|^build\.gradle/;
const IN_LINE =
  /^\s*(?:gem|implementation|api|testImplementation)\b|<artifactId>|^[\w-]+(?:\[\w+\])?\s*[<>=~!;]|^[\w-]+$/;

/** What a project depends on, as its manifests say it. */
export function* listDependencies(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const manifests = yield* readManifests(tools);
  const isForUse = /\b(?:runtime|run-time|production|prod)\b/i.test(question);
  const isMeant = (head: string) => !isForUse || !/dev|peer|optional|build|group/i.test(head);
  const silent: string[] = [];
  const found = [...manifests].flatMap(([path, lines]) => {
    if (/^(?:readme|contributing|licen|copying)|^makefile|^justfile|lock|^tox/.test(path)) return [];
    const named = DEPENDENCY.test(path)
      ? lines.filter(({ text }) => IN_LINE.test(text))
      : section(lines, DEPENDENCIES, isMeant).filter(({ text }) => /\w/.test(text));
    if (named.length === 0) silent.push(lines[0]?.path ?? path);
    return named.slice(0, 60);
  });
  if (found.length > 0) return { ok: true, text: `This is what is stated:\n\n${quote(found)}` };
  if (silent.length === 0) return unsure("There is no manifest here that could name dependencies.");
  return { ok: true, text: `${silent.join(" and ")} names no ${isForUse ? "runtime " : ""}dependencies.` };
}

/** A license or a version, as the manifests say it: the lines whose key has the word that was asked for. */
export function* findStated(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
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
export function* listTodos(_: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const [text = ""] = yield* look(tools, [
    grep(String.raw`(?:\/\/|#|\*|--|<!--)\s*(?:TODO|FIXME|HACK|XXX)\b`, 300),
  ]);
  const found = grepLines(text, tools)
    .filter(({ path }) => fileWeight(path) > 0.1)
    .sort((a, b) => fileWeight(b.path) - fileWeight(a.path));
  const lead = `${formatCount(found.length, "comment")} with TODO, FIXME, HACK or XXX.`;
  return { ok: true, text: `${lead}\n\n${quote(found.slice(0, 25))}`.trim() };
}

/** The newest commits, or what is not committed, by git itself. */
export function* recentChanges(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const isOwn = /\b(?:uncommitted|not committed|unstaged|i|we)\b/i.test(question);
  const command = isOwn ? "git status --short" : 'git log -n 12 --date=short --format="%h %ad %s"';
  const what = isOwn ? "uncommitted changes" : "newest commits";
  const { ok, text } = yield* change(tools, "Bash", { command, description: `List the ${what}` });
  return {
    ok,
    text: ok
      ? `The ${what}:\n\n${text.trim().replace(/^/gm, "    ")}`
      : `The ${what} cannot be listed: ${text}`,
  };
}
