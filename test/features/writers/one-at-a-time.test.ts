import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LastWriter } from "../../../src/mailbox/calls.ts";
import { ActorId, type CallId, callId } from "../../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import { everyDayHosts, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { fileWriters } from "./writers.ts";

const writer = (name: string) => ({ actor: ActorId.parse(name), description: `the work of ${name}` });
const [ann, bob] = [writer("ann0"), writer("bob0")];
const call = ({ actor }: typeof ann, turn = 1) => callId(actor, turn, 0);
const { signal } = new AbortController();

/** The table, of which a call asks for paths: it gets the last writers, or null. */
function ledger() {
  const { writers } = fileWriters();
  return {
    async hold(
      id: CallId,
      who: typeof ann,
      paths: readonly string[],
      until: AbortSignal,
    ): Promise<readonly LastWriter[] | null> {
      const files = paths.map((path) => ({ repository: "", path, file: path }));
      const claim = await writers.claim({ ...who, call: id }, files, until);
      return claim?.type === "go" ? claim.lastWriters : null;
    },
    release: (id: CallId, actor: ActorId, wrote: boolean) => writers.release(id, actor, wrote),
    releaseAll: (actor: ActorId) => writers.ended(actor),
  };
}

/** Whether it is answered, now that others, who asked later for other paths, have been. */
async function isAnswered(table: ReturnType<typeof ledger>, promise: Promise<unknown>): Promise<boolean> {
  let answered = false;
  void promise.then(() => {
    answered = true;
  });
  const other = writer("fence");
  for (let turn = 1; turn <= 3; turn += 1) {
    await table.hold(call(other, turn), other, [`/fence/${turn}`], signal);
    table.release(call(other, turn), other.actor, false);
  }
  return answered;
}

describe("gives a path to one call at a time", () => {
  test("lets the next one wait, and reports the last writer", async () => {
    const table = ledger();
    expect(await table.hold(call(ann), ann, ["/x/a"], signal)).toEqual([]);
    const waiting = table.hold(call(bob), bob, ["/x/a"], signal);
    expect(await table.hold(call(bob, 2), bob, ["/x/b"], signal)).toEqual([]);
    expect(await isAnswered(table, waiting)).toBe(false);
    table.release(call(ann), ann.actor, true);
    expect(await waiting).toEqual([{ path: "/x/a", ...ann }]);
  });

  test("under every name of it", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "real/a"), "");
    symlinkSync(join(folder, "real"), join(folder, "link"));
    const table = ledger();
    await table.hold(call(ann), ann, [join(folder, "link/a"), join(folder, "real/a")], signal);
    const waiting = table.hold(call(bob), bob, [join(folder, "real/../link/a")], signal);
    expect(await isAnswered(table, waiting)).toBe(false);
    table.release(call(ann), ann.actor, true);
    expect(await waiting).toEqual([{ path: join(folder, "real/a"), ...ann }]);
  });

  test("a call that failed wrote nothing; an agent that ended in the middle may have written", async () => {
    const table = ledger();
    await table.hold(call(ann), ann, ["/x/a"], signal);
    table.release(call(ann), ann.actor, false);
    expect(await table.hold(call(bob), bob, ["/x/a"], signal)).toEqual([]);
    table.releaseAll(ann.actor);
    const waiting = table.hold(call(ann, 2), ann, ["/x/a"], signal);
    expect(await isAnswered(table, waiting)).toBe(false);
    table.releaseAll(bob.actor);
    expect(await waiting).toEqual([{ path: "/x/a", ...bob }]);
    table.release(call(ann, 2), ann.actor, true);
    expect(await table.hold(call(ann, 3), ann, ["/x/a"], signal)).toEqual([]);
  });

  test("releases no other agent's", async () => {
    const table = ledger();
    await table.hold(call(ann), ann, ["/x/a"], signal);
    table.release(call(ann), bob.actor, true);
    const stop = new AbortController();
    const waiting = table.hold(call(bob), bob, ["/x/a"], stop.signal);
    expect(await isAnswered(table, waiting)).toBe(false);
    stop.abort();
    expect(await waiting).toBeNull();
    table.release(call(ann), ann.actor, true);
    expect(await table.hold(call(ann, 2), ann, ["/x/a"], signal)).toEqual([]);
  });

  test("property: whatever the paths and the order, every agent gets its turn, and no two have a path", async () => {
    const wish = fc.uniqueArray(fc.constantFrom("/x/a", "/x/b", "/x/c"), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(wish, { maxLength: 8 }), async (scheduler, wishes) => {
        const table = ledger();
        const held = new Set<string>();
        const work = async (paths: string[], at: number) => {
          const who = writer(`agent${at}`);
          await scheduler.schedule(Promise.resolve());
          await table.hold(call(who), who, paths, signal);
          for (const path of paths) expect(held.has(path)).toBe(false);
          for (const path of paths) held.add(path);
          await scheduler.schedule(Promise.resolve());
          for (const path of paths) held.delete(path);
          table.release(call(who), who.actor, true);
        };
        const all = Promise.all(wishes.map(work));
        await scheduler.waitFor(all);
      }),
      { numRuns: 60, seed: 21 },
    );
  });
});

