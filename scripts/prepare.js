// npm runs this after `npm ci` and before packing. Plain JavaScript: where the development dependencies are
// left out there is no Node 24 either, and an older one cannot run the build's TypeScript.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const NEEDED = 24;
const root = new URL("../", import.meta.url);

if (!existsSync(new URL("node_modules/rolldown", root))) {
  console.log("troupe: dist/ is not built, because the development dependencies are not installed.");
} else if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  console.error(
    `troupe: the build needs Node ${NEEDED}, and Node ${process.versions.node} runs it. The development ` +
      "dependency `node` brings the right one, if npm may run its install script: npm rebuild node",
  );
  process.exitCode = 1;
} else {
  const build = spawnSync(process.execPath, ["scripts/build.ts"], { cwd: root, stdio: "inherit" });
  process.exitCode = build.status ?? 1;
}
