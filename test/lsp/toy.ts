import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import type { LanguageServer } from "../../src/lsp/find-servers.ts";
import { openLanguages } from "../../src/lsp/open-languages.ts";
import type { Detail } from "../../src/lsp/show.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { startProcesses } from "../../src/processes/client.ts";
import type { LanguageQuestion } from "../../src/tools/lsp.ts";
import { temporaryFolder } from "../support/temporary.ts";

const TOY = fileURLToPath(new URL("./servers/toy-server.mjs", import.meta.url));

export interface Said {
  readonly method?: string;
  readonly params?: unknown;
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly pid?: number;
  readonly cwd?: string;
}

export interface ToyOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly clock?: Clock;
  readonly files?: Readonly<Record<string, string>>;
  readonly root?: string;
  readonly sightOf?: (path: string) => Detail;
}

/** A session's language servers with one that behaves as asked, for files that end in `.toy`. */
export function toy(behaviour: string, options: ToyOptions = {}) {
  const { env = {}, settings = {}, clock = systemClock, files = {} } = options;
  const root = options.root ?? temporaryFolder();
  const log = join(temporaryFolder(), "log.jsonl");
  for (const [path, text] of Object.entries({ "a.toy": "first line\nsecond line\n", ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const server: LanguageServer = {
    ...{ language: "toy", name: "toy-server", origin: "machine", digest: "", settings },
    ...{ file: process.execPath, args: [TOY, behaviour], endings: { ".toy": "toy" } },
    env: { TOY_LOG: log, ...env },
  };
  const processes = startProcesses({ env: { PATH: process.env["PATH"] } });
  let ids = 0;
  const { servers, service } = openLanguages({
    ...{ servers: [server], unserved: [], processes, clock, pid: process.pid },
    newId: () => `t${ids++}`,
    rootOf: () => root,
    sightOf: () => options.sightOf ?? (() => "text"),
  });
  onTestFinished(async () => {
    await servers.close();
    await processes.close();
  });
  return {
    ...{ root, servers, processes },
    ask(
      question: Partial<LanguageQuestion> & Pick<LanguageQuestion, "operation">,
      signal: AbortSignal = new AbortController().signal,
    ) {
      const place = { file: join(root, "a.toy"), line: null, character: null, query: null };
      return service.ask({ ...place, ...question }, { actor: MAIN, cwd: root, signal });
    },
    /** What the server was told, and its answers. */
    said: (): Said[] =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .trim()
            .split("\n")
            .map((line): Said => JSON.parse(line))
        : [],
  };
}
