import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { systemClock } from "../src/lib/clock.ts";
import { answerServer, initializeParams } from "../src/lsp/client-side.ts";
import { uriOf } from "../src/lsp/documents.ts";
import { findLanguageServers, type LanguageServer } from "../src/lsp/find-servers.ts";
import { openLanguages } from "../src/lsp/open-languages.ts";
import { MAIN } from "../src/mailbox/ids.ts";
import { startProcesses } from "../src/processes/client.ts";
import { onFreshGround, root as repository } from "./folders.ts";
import { type BenchOptions, type BenchResult, timesFloor } from "./result.ts";
import { interleaved, median, p95 } from "./samples.ts";

const files: Readonly<Record<string, string>> = {
  "tsconfig.json": '{ "compilerOptions": { "types": [] } }',
  "main.ts": 'import { side } from "./shape";\nexport const area = side() ** 2;\n',
  "shape.ts": "export function side(): number {\n  return 2;\n}\n",
  "pyproject.toml": "",
  "main.py": "from shape import side\narea = side() ** 2\n",
  "shape.py": "def side() -> int:\n    return 2\n",
};

const places: Readonly<
  Record<string, { readonly file: string; readonly line: number; readonly character: number }>
> = {
  typescript: { file: "main.ts", line: 2, character: 21 },
  python: { file: "main.py", line: 2, character: 8 },
};

const older = join(repository, "test/fixtures/typescript-6/node_modules/typescript");
const packages = join(repository, "node_modules");
const setups: readonly { readonly language: string; readonly links: Readonly<Record<string, string>> }[] = [
  {
    language: "typescript",
    links: {
      typescript: older,
      ".bin/typescript-language-server": join(packages, "typescript-language-server/lib/cli.mjs"),
    },
  },
  {
    language: "typescript",
    links: { typescript: join(packages, "typescript"), ".bin/tsc": join(packages, "typescript/bin/tsc") },
  },
  { language: "python", links: { ".bin/pyright-langserver": join(packages, "pyright/langserver.index.js") } },
];

/** A definition by the service that agents ask, and by a bare request to a server of its own on pipes of its own. */
export async function run(options: BenchOptions): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const setup of setups)
    results.push(...(await onFreshGround(({ cwd }) => measure(cwd, setup, options))));
  return results;
}

async function measure(
  cwd: string,
  { language, links }: (typeof setups)[number],
  { quick }: BenchOptions,
): Promise<BenchResult[]> {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(cwd, path), text);
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(cwd, "node_modules", path)), { recursive: true });
    symlinkSync(target, join(cwd, "node_modules", path));
  }
  const { servers } = await findLanguageServers({ root: cwd, path: "", setting: {} });
  const server = servers.find((one) => one.language === language);
  const place = places[language];
  if (server === undefined || place === undefined) throw new Error(`There is no server for ${language}.`);
  const file = join(cwd, place.file);
  const processes = startProcesses({ env: { PATH: process.env["PATH"] } });
  let ids = 0;
  const { servers: pool, service } = openLanguages({
    ...{ servers, unserved: [], processes, clock: systemClock, pid: process.pid, newId: () => `b${ids++}` },
    ...{ rootOf: () => cwd, sightOf: () => () => "text" as const },
  });
  const bare = await bareServer(server, cwd, file);
  try {
    const { signal } = new AbortController();
    const question = { operation: "goToDefinition" as const, ...place, file, query: null };
    const ours = async () => {
      const answer = await service.ask(question, { actor: MAIN, cwd, signal });
      if (answer.type === "failed" || !answer.text.startsWith("shape."))
        throw new Error(JSON.stringify(answer));
    };
    const floor = () => bare.define(place.line - 1, place.character - 1);
    for (let warm = 0; warm < 50; warm += 1) {
      await ours();
      await floor();
    }
    const samples = await interleaved(quick ? 300 : 2_000, { ours: timed(ours), floor: timed(floor) });
    return [
      {
        name: `goToDefinition on a warm ${server.name}`,
        unit: "ms",
        ours: median(samples.ours),
        floor: median(samples.floor),
        target: timesFloor(1.2),
        note: `${p95(samples.ours)}; floor: the bare request, ${p95(samples.floor)}`,
      },
    ];
  } finally {
    await pool.close();
    await processes.close();
    await bare.close();
  }
}

function timed(work: () => Promise<unknown>): () => Promise<number> {
  return async () => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
}

async function bareServer(server: LanguageServer, cwd: string, file: string) {
  const child = spawn(server.file, [...server.args], { cwd, stdio: ["pipe", "pipe", "ignore"] });
  const rpc = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  // As Troupe answers, without its settings.
  rpc.onRequest((method, params) => answerServer(method, params, { root: cwd, settings: {} }));
  rpc.listen();
  await rpc.sendRequest("initialize", initializeParams(server, cwd, process.pid));
  await rpc.sendNotification("initialized", {});
  const text = readFileSync(file, "utf8");
  const languageId = server.language;
  const textDocument = { uri: uriOf(file), languageId, version: 1, text };
  await rpc.sendNotification("textDocument/didOpen", { textDocument });
  return {
    define: (line: number, character: number) =>
      rpc.sendRequest("textDocument/definition", {
        textDocument: { uri: uriOf(file) },
        position: { line, character },
      }),
    async close() {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
      rpc.dispose();
    },
  };
}
