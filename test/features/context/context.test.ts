// @module-tag long
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { Script } from "../../../src/model/scripted.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { resumeSession } from "../../../src/session/resume-session.ts";
import { Supervisor } from "../../../src/session/supervisor.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { emptyRepository } from "../../support/git-repository.ts";
import { inThreadHost } from "../../support/in-thread-host.ts";
import { type RequestBody, startMessagesServer } from "../../support/messages-server.ts";
import { seededScheduler } from "../../support/scheduler.ts";
import { seeded, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const nowhere = join(import.meta.dirname, "no-such-folder");

function contextIn(homedir = nowhere): NonNullable<SupervisorOptions["context"]> {
  return {
    memory: {
      ...userPlaces({}, homedir),
      home: join(homedir, ".troupe"),
      managed: nowhere,
      trusted: () => false,
    },
    surroundings: true,
  };
}

const textOf = ({ messages }: Pick<ModelRequest, "messages">) => JSON.stringify(messages);
const call = (name: string, input: unknown) => ({ calls: [{ name, input }] });
const read = (path: string) => call("Read", { file_path: path });

describe("over the wire", () => {
  async function session(
    files: Readonly<Record<string, string>>,
    reply: (body: RequestBody, n: number) => object,
  ) {
    const server = await startMessagesServer(({ body, n }) => reply(body, n));
    onTestFinished(() => server.close());
    const { supervisor, cwd } = supervised("in-thread", [], {
      files,
      context: contextIn(),
      source: { provider: "anthropic", apiKey: "key", baseURL: server.url },
    });
    const bodies = () => server.requests.map(({ body }) => body);
    return { supervisor, cwd, bodies };
  }
  const says = ({ messages }: RequestBody) => JSON.stringify(messages);

  test("tells an agent nothing that its first message already says, and never that memory or skills are gone", async () => {
    const { supervisor, cwd, bodies } = await session(
      { "CLAUDE.md": "Use tabs here.", "src/CLAUDE.md": "Nearby.", "src/a.ts": "1\n" },
      (_, n) =>
        n === 0
          ? { calls: [{ name: "Read", input: { file_path: join(cwd, "src/a.ts") } }] }
          : { text: "Found." },
    );
    await supervisor.spawn({ type: "general-purpose", prompt: "Look." });
    const texts = bodies().map((body) => JSON.stringify(body));
    expect(texts).toHaveLength(2);
    expect(texts[0]).toContain("Use tabs here.");
    expect(texts[1]).toContain("Nearby.");
    for (const text of texts) expect(text).not.toMatch(/skills are no longer|memory file [^ ]+ was deleted/);
  });

  test("the parts are in their order, what is stable before what changes (A2.1, A2.3)", async () => {
    const { supervisor, cwd, bodies } = await session({ "CLAUDE.md": "Use tabs here." }, () => ({
      text: "Yes.",
    }));
    await supervisor.prompt("what is this?");
    const [body] = bodies();
    const system = body?.system?.map(({ text }) => text) ?? [];
    expect(system).toHaveLength(3);
    expect(system[0]).toMatch(/^You are Troupe/);
    expect(system[1]).toMatch(
      new RegExp(`^Environment\nWorking directory: ${cwd}\n[\\s\\S]*Platform: [\\s\\S]*Model: `),
    );
    expect(system[2]).toMatch(
      /^Memory\n[\s\S]*<memory-file path="[^"]*CLAUDE\.md" of="the project">\nUse tabs here\./,
    );
    expect(body?.tools?.map(({ name }) => name)).toContain("Read");
    const [first, prompt] = textsIn(body);
    expect(first).toMatch(
      /^<system-reminder>\nToday's date is \d{4}-\d\d-\d\d\.\n\nPermission mode: default\.[^\n]*\n\nNo user can be asked[^\n]*\n<\/system-reminder>$/,
    );
    expect(prompt).toBe("what is this?");
    expect(JSON.stringify(body?.system)).not.toMatch(/\d{4}-\d\d-\d\d/);
  });

  test("a changed CLAUDE.md arrives at the next turn, attached; the prefix stays as it was, byte for byte (A2.6, A22.20)", async () => {
    const { supervisor, cwd, bodies } = await session({ "CLAUDE.md": "Use tabs.", "a.txt": "a" }, (_, n) => {
      if (n === 1) writeFileSync(join(cwd, "CLAUDE.md"), "Use spaces.");
      return n === 0 || n === 1 ? read(join(cwd, "a.txt")) : { text: "Done." };
    });
    await supervisor.prompt("look");
    rmSync(join(cwd, "CLAUDE.md"));
    await supervisor.prompt("again");
    await supervisor.prompt("and again");
    const all = bodies();
    expect(all).toHaveLength(5);
    const stable = ({ system, tools }: RequestBody) => JSON.stringify({ system, tools });
    expect(new Set(all.map(stable)).size).toBe(1);
    // What was said once stays as it was said.
    const texts = all.map(withoutMarks);
    for (const [n, text] of texts.slice(1).entries())
      expect(text.startsWith((texts[n] ?? text).slice(0, -3))).toBe(true);
    expect(says(all[1] as RequestBody)).not.toContain("Use spaces.");
    expect(says(all[2] as RequestBody)).toContain("Use spaces.");
    expect(says(all[2] as RequestBody).match(/Use spaces\./g)).toHaveLength(1);
    expect(says(all[3] as RequestBody)).toMatch(/The memory file [^ ]*CLAUDE\.md was deleted/);
    expect(says(all[4] as RequestBody).match(/was deleted/g)).toHaveLength(1);
  });

  test("agents of a type begin with the same bytes; Explore and Plan see no memory, others do", async () => {
    const { supervisor, bodies } = await session({ "CLAUDE.md": "Use tabs." }, () => ({ text: "Found it." }));
    for (const type of ["general-purpose", "general-purpose", "Explore", "Explore", "Plan"])
      await supervisor.spawn({ type, prompt: "find it" });
    const stable = bodies().map(({ system, tools }) => JSON.stringify({ system, tools }));
    expect(stable[0]).toBe(stable[1]);
    expect(stable[2]).toBe(stable[3]);
    expect(stable.map((text) => text.includes("Use tabs."))).toEqual([true, true, false, false, false]);
  });
});

