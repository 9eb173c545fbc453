import { readFileSync } from "node:fs";
import { textAt, valueAt } from "./json.ts";

/** The version in Troupe's own package.json, which lies above this file in the sources and above the bundle. */
export function troupeVersion(): string {
  for (const place of ["../package.json", "../../package.json"]) {
    const manifest = readManifest(new URL(place, import.meta.url));
    if (manifest !== undefined) return manifest;
  }
  throw new Error("Troupe's own package.json is missing; install troupe again.");
}

function readManifest(place: URL): string | undefined {
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(place, "utf8"));
  } catch {
    // Not here: the sources lie one directory deeper than the bundle.
    return undefined;
  }
  return (valueAt(manifest, ["name"]) === "troupe" && textAt(manifest, "version")) || undefined;
}
