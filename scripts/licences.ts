import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The licences of the packages these modules come from: what is bundled must carry its notice along. */
export function licencesOf(modules: Iterable<string>): string {
  const folders = new Set<string>();
  for (const module of modules) {
    const folder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(module)?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  const notices = [...folders].map(notice).sort();
  return ["Troupe's bundles contain code of these packages.", ...new Set(notices)].join(
    `\n\n${"-".repeat(80)}\n`,
  );
}

function notice(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), "utf8").trim();
  return `${name} ${version}\n\n${text}`;
}
