import { spawn } from "node:child_process";
import type { BareRun, BareSpawn } from "../bare-spawn.ts";

/** Runs a program and hears what it says, whenever it is told to, in a process that does nothing else. */
process.on("message", ({ file, args, cwd }: BareSpawn) => {
  const began = performance.now();
  const child = spawn(file, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (said += text));
  child.once("close", () => process.send?.({ ms: performance.now() - began, said } satisfies BareRun));
});
