import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { safeLine } from "../safe-text.ts";

const LONGEST = 2000;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;
const PATH = /^([^\s:*?"<>|#`$={}();,]+)(?::(\d+)(?::\d+)?|#L?(\d+)(?:-L?\d+)?)?$/i;

/**
 * Returns where a link leads, encoded so that a terminal takes it: a web page, an address for mail, or a file of `cwd`
 * with its line. Null for anything else, which is only shown.
 */
export function linkTarget(address: string, cwd: string): string | null {
  if (address.length > LONGEST) return null;
  if (/^(?:https?:\/\/|mailto:)/i.test(address))
    return URL.canParse(address) ? encode(new URL(address).href) : null;
  return SCHEME.test(address) && !/^[^:]*[./][^:]*:\d/.test(address) ? null : fileTarget(address, cwd);
}

/** Returns the same for a piece of code that looks like a path: it names a directory or a line. */
export function codeTarget(code: string, cwd: string): string | null {
  const [, path = "", line] = PATH.exec(code) ?? [];
  const isPath = path.includes("/") || line !== undefined;
  const isNamed = /^\.{0,2}\/./.test(path) || /\.[a-z\d]{1,8}$|[^/]\/$/i.test(path);
  return isPath && isNamed && !path.includes("//") ? fileTarget(code, cwd) : null;
}

/** Returns the address if a reader could not tell it from the words. */
export function addressBeside(address: string, words: string): string | null {
  return bare(address) === bare(words) ? null : safeLine(address);
}

function fileTarget(address: string, cwd: string): string | null {
  const [, path, byColon, byHash] = PATH.exec(address) ?? [];
  if (path === undefined || path.startsWith("~")) return null;
  const line = byColon ?? byHash;
  return `${encode(pathToFileURL(resolve(cwd, decoded(path))).href)}${line === undefined ? "" : `#${line}`}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Programs that look for escape sequences know only these characters in an address. */
function encode(address: string): string {
  const [, before = "", query = ""] = /^([^?]*)(.*)$/s.exec(address) ?? [];
  return (before + query.replaceAll("+", "%20")).replace(/[^-\w/#&.:=?%@~]/g, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
}

function bare(address: string): string {
  return address
    .replace(/^(?:https?:\/\/|mailto:)/i, "")
    .replace(/#L?(\d+)$/i, ":$1")
    .replace(/\/$/, "");
}
