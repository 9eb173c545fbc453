import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { agentLibrary } from "../../src/context/agents/load.ts";
import { diskFiles } from "../../src/context/files.ts";
import { memoryReader } from "../../src/context/memory/memory.ts";
import { nearbyReader } from "../../src/context/memory/nearby.ts";
import { skillLibrary } from "../../src/context/skills/library.ts";
import { skillListing } from "../../src/context/skills/listing.ts";
import { renderSkill, variablesOf } from "../../src/context/skills/render.ts";
import { formatSeveral, skillNamed } from "../../src/context/skills/skill.ts";
import { pathPatterns } from "../../src/features/context/path-patterns.ts";
import { rulesOf } from "../../src/features/skills/skill-rules.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { readDecision } from "../../src/policy/hooks/hook-decision.ts";
import { hookRunner } from "../../src/policy/hooks/hook-runner.ts";
import { parseHooks } from "../../src/policy/hooks/parse-hooks.ts";
import { hookEvents } from "../../src/settings/hook-events.ts";
import { checkLeaves } from "../../src/settings/leaves.ts";
import { settingsPaths, userPlaces } from "../../src/settings/paths.ts";
import { combine } from "../../src/settings/read-settings.ts";
import { noSession, sessionTools } from "../../src/tools/session-tools.ts";
import { Toolbox } from "../../src/tools/toolbox.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { definitions, writeDefinitions } from "./definitions.ts";

const Fact = z.strictObject({
  about: z.enum([
    ...["listed", "called", "invoked", "allowed", "forbidden", "rendered"],
    ...["agent", "tools", "model", "options", "memory", "setting", "reads", "prints"],
  ] as const),
  of: z.string(),
  given: z.optional(z.string()),
  /** What the other program makes of it, and where that was seen. */
  theirs: z.string(),
  source: z.string().check(z.minLength(20)),
  /** Only where Troupe differs, with the reason. */
  ours: z.optional(z.string()),
  reason: z.optional(z.string()),
});
type Fact = z.infer<typeof Fact>;

const here = (path: string) => new URL(path, import.meta.url);
const { facts } = z
  .strictObject({ program: z.string(), facts: z.array(Fact) })
  .parse(JSON.parse(readFileSync(here("facts.json"), "utf8")));
const title = ({ about, of, given = "" }: Fact) => `${about} ${of} ${given}`.trim();

