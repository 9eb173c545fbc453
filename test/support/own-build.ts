import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const root = join(import.meta.dirname, "../..");
const PARTS = ["bin", "dist", "skills", "package.json"];

/** Tests start a copy of what was built when they began: a build in the same checkout takes nothing from under them. */
export default async function ownBuild(): Promise<void> {
  // Without a build, those that need one say so.
  if (!existsSync(join(root, "dist"))) return;
  const place = dirname(process.env["TROUPE_HOME"] ?? "");
  for (let left = 50; !isCopied(place); left -= 1) {
    if (left === 0) throw new Error("dist/ is never whole; is something building it again and again?");
    await pause(200);
  }
  process.env["TROUPE_TESTS_BUILT"] = place;
}

/** Not where the build exchanges the directory meanwhile. */
function isCopied(place: string): boolean {
  try {
    for (const part of PARTS) {
      rmSync(join(place, part), { recursive: true, force: true });
      cpSync(join(root, part), join(place, part), { recursive: true });
    }
    const [there, here] = [root, place].map((folder) => readdirSync(join(folder, "dist")).sort().join());
    return there === here;
  } catch {
    return false;
  }
}
