import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CliOptions, troupe } from "../support/cli-process.ts";
import {
  type Handler,
  type RecordedRequest,
  type RequestBody,
  type ServedCall,
  startMessagesServer,
} from "../support/messages-server.ts";
import { type RichCheckout, richCheckout } from "./rich-checkout.ts";

/** For each task, told by a word in it, the calls of each of its replies; then it is done. */
type Script = Readonly<Record<string, readonly (readonly ServedCall[])[]>>;

const played =
  (script: Script): Handler =>
  ({ body }) => {
    const [task = ""] = Object.keys(script).filter((word) => asked(body).includes(word));
    const said = body.messages.filter(({ role }) => role === "assistant").length;
    const calls = script[task]?.[said];
    return calls === undefined ? { text: `Done with ${task}.` } : { calls };
  };

/** What the conversation began with. */
const asked = ({ messages }: RequestBody) => JSON.stringify(messages[0]);
const bash = (command: string): ServedCall => ({ name: "Bash", input: { command } });
const read = (file_path: string): ServedCall => ({ name: "Read", input: { file_path } });

async function run(here: RichCheckout, script: Script, args: readonly string[], more: CliOptions = {}) {
  const server = await startMessagesServer(played(script));
  onTestFinished(() => server.close());
  const ended = await troupe(args, { ...{ cwd: here.cwd, home: here.home, url: server.url }, ...more });
  /** The last request of the conversation that was asked this. */
  const last = (word: string) => {
    const found = server.requests.filter(({ body }) => asked(body).includes(word)).at(-1);
    if (found === undefined) throw new Error(`nothing was asked with ${word}; stderr: ${ended.err}`);
    return found;
  };
  return { ...ended, server, last };
}

/** The results of its calls, in their order. */
function results({ body }: RecordedRequest): string[] {
  return body.messages.flatMap(({ role, content }) =>
    role === "assistant" || typeof content === "string"
      ? []
      : content.filter(({ type }) => type === "tool_result").map((block) => JSON.stringify(block["content"])),
  );
}

const system = ({ body }: RecordedRequest) => (body.system ?? []).map(({ text }) => text).join("\n");
const toolNames = ({ body }: RecordedRequest) => (body.tools ?? []).map(({ name }) => name);
const MEMORY = [
  "OF-THE-PERSON",
  "OF-THE-PROJECT",
  "STYLE-OF-HARBOUR",
  "TONE-OF-HARBOUR",
  "FOR-ALL-AGENTS",
  "ONLY-FOR-ME",
];

/** What the main conversation and its agent try. */
const everything = (here: RichCheckout): Script => ({
  "main-task": [
    [bash("printenv HARBOUR"), bash("echo forbidden"), bash("curl http://127.0.0.1:9")],
    [
      read(here.at("data/secret.txt")),
      { name: "mcp__files__read_text_file", input: { path: here.at("docs/tone.md") } },
    ],
    [{ name: "Skill", input: { skill: "notes", args: "v1 merry" } }],
    [bash("node --version"), bash("git push origin main")],
    [{ name: "Agent", input: { subagent_type: "Tide Reader", description: "look", prompt: "tide-task" } }],
    [{ name: "Agent", input: { subagent_type: "net-mender", description: "mend", prompt: "net-task" } }],
  ],
  "tide-task": [
    [bash("ls docs"), bash("echo forbidden"), read(here.at("data/secret.txt"))],
    [{ name: "mcp__files__list_directory", input: { path: here.at("docs") } }, bash("touch made")],
  ],
  "net-task": [[read(here.at("docs/tone.md"))], [bash("ls")]],
});