/** Of the first message. */
function textsIn(body: RequestBody | undefined): string[] {
  const content = body?.messages[0]?.content ?? "";
  return typeof content === "string" ? [content] : content.map((block) => String(block["text"]));
}

/** Breakpoints move; text alone is a block like any other. */
function withoutMarks({ messages }: RequestBody): string {
  const bare = messages.map(({ role, content }) => ({
    role,
    content: (typeof content === "string" ? [{ type: "text", text: content }] : content).map(
      ({ cache_control: _, ...block }) => block,
    ),
  }));
  return JSON.stringify(bare);
}

test("user and project memory are in every request, also after the conversation was made shorter; so is what was changed before (A18.5)", async () => {
  const homedir = temporaryFolder();
  const home = join(homedir, ".claude");
  mkdirSync(home);
  writeFileSync(join(home, "CLAUDE.md"), "of the person");
  const { supervisor, model, cwd } = supervised(
    "in-thread",
    (request) => ({
      text: textOf(request).includes("Write under these headings") ? "Notes." : "Done. ".repeat(300),
    }),
    { context: contextIn(homedir), files: { "CLAUDE.md": "of the project", "AGENTS.md": "for agents" } },
  );
  await supervisor.prompt("one");
  writeFileSync(join(cwd, "AGENTS.md"), "for agents, newly");
  await supervisor.prompt("two");
  await supervisor.prompt("three");
  await supervisor.prompt("four");
  expect(await supervisor.compact(MAIN)).toMatchObject({ type: "compacted" });
  await supervisor.prompt("five");
  for (const { system } of model.requests) {
    const [, , memory = ""] = system;
    expect(memory.indexOf("of the person")).toBeGreaterThan(0);
    expect(memory.indexOf("of the project")).toBeGreaterThan(memory.indexOf("of the person"));
    expect(memory).toContain("for agents");
  }
  const last = model.requests.at(-1);
  expect(last && textOf(last)).toContain("Notes.");
  expect(last && textOf(last).match(/for agents, newly/g)).toHaveLength(1);
});

test("a resumed session knows what was announced, and announces what has changed since (A22.20)", async () => {
  const script: Script = () => ({ text: "Done." });
  const first = supervised("in-thread", script, { context: contextIn(), files: { "CLAUDE.md": "one" } });
  await first.supervisor.prompt("a");
  writeFileSync(join(first.cwd, "CLAUDE.md"), "two");
  await first.supervisor.prompt("b");
  await first.supervisor.close();
  const again = async () => {
    const { cwd, home } = first;
    const found = await resumeSession({ home, cwd, session: "latest" });
    if (found.type === "refused") throw new Error(found.reason);
    const { model } = first;
    const source = { provider: "client", client: model } as const;
    const host = inThreadHost(seededScheduler(seeded(11)));
    const supervisor = new Supervisor({
      cwd,
      home,
      source,
      context: contextIn(),
      host,
      resume: found.session,
    });
    onTestFinished(() => supervisor.close());
    return supervisor;
  };
  const second = await again();
  await second.prompt("c");
  const unchanged = first.model.requests.at(-1);
  expect(unchanged && textOf(unchanged).match(/<memory-file/g)).toHaveLength(1);
  await second.close();
  writeFileSync(join(first.cwd, "CLAUDE.md"), "three");
  const third = await again();
  await third.prompt("d");
  const changed = first.model.requests.at(-1);
  expect(changed && textOf(changed).match(/<memory-file/g)).toHaveLength(2);
  expect(changed && textOf(changed)).toContain("three");
  expect(changed?.system).toEqual(first.model.requests[0]?.system);
});

