import { tmpdir } from "node:os";
import { join } from "node:path";
import { slugOf } from "../../src/journal/paths.ts";
import { troupeVersion } from "../../src/lib/version.ts";
import type { Played } from "./play.ts";

/** What differs from run to run and from machine to machine gets a stable name; IDs by their first appearance. */
export function normalise(text: string, { place, journals }: Played): string {
  const { project, home, url, server } = place;
  const ids = new Set(
    journals.flat().flatMap(({ event }) => [...JSON.stringify(event).matchAll(WHOLE)].map(([, id]) => id)),
  );
  const known = new Map<string, string>();
  const named = (id: string) => {
    if (!known.has(id)) known.set(id, `ID-${known.size + 1}`);
    return String(known.get(id));
  };
  const paths: [string, string][] = [
    ...([
      [server, "‹server›"],
      [url, "‹url›"],
      [project, "‹project›"],
      [home, "‹home›"],
    ] as [string, string][]),
    ...([
      [encodeURIComponent(project), "‹project›"],
      [slugOf(project), "‹slug›"],
      [process.execPath, "‹node›"],
    ] as [string, string][]),
  ];
  return (
    paths
      .reduce((all, [from, to]) => all.replaceAll(from, to), text)
      .replaceAll(ID, (id) => (ids.has(id) ? named(id) : id))
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "‹time›")
      .replaceAll(/\b20\d\d-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?\b/g, "‹date›")
      .replaceAll(
        /("?\b(?:durationMs|duration_ms|duration_api_ms|ms|at|startedAt|endedAt|mtimeMs|inode|pid|bytes)"?: ?)\d+(\.\d+)?/g,
        "$1‹n›",
      )
      .replaceAll(/\b\d+\.\d+ ?s\b/g, "‹s›")
      .replaceAll(/(tok(?:ens)? · (?:\$[\d.]+ · )?)\d+ m?s\b/g, "$1‹s›")
      .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:‹port›")
      .replaceAll(/\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b/g, "‹hash›")
      .replaceAll(/(?<=HEAD |commit |index |\.\.)[0-9a-f]{7,40}\b/g, "‹hash›")
      .replaceAll(troupeVersion(), "‹version›")
      .replaceAll(process.version, "‹node version›")
      .replaceAll(/(.)\1{99,}/g, (run, [one]) => `${one}‹${run.length} times›`)
      .replaceAll(/(?<=running, for )\d+ m?s now/g, "‹s› now")
      .replaceAll(/\(pid \d+\)/g, "(pid ‹n›)")
      .replaceAll(/"startedAt": ?"[^"]*"/g, '"startedAt":"‹process›"')
      // What is known of a fact, as a digest of texts that have paths and hashes in them.
      .replaceAll(/(fact:[\w%.*-]+=)[\w-]{16}/g, "$1‹digest›")
      .replaceAll(join(import.meta.dirname, "../.."), "‹troupe›")
      .replaceAll(tmpdir(), "‹tmp›")
  );
}

/** Of sessions, agents and what runs in the background. */
const WHOLE = /(?<=["/:])([0-9a-z]{16}|b[0-9a-z]{8})(?=["./])/g;
const ID = /(?<![0-9A-Za-z])(?:[0-9a-z]{16}|b[0-9a-z]{8})(?![0-9A-Za-z])/g;

/** Without what is said only where the machine is too busy. */
export function withoutStalls(err: string): string {
  return err.replaceAll(
    /^.*(?:Nothing of this session could move|has been stuck for|has sent nothing for).*\n/gm,
    "",
  );
}