interface LastResult {
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
}

/** What the agent's last call was, and what came of it. */
function lastResult({ messages }: ModelRequest): LastResult | null {
  const [asked, answered] = messages.slice(-2);
  const use = Array.isArray(asked?.content)
    ? asked.content.find(({ type }) => type === "tool_use")
    : undefined;
  const result = Array.isArray(answered?.content) ? answered.content[0] : undefined;
  if (use?.type !== "tool_use" || result?.type !== "tool_result") return null;
  return { tool: use.name, text: JSON.stringify(result.content), isError: result.is_error === true };
}

describe.each(everyDayHosts)("agents in one checkout, %s", (host) => {
  test.each([2, 6])(
    "%i edit the same file together: no edit is lost, and the later ones learn by whom (A22.9, fault 47)",
    async (count) => {
      const names = Array.from({ length: count }, (_, n) => `line-${n}`);
      const told: string[] = [];
      let readers = 0;
      const allHaveRead = Promise.withResolvers<void>();
      let file_path = "";
      const { supervisor, cwd } = supervised(
        host,
        async (request) => {
          const name = String(request.messages[0]?.content);
          const last = lastResult(request);
          if (last?.tool === "Edit" && !last.isError) return { text: "done" };
          if (last?.tool === "Edit") told.push(last.text);
          if (last?.tool !== "Read") return { calls: [{ name: "Read", input: { file_path } }] };
          readers += 1;
          if (readers === count) allHaveRead.resolve();
          await allHaveRead.promise;
          return {
            calls: [
              { name: "Edit", input: { file_path, old_string: `${name}\n`, new_string: `${name} done\n` } },
            ],
          };
        },
        { permissionMode: "acceptEdits", files: { "shared.txt": `${names.join("\n")}\n` } },
      );
      file_path = join(cwd, "shared.txt");
      const results = await Promise.all(
        names.map((prompt) =>
          supervisor.spawn({ type: "general-purpose", prompt, description: `edit ${prompt}` }),
        ),
      );
      expect(results.map(({ summary }) => summary.status)).toEqual(names.map(() => "done"));
      expect(readFileSync(file_path, "utf8")).toBe(`${names.map((name) => `${name} done`).join("\n")}\n`);
      const ids = results.map(({ id }) => String(id));
      expect(told.length).toBeGreaterThanOrEqual(count - 1);
      for (const text of told) {
        const [, id = "", line] = /changed by another agent \((\w+), \\+"edit line-(\d+)/.exec(text) ?? [
          text,
        ];
        expect(ids[Number(line)]).toBe(id);
      }
    },
  );

  test("a Write over what another agent has made is refused until it was read", async () => {
    let file_path = "";
    const written = Promise.withResolvers<void>();
    const failures: string[] = [];
    const { supervisor, cwd } = supervised(
      host,
      async (request) => {
        const name = String(request.messages[0]?.content);
        const last = lastResult(request);
        if (last?.isError) failures.push(last.text);
        if (name === "first" && last) written.resolve();
        if (name === "second") await written.promise;
        if (last?.tool === "Write" && !last.isError) return { text: "done" };
        if (last?.isError) return { calls: [{ name: "Read", input: { file_path } }] };
        return { calls: [{ name: "Write", input: { file_path, content: `${last?.text ?? ""}${name}` } }] };
      },
      { permissionMode: "acceptEdits" },
    );
    file_path = join(cwd, "report.md");
    await Promise.all(
      ["first", "second"].map((prompt) =>
        supervisor.spawn({ type: "general-purpose", prompt, description: prompt }),
      ),
    );
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain("written by another agent");
    expect(readFileSync(file_path, "utf8")).toBe('"1\\tfirst"second');
  });
});