describe("in a checkout with a rich .claude folder the program does what its files say", {
  timeout: 60_000,
}, () => {
  test("trusted: in the main conversation and in agents (A2.1, A11.2, A12.1, A18.1, A19.1)", {
    tags: ["long"],
  }, async () => {
    const here = richCheckout();
    const { code, err, last } = await run(here, everything(here), ["-p", "main-task", "--trust"]);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(err).toContain(
      `${here.at(".claude/agents/unfinished.md")}:1 The front matter that begins here has no end`,
    );
    expect(err).toContain('The MCP server "gone"');

    const main = last("main-task");
    const told = [...MEMORY].map((words) => system(main).indexOf(words));
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told[0]).toBeGreaterThan(0);
    expect(asked(main.body)).toContain("SAID-BY-A-HOOK");
    for (const listed of ["git:ship", "notes", "tides", "knots"])
      expect(asked(main.body)).toContain(`- ${listed}: `);
    const agents = JSON.stringify(main.body.tools?.find(({ name }) => name === "Agent"));
    for (const listed of ["tide-reader", "net-mender"]) expect(agents + asked(main.body)).toContain(listed);
    expect(agents + asked(main.body)).not.toContain("unfinished");

    const [env, forbidden, curl, secret, served, skill, version, push, tide, net] = results(main);
    expect(env).toContain("north");
    expect(forbidden).toContain("NOT-IN-THIS-HARBOUR");
    expect(curl).toContain("the rule Bash(curl:*) denies it");
    expect(secret).toContain("the rule Read(./data/secret.txt) denies it");
    expect(served).toContain("TONE-OF-HARBOUR");
    expect(skill).toContain("The skill notes is loaded");
    expect(main.rawBody).toContain("NOTES-FOR v1 IN-A merry TONE. Log: The harbour opens");
    // The skill lends this rule, and nothing lifts one that asks.
    expect(version).toMatch(/v\d+\./);
    expect(push).toContain("the rule Bash(git push:*) asks for it");
    expect(tide).toContain("Done with tide-task.");
    expect(net).toContain("Done with net-task.");

    const tideReader = last("tide-task");
    expect(tideReader.body.model).toContain("haiku");
    for (const words of ["YOU-READ-TIDES", "TIDES-TEXT", ...MEMORY])
      expect(system(tideReader)).toContain(words);
    expect(toolNames(tideReader)).toEqual(
      expect.arrayContaining(["Read", "Bash", "mcp__files__list_directory"]),
    );
    expect(toolNames(tideReader)).not.toContain("Write");
    const [itsDocs, itsForbidden, itsSecret, listed, touched] = results(tideReader);
    expect(itsDocs).toContain("style.md");
    expect(itsForbidden).toContain("NOT-IN-THIS-HARBOUR");
    expect(itsSecret).toContain("the rule Read(./data/secret.txt) denies it");
    expect(listed).toContain("style.md");
    // It plans: nobody can be asked, so what changes something is not done.
    expect(touched).toMatch(/not allowed|permission/);
    const hooked = readFileSync(here.at("tide-reader.log"), "utf8");
    expect(hooked).toContain("ls docs");
    expect(hooked).not.toContain("git push");
    expect(readFileSync(here.at("ended.log"), "utf8")).toContain('"agent_id"');

    const netMender = last("net-task");
    expect(system(netMender)).toContain("YOU-MEND-NETS");
    expect(toolNames(netMender)).toEqual(["Read", "Edit"]);
    const [, noBash] = results(netMender);
    expect(noBash).toMatch(/Bash/);
    for (const { rawBody } of [main, tideReader, netMender])
      expect(rawBody).not.toContain("SECRET-OF-HARBOUR");
  });

  test("untrusted: what it says is read, and what would run or widen waits (A18.5)", {
    tags: ["long"],
  }, async () => {
    const here = richCheckout();
    const { code, err, last } = await run(here, everything(here), ["-p", "main-task"]);
    expect(code).toBe(0);
    expect(err).toContain("This directory is not trusted, so what its own settings allow or run is left out");
    const main = last("main-task");
    for (const words of MEMORY) expect(system(main)).toContain(words);
    expect(asked(main.body)).not.toContain("SAID-BY-A-HOOK");
    expect(toolNames(main).filter((name) => name.startsWith("mcp__"))).toEqual([]);
    const [env, forbidden, curl, secret, served, , version, , tide] = results(main);
    // It reads, so a confinement runs it; what the directory sets is not in its environment.
    expect(env).not.toContain("north");
    expect(forbidden).toContain("forbidden\\n");
    expect(curl).toContain("the rule Bash(curl:*) denies it");
    expect(secret).toContain("the rule Read(./data/secret.txt) denies it");
    expect(served).not.toContain("TONE-OF-HARBOUR");
    expect(main.rawBody).toContain(
      "NOTES-FOR v1 IN-A merry TONE. Log: [A command that belongs here was not run",
    );
    expect(version).toMatch(/needs the user's permission|v\d+\./);
    expect(tide).toContain("Done with tide-task.");
    const tideReader = last("tide-task");
    for (const words of ["YOU-READ-TIDES", "TIDES-TEXT", ...MEMORY])
      expect(system(tideReader)).toContain(words);
    expect(() => readFileSync(here.at("tide-reader.log"))).toThrow();
    expect(() => readFileSync(here.at("ended.log"))).toThrow();
  });

  test("a fan-out does it for every agent, and calls what a slash names", { tags: ["long"] }, async () => {
    const here = richCheckout();
    const script: Script = {
      "first-task": [[read(here.at("data/open.txt"))]],
      "SHIP it now": [[bash("ls data")]],
    };
    const flags = ["--agent", "tide-reader", "--trust", "--json"];
    const fanned = await run(here, script, ["fanout", ...flags, "first-task", "/ship it now"]);
    expect({ code: fanned.code, err: fanned.err }).toMatchObject({ code: 0 });
    expect(fanned.json()).toMatchObject({
      results: [
        { status: "done", summary: expect.stringContaining("Done with first-task.") },
        { status: "done", summary: expect.stringContaining("Done with SHIP it now.") },
      ],
    });
    for (const task of ["first-task", "SHIP it now"]) {
      for (const words of ["YOU-READ-TIDES", "TIDES-TEXT", ...MEMORY])
        expect(system(fanned.last(task))).toContain(words);
      expect(toolNames(fanned.last(task))).toContain("mcp__files__list_directory");
    }
    expect(results(fanned.last("first-task"))[0]).toContain("OPEN-TO-ALL");
    const shipped = fanned.last("SHIP it now");
    expect(asked(shipped.body)).toContain("SHIP it now by @docs/tone.md, status: ");
    expect(asked(shipped.body)).toContain("1\\tTONE-OF-HARBOUR");
    expect(fanned.server.requests).toHaveLength(4);
  });
});
