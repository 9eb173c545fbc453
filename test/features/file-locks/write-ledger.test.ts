import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WriteLedger } from "../../../src/features/file-locks/index.ts";
import { ActorId, callId } from "../../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import { everyDayHosts, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const writer = (name: string) => ({ actor: ActorId.parse(name), description: `the work of ${name}` });
const [ann, bob] = [writer("ann0"), writer("bob0")];
const call = ({ actor }: typeof ann, turn = 1) => callId(actor, turn, 0);
const { signal } = new AbortController();

/** Whether it is answered, now that others, who asked later for other paths, have been. */
async function isAnswered(ledger: WriteLedger, promise: Promise<unknown>): Promise<boolean> {
  let answered = false;
  void promise.then(() => {
    answered = true;
  });
  const other = writer("fence");
  for (let turn = 1; turn <= 3; turn += 1) {
    await ledger.hold(call(other, turn), other, [`/fence/${turn}`], signal);
    ledger.release(call(other, turn), other.actor, false);
  }
  return answered;
}

describe("gives a path to one call at a time", () => {
  test("lets the next one wait, and reports the last writer", async () => {
    const ledger = new WriteLedger();
    expect(await ledger.hold(call(ann), ann, ["/x/a"], signal)).toEqual([]);
    const waiting = ledger.hold(call(bob), bob, ["/x/a"], signal);
    expect(await ledger.hold(call(bob, 2), bob, ["/x/b"], signal)).toEqual([]);
    expect(await isAnswered(ledger, waiting)).toBe(false);
    ledger.release(call(ann), ann.actor, true);
    expect(await waiting).toEqual([{ path: "/x/a", ...ann }]);
  });

  test("under every name of it", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "real/a"), "");
    symlinkSync(join(folder, "real"), join(folder, "link"));
    const ledger = new WriteLedger();
    await ledger.hold(call(ann), ann, [join(folder, "link/a"), join(folder, "real/a")], signal);
    const waiting = ledger.hold(call(bob), bob, [join(folder, "real/../link/a")], signal);
    expect(await isAnswered(ledger, waiting)).toBe(false);
    ledger.release(call(ann), ann.actor, true);
    expect(await waiting).toEqual([{ path: join(folder, "real/a"), ...ann }]);
  });

  test("a call that failed wrote nothing; an agent that ended in the middle may have written", async () => {
    const ledger = new WriteLedger();
    await ledger.hold(call(ann), ann, ["/x/a"], signal);
    ledger.release(call(ann), ann.actor, false);
    expect(await ledger.hold(call(bob), bob, ["/x/a"], signal)).toEqual([]);
    ledger.releaseAll(ann.actor);
    const waiting = ledger.hold(call(ann, 2), ann, ["/x/a"], signal);
    expect(await isAnswered(ledger, waiting)).toBe(false);
    ledger.releaseAll(bob.actor);
    expect(await waiting).toEqual([{ path: "/x/a", ...bob }]);
    ledger.release(call(ann, 2), ann.actor, true);
    expect(await ledger.hold(call(ann, 3), ann, ["/x/a"], signal)).toEqual([]);
  });

  test("releases no other agent's", async () => {
    const ledger = new WriteLedger();
    await ledger.hold(call(ann), ann, ["/x/a"], signal);
    ledger.release(call(ann), bob.actor, true);
    const stop = new AbortController();
    const waiting = ledger.hold(call(bob), bob, ["/x/a"], stop.signal);
    expect(await isAnswered(ledger, waiting)).toBe(false);
    stop.abort();
    expect(await waiting).toBeNull();
    ledger.release(call(ann), ann.actor, true);
    expect(await ledger.hold(call(ann, 2), ann, ["/x/a"], signal)).toEqual([]);
  });

  test("property: whatever the paths and the order, every agent gets its turn, and no two have a path", async () => {
    const wish = fc.uniqueArray(fc.constantFrom("/x/a", "/x/b", "/x/c"), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(wish, { maxLength: 8 }), async (scheduler, wishes) => {
        const ledger = new WriteLedger();
        const held = new Set<string>();
        const work = async (paths: string[], at: number) => {
          const who = writer(`agent${at}`);
          await scheduler.schedule(Promise.resolve());
          await ledger.hold(call(who), who, paths, signal);
          for (const path of paths) expect(held.has(path)).toBe(false);
          for (const path of paths) held.add(path);
          await scheduler.schedule(Promise.resolve());
          for (const path of paths) held.delete(path);
          ledger.release(call(who), who.actor, true);
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