test("git status comes with a prompt if it has changed, and never outside a repository (A2.3)", async () => {
  const repository = await emptyRepository();
  repository.write({ "a.txt": "a" });
  await repository.commit("begin");
  const { supervisor, model } = supervised("in-thread", () => ({ text: "Done." }), {
    cwd: repository.folder,
    context: contextIn(),
  });
  await supervisor.prompt("one");
  await supervisor.prompt("two");
  writeFileSync(join(repository.folder, "new.txt"), "");
  await supervisor.prompt("three");
  const counts = model.requests.map((request) => textOf(request).match(/Git status of/g)?.length);
  expect(counts).toEqual([1, 1, 2]);
  const last = model.requests.at(-1);
  expect(last && textOf(last)).toMatch(/Branch: \w+[^"]*\?\? new\.txt/);
  const outside = supervised("in-thread", () => ({ text: "Done." }), { context: contextIn() });
  await outside.supervisor.prompt("one");
  const [request] = outside.model.requests;
  expect(request && textOf(request)).not.toContain("Git status");
});

test("does not run git without trust in what it would run", async () => {
  const repository = await emptyRepository();
  repository.write({ "a.txt": "a" });
  await repository.commit("begin");
  const { supervisor, model } = supervised("in-thread", () => ({ text: "Done." }), {
    cwd: repository.folder,
    context: contextIn(),
    foreignGit: () => "it would run something",
  });
  await supervisor.prompt("one");
  const [request] = model.requests;
  expect(request && textOf(request)).not.toContain("Git status");
});

test("a file that the prompt names is attached as Read would show it, and may be edited immediately (A2.8)", async () => {
  const { supervisor, model, cwd } = supervised(
    "in-thread",
    (request) =>
      textOf(request).includes("has been updated") || request.messages.length > 3
        ? { text: "Done." }
        : call("Edit", {
            file_path: join(cwd, "a.txt"),
            old_string: "second",
            new_string: "2nd",
          }),
    {
      context: contextIn(),
      permissionMode: "acceptEdits",
      files: { "a.txt": "first\nsecond\n", "b.txt": "b\n", "canary.txt": "CANARY" },
    },
  );
  await supervisor.prompt("change @a.txt please");
  const [first] = model.requests;
  expect(first && textOf(first)).toContain("1\\tfirst\\n2\\tsecond");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("first\n2nd\n");
  // Taint: nothing of a file that nobody named is in any request (A2.7).
  await supervisor.prompt("and @b.txt? And @/etc/passwd, @missing.txt and me@a.txt?");
  const last = model.requests.at(-1);
  expect(last && textOf(last)).toContain("1\\tb");
  expect(model.requests.map(textOf).join()).not.toMatch(/CANARY|root:/);
});

test("sends an image that a prompt names as a block of its message, the first time and later (A2.8)", async () => {
  const { supervisor, model, cwd } = supervised("in-thread", () => ({ text: "Seen." }), {
    context: contextIn(),
  });
  writeFileSync(join(cwd, "a.gif"), "GIF89a one");
  writeFileSync(join(cwd, "b.gif"), "GIF89a two");
  await supervisor.prompt("what is on @a.gif?");
  await supervisor.prompt("and on @b.gif?");
  const pictures = model.requests.map(({ messages }) =>
    messages.flatMap(({ content }) =>
      typeof content === "string" ? [] : content.flatMap((block) => (block.type === "image" ? [block] : [])),
    ),
  );
  expect(pictures.map(({ length }) => length)).toEqual([1, 2]);
  expect(pictures[1]?.[0]).toEqual(pictures[0]?.[0]);
});

test("without context options nothing is read and nothing is attached", async () => {
  const { supervisor, model } = supervised("in-thread", () => ({ text: "Done." }), {
    files: { "CLAUDE.md": "Use tabs." },
  });
  await supervisor.prompt("look at @CLAUDE.md");
  expect(model.requests[0]?.messages).toEqual([{ role: "user", content: "look at @CLAUDE.md" }]);
  expect(JSON.stringify(model.requests)).not.toContain("Use tabs.");
});