/** Runs the directory through our assembly; returns what it makes of a fact's subject. */
async function assembly(): Promise<(fact: Fact) => Promise<string>> {
  const top = temporaryFolder();
  writeDefinitions(top);
  const none = join(top, "none");
  const search = {
    ...{
      cwd: top,
      ...userPlaces({}, none),
      home: none,
      managed: none,
      plugins: [{ dir: join(top, "plug") }, { dir: join(top, "solo") }],
      shipped: false,
    },
    ...{ trusted: () => true, agreed: () => true, denied: () => false },
  };
  const { all, notes } = await skillLibrary(search, diskFiles).look();
  expect(notes).toEqual([]);
  const listed = skillListing(all, 100_000).split("\n");
  const { agents } = await agentLibrary(search, diskFiles).look();
  const toolbox = new Toolbox(() => false);
  toolbox.fill({ ours: sessionTools(noSession), custom: [] });
  const every = [...toolbox.names("all", []), "Agent"];
  const memory = memoryReader(search, diskFiles)();
  const nearby = nearbyReader(search, diskFiles, pathPatterns());
  const near = { root: top, touched: [join(top, "api/a.ts")], known: [], room: 100_000 };
  const { facts: ofRules } = nearby(near, memory);

  function called(name: string): string {
    const found = skillNamed(name, all, () => true);
    if (found.type === "none") return "nothing";
    if (found.type === "skill") return found.skill.name;
    const names = found.skills.map((skill) => skill.name);
    for (const one of names) expect(formatSeveral(name, found.skills, "")).toContain(one);
    return `neither; names ${names.join(", ")}`;
  }

  async function rendered(name: string, args: string): Promise<string> {
    const skill = all.find((one) => one.name === name);
    if (skill === undefined) return "nothing";
    const body = await renderSkill(skill, args, {
      files: diskFiles,
      variables: variablesOf(skill, { cwd: top, session: "session" }),
      run: async () => ({ type: "ran", output: "OUTPUT", exitCode: 0 }),
      named: () => ({ texts: [], reads: [] }),
    });
    return body.type === "text"
      ? body.text.replaceAll(dirname(skill.path), "DIR").replaceAll(top, "TOP")
      : body.reason;
  }

  function rules(name: string, behaviour: "allow" | "deny"): string {
    const skill = all.find((one) => one.name === name);
    if (skill === undefined) return "nothing";
    const variables = variablesOf(skill, { cwd: top, session: "session" });
    const texts = rulesOf(skill, variables, () => true).rules.filter((one) => one.behaviour === behaviour);
    return texts.map(({ text }) => text.replaceAll(dirname(skill.path), "DIR")).join(", ");
  }

  function invokers(name: string): string {
    const { forUser = false, forModel = false } = all.find((one) => one.name === name) ?? {};
    return [...(forUser ? ["the user"] : []), ...(forModel ? ["the model"] : [])].join(" and ");
  }

  function options(name: string): string {
    const { permissionMode, maxTurns, skills, isolation, background, effort } =
      agents.find((one) => one.name === name) ?? {};
    return JSON.stringify({ permissionMode, maxTurns, skills, isolation, background, effort });
  }

  /** Sets it in files of these scopes, each to the name of its scope. */
  async function setting(key: string, scopes: string): Promise<string> {
    const found = settingsPaths({ managed: join(none, "managed.json"), ...userPlaces({}, none), root: top });
    const files = await Promise.all(
      found.map(async (path) => {
        const { leaves } = checkLeaves(scopes.includes(path.scope) ? { [key]: path.scope } : {}, path);
        return { ...path, leaves, warnings: [], cautious: false, identity: null };
      }),
    );
    return String(combine(files, true).leaves.at(-1)?.value);
  }

  /** What a hook of this event does by what it printed: its decision and what it gives. */
  function printed(event: string, stdout: string): string {
    const value = { [event]: [{ hooks: [{ type: "command", command: "x" }] }] };
    const { hooks } = parseHooks([{ scope: "user", file: "f", value }]);
    const [hook] = [...hooks.values()].flat();
    if (hook === undefined) return "no such event";
    const { decision, problem } = readDecision(hook, { type: "passed", stdout });
    const { verdict, reason: _, ...given } = decision;
    const words = [...(verdict === undefined ? [] : [verdict]), ...Object.keys(given).toSorted()];
    return [...words, ...(problem === undefined ? [] : ["named to the user"])].join(", ") || "nothing";
  }

  function tools(name: string): string {
    const { tools: allowed = [], disallowedTools = [] } = agents.find((one) => one.name === name) ?? {};
    const names = toolbox.names(allowed, disallowedTools);
    const own =
      allowed !== "all" && allowed.some((tool) => ["Agent", "Task"].includes(tool)) ? ["Agent"] : [];
    const left = every.filter((tool) => tool !== "Agent" && !names.includes(tool));
    if (allowed === "all") return left.length === 0 ? "all" : `all but ${left.toSorted().join(", ")}`;
    return [...names, ...own].toSorted().join(", ") || "none";
  }

  const fieldsRead = await readFields(top);

  function shown(path: string): string {
    if (memory.files.some((file) => relative(top, file.path) === path)) return "shown";
    return ofRules.some(({ key }) => key.endsWith(join(top, path))) ? "shown with api/a.ts" : "not shown";
  }

  return async ({ about, of, given = "" }) => {
    switch (about) {
      case "listed": {
        const line = listed.find((one) => new RegExp(`^- ${of}(?: \\(|:|$)`).test(one)) ?? "";
        return all.find((one) => one.name === of)?.forModel === false
          ? of
          : (/^- (.*?)(?:: .*)?$/.exec(line.replace(/:(?=\S)/g, "\0"))?.[1]?.replaceAll("\0", ":") ??
              "nothing");
      }
      case "called":
        return called(of);
      case "invoked":
        return invokers(of);
      case "allowed":
        return rules(of, "allow");
      case "forbidden":
        return rules(of, "deny");
      case "options":
        return options(of);
      case "reads":
        return fieldsRead.get(of) ?? "no such event";
      case "prints":
        return printed(of, given);
      case "setting":
        return await setting(of, given);
      case "rendered":
        return await rendered(of, given);
      case "agent":
        return agents.find(({ name }) => name === of)?.name ?? "nothing";
      case "tools":
        return tools(of);
      case "model":
        return agents.find(({ name }) => name === of)?.model ?? "the session's";
      case "memory":
        return shown(of);
      default:
        return about satisfies never;
    }
  };
}

