import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

export type Files = Readonly<Record<string, string | Buffer | { link: string } | null>>;

export function put(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    rmSync(file, { recursive: true, force: true });
    if (content === null) continue;
    mkdirSync(dirname(file), { recursive: true });
    if (typeof content === "string" || Buffer.isBuffer(content)) writeFileSync(file, content);
    else symlinkSync(content.link, file);
  }
}

/** All bytes of a checkout, with rights and times; without git's own and ours. */
export function picture(folder: string, { times = true } = {}, at = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, at))) {
    const path = join(at, name);
    if (path === ".git" || path === ".claude") continue;
    const stat = lstatSync(join(folder, path), { bigint: true });
    const mode = stat.mode.toString(8);
    if (stat.isDirectory()) {
      found[`${path}/`] = mode;
      Object.assign(found, picture(folder, { times }, path));
    } else if (stat.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(folder, path))}`;
    else {
      const bytes = readFileSync(join(folder, path), "latin1");
      found[path] = `${mode} ${times ? stat.mtimeNs : ""} ${bytes}`;
    }
  }
  return found;
}
