import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { needRunnerTrees } from "./runner-trees.ts";

const SOURCES = join(import.meta.dirname, "../../src/cli/run-sources.ts");

export interface RunnerProcess {
  readonly child: ChildProcess;
  /** What it has said so far. */
  said(): string;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Starts `troupe runner` as a process, in a home of its own, and waits until it takes agents. The test ends it. */
export async function startRunnerProcess(
  url: string,
  home: string,
  {
    args = ["--offline"],
    env = {},
  }: { args?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
): Promise<RunnerProcess> {
  needRunnerTrees();
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = spawn(process.execPath, [SOURCES, "runner", "--engine", url, ...args], {
    env: { PATH, NODE_COMPILE_CACHE, HOME: home, TROUPE_HOME: home, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const kill = async () => {
    child.kill("SIGKILL");
    await gone;
  };
  onTestFinished(kill);
  await vi
    .waitUntil(() => /^runner .* slots/m.test(said), { timeout: 30_000 })
    .catch(() => {
      throw new Error(`The runner did not start: ${said}`);
    });
  return { child, said: () => said, kill };
}
