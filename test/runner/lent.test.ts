// @module-tag long
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFleetKey } from "../../src/engine/fleet-key.ts";
import { errorCode } from "../../src/lib/errors.ts";
import { Session } from "../../src/library/session.ts";
import { startRedis, whyNoRedis } from "../support/engine-servers.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { startMessagesServer } from "../support/messages-server.ts";
import { unless } from "../support/needs.ts";
import { startRunnerProcess } from "../support/runner-process.ts";
import { temporaryFolder } from "../support/temporary.ts";

const SECRET = "sk-lent-5f0a7c31e9";

/** A session whose model's server wants its key, and a runner without any. */
async function openFleet(credentials: "lend" | "runner") {
  const redis = await startRedis();
  const home = temporaryFolder();
  const key = join(home, "fleet-key");
  await createFleetKey(key);
  const found: string[] = [];
  const model = await startMessagesServer(({ headers, body }) => {
    if (headers["x-api-key"] !== SECRET)
      return { status: 401, body: '{"type":"error","error":{"type":"authentication_error","message":"no"}}' };
    found.push(...processesWith(SECRET));
    const isFirst = body.messages.every(({ role }) => role !== "assistant");
    return isFirst
      ? { calls: [{ name: "Bash", input: { command: "env; cat /proc/self/environ", description: "look" } }] }
      : { text: "looked around" };
  });
  onTestFinished(async () => {
    await model.close();
    await redis.close();
  });
  const runner = await startRunnerProcess(redis.url, home, { args: ["--name", "keyless"] });
  const { folder: cwd } = await repositoryWith({ "a.txt": "hello\n" });
  const session = new Session({
    ...{ cwd, home: temporaryFolder() },
    model: { provider: "anthropic", apiKey: SECRET, baseURL: model.url },
    permissions: { allowedTools: ["Bash"] },
    runners: { engine: redis.url, key, pool: "default", credentials },
  });
  onTestFinished(() => session.close());
  return { session, model, runner, home, found };
}

/** Returns the processes whose environment or arguments have a text in them. */
function processesWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) =>
      ["environ", "cmdline"]
        .map((file) => `/proc/${pid}/${file}`)
        .filter((path) => readable(path).includes(text)),
    );
}

/** Returns the files below a directory that have a text in them. What other tests remove in the meantime has none. */
function filesWith(dir: string, text: string): string[] {
  return entriesIn(dir).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return filesWith(path, text);
    return entry.isFile() && readable(path).includes(text) ? [path] : [];
  });
}

function entriesIn(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function readable(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

describe("credentials of a model", unless(whyNoRedis), () => {
  it("are lent to a runner that has none, for an attempt, and are in no file, log or environment of it", async () => {
    const { session, model, runner, home, found } = await openFleet("lend");
    const { summary } = await session.spawn({ type: "general-purpose", prompt: "look around" });
    expect(summary).toMatchObject({ status: "done", text: "looked around" });
    expect(model.requests.length).toBe(2);
    expect(JSON.stringify(model.requests.at(-1)?.body)).not.toContain(SECRET);
    expect(found).toEqual([]);
    expect(runner.said()).not.toContain(SECRET);
    expect(filesWith(home, SECRET)).toEqual([]);
    expect(filesWith("/var/tmp/troupe", SECRET)).toEqual([]);
    expect(session.usage().usage.input_tokens).toBeGreaterThan(0);
  });

  it("stay with the session unless it lends them", async () => {
    const { session, model } = await openFleet("runner");
    await session.spawn({ prompt: "where is hello?" });
    expect(model.requests.length).toBe(0);
  });
});