/** Runs every event's hooks; returns the fields that each read on stdin, sorted. */
async function readFields(top: string): Promise<ReadonlyMap<string, string>> {
  const entry = [{ hooks: [{ type: "command", command: "x" }] }];
  const value = Object.fromEntries(hookEvents.map((event) => [event, entry]));
  const { hooks } = parseHooks([{ scope: "user", file: "f", value }]);
  const found = new Map<string, string>();
  const nothing = { outcome: "exited", exitCode: 0, signal: null, stdout: "", stderr: "" } as const;
  const runner = hookRunner({
    ...{ hooks, clock: systemClock, models: async () => null },
    async run({ id, args }) {
      const fields = JSON.parse(readFileSync(args[3] ?? "", "utf8"));
      found.set(fields.hook_event_name, Object.keys(fields).toSorted().join(", "));
      return { ...nothing, id, truncated: false, durationMs: 0 };
    },
    session: { id: "s", model: "m", transcriptPath: "t", projectDir: top, dir: join(top, "hooks") },
    ...{ onProblem: () => {}, onMessage: () => {}, onLater: () => {} },
  });
  const main = { owner: MAIN, cwd: top, permissionMode: "default" };
  const agent = { ...main, agentType: "any" };
  const call = { names: ["Bash"] as [string], input: {}, toolUseId: "1" };
  const { signal } = new AbortController();
  await runner.preToolUse(call, main, signal);
  await runner.postToolUse(call, { event: "PostToolUse", response: {} }, main, signal);
  await runner.postToolUse(
    call,
    { event: "PostToolUseFailure", error: "e", interrupted: false },
    main,
    signal,
  );
  await runner.permissionRequest(call, [], main, signal);
  await runner.userPromptSubmit("p", main, signal);
  await runner.stop({ ...main, continued: 0, lastText: "x" }, signal);
  await runner.subagentStart(agent, signal);
  await runner.stop({ ...agent, continued: 0, lastText: "x" }, signal);
  await runner.sessionStart("startup", main, signal);
  await runner.preCompact("manual", "", main, signal);
  await runner.postCompact("manual", "s", main, signal);
  await runner.notification("permission_prompt", "m", main, signal);
  await runner.sessionEnd("other", main, signal);
  return found;
}

test("a directory of definitions is what it is in the other program, except for the differences that have a reason", async () => {
  expect(Object.keys(definitions).length).toBeGreaterThan(55);
  const ours = await assembly();
  const unlisted: string[] = [];
  const stale: string[] = [];
  for (const fact of facts) {
    const made = await ours(fact);
    if (made !== (fact.ours ?? fact.theirs)) unlisted.push(`${title(fact)}: ${JSON.stringify(made)}`);
    if (fact.ours !== undefined && (made === fact.theirs || !fact.reason)) stale.push(title(fact));
  }
  expect({ unlisted, stale }).toEqual({ unlisted: [], stale: [] });
});

test("states each fact once, of a definition that exists", () => {
  expect(new Set(facts.map(title)).size).toBe(facts.length);
  const texts = JSON.stringify(definitions);
  for (const { of, about } of facts)
    if (!["setting", "reads", "prints"].includes(about))
      expect(texts).toContain(of.split(":").at(-1)?.split("/").at(-1) ?? "");
});

test("docs/differences.md lists the same differences", () => {
  const page = readFileSync(here("../../docs/differences.md"), "utf8");
  const cell = (text = "") => `\`${JSON.stringify(text).slice(1, -1).replaceAll("|", "\\|")}\``;
  const rows = facts.flatMap((fact) =>
    fact.ours === undefined
      ? []
      : [
          `| ${title(fact).replaceAll("|", "\\|")} | ${cell(fact.theirs)} | ${cell(fact.ours)} | ${fact.reason} |`,
        ],
  );
  expect(page.split("\n").filter((line) => /^\| (?!Of |---)/.test(line))).toEqual(rows);
});
