/** Calls the file tools on what this user may not touch, and prints what each said. Run by bad-input.test.ts. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { startProcesses } from "../../src/processes/client.ts";
import { agentTools } from "../../src/tools/index.ts";
import { ReadLedger } from "../../src/tools/read-ledger.ts";
import { TodoList } from "../../src/tools/todo-list.ts";
import type { AgentCallContext } from "../../src/tools/tool.ts";

const [, , root = ""] = process.argv;
const path = (...parts: string[]) => join(root, ...parts);
const notebook =
  '{"nbformat":4,"nbformat_minor":4,"metadata":{},"cells":[{"cell_type":"raw","metadata":{},"source":"one"}]}';
for (const folder of ["shut", "fixed"]) mkdirSync(path(folder));
for (const name of ["open.txt", "secret", "fixed.txt", "shut/a.txt", "fixed/a.txt"])
  writeFileSync(path(name), "one");
writeFileSync(path("fixed.ipynb"), notebook);

const processes = startProcesses({ env: process.env });
const context: AgentCallContext = {
  hidden: async () => new Set(),
  ...{ call: callId(MAIN, 1, 0), actor: MAIN, cwd: root, root, additionalDirs: [], lastWriters: [] },
  ...{ signal: new AbortController().signal, clock: systemClock },
  ...{ reads: new ReadLedger(), todo: new TodoList([]) },
  run: (request) => processes.run({ ...request, owner: MAIN }),
  command: () => Promise.reject(new Error("not here")),
  background: () => Promise.reject(new Error("not here")),
  ran() {},
  changeDirectory() {},
};

async function call(name: string, input: unknown): Promise<string> {
  const ready = agentTools.find((tool) => tool.name === name)?.prepare(input);
  if (ready?.type !== "ready") return `no call: ${ready?.message}`;
  return String((await ready.call(context)).content);
}

for (const file_path of ["secret", "fixed.txt", "fixed.ipynb", "fixed/a.txt"].map((name) => path(name)))
  await call("Read", { file_path });
chmodSync(path("secret"), 0);
chmodSync(path("fixed.txt"), 0o444);
chmodSync(path("fixed.ipynb"), 0o444);
chmodSync(path("fixed"), 0o555);
chmodSync(path("shut"), 0);
const edit = { old_string: "one", new_string: "two" };
const said = {
  "Read secret": await call("Read", { file_path: path("secret") }),
  "Read in a closed folder": await call("Read", { file_path: path("shut/a.txt") }),
  "Edit secret": await call("Edit", { file_path: path("secret"), ...edit }),
  "Edit read-only": await call("Edit", { file_path: path("fixed.txt"), ...edit }),
  "Edit in a read-only folder": await call("Edit", { file_path: path("fixed/a.txt"), ...edit }),
  "Write read-only": await call("Write", { file_path: path("fixed.txt"), content: "two" }),
  "Write in a closed folder": await call("Write", { file_path: path("shut/b.txt"), content: "two" }),
  "NotebookEdit read-only": await call("NotebookEdit", {
    ...{ notebook_path: path("fixed.ipynb"), cell_id: "cell-1", new_source: "two" },
  }),
  Glob: await call("Glob", { pattern: "**/*", path: root }),
  Grep: await call("Grep", { pattern: "one", path: root }),
  "Grep secret": await call("Grep", { pattern: "one", path: path("secret") }),
};
for (const folder of ["shut", "fixed"]) chmodSync(path(folder), 0o755);
await processes.close();
console.log(JSON.stringify(said));
