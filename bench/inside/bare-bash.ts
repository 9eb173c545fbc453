import { spawn } from "node:child_process";

/** Runs `bash -c true` and hears what it says, whenever it is told to, in a process that does nothing else. */
process.on("message", () => {
  const began = performance.now();
  const args = ["--noprofile", "--norc", "-c", "true"];
  const bash = spawn("/bin/bash", args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [bash.stdout, bash.stderr])
    stream.setEncoding("utf8").on("data", (text) => (said += text));
  bash.once("close", () => process.send?.(performance.now() - began));
});
