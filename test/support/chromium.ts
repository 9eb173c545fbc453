import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** A browser of this machine's own; null where there is none. Tests download no browser. */
export function installedChromium(path: string = process.env["PATH"] ?? ""): string | null {
  const places = path.split(delimiter).filter((folder) => folder !== "");
  const found = NAMES.flatMap((name) => places.map((folder) => join(folder, name))).find(existsSync);
  return found ?? null;
}
