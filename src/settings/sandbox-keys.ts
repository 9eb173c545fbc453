import { dirname, resolve } from "node:path";
import { isObject, type JsonObject, textsIn, valueAt } from "./json.ts";
import type { SettingsPlace } from "./places.ts";

/** The `sandbox` object that users of other tools have, as settings of ours. */
export interface TranslatedSandbox {
  /** What stands for it under `troupe.sandbox`; values are checked there. */
  readonly sandbox: JsonObject;
  /** Names of keys that nothing here enforces. */
  readonly unenforced: readonly string[];
}

const ENABLED = ["enabled"];
const ALLOWS_OUTSIDE = ["allowUnsandboxedCommands"];
const FAILS = ["failIfUnavailable"];
const AUTO_ALLOW = ["autoAllowBashIfSandboxed"];
const DENY_READ = ["filesystem", "denyRead"];
const DOMAINS = ["network", "allowedDomains"];
const TRANSLATED = new Set(
  [ENABLED, ALLOWS_OUTSIDE, FAILS, AUTO_ALLOW, DENY_READ, DOMAINS].map((path) => path.join(".")),
);

export function translateSandbox(given: unknown, place: SettingsPlace): TranslatedSandbox {
  if (!isObject(given)) return { sandbox: {}, unenforced: ["sandbox"] };
  const at = (path: readonly string[]) => valueAt(given, path);
  const enabled = at(ENABLED);
  const isRequired = at(ALLOWS_OUTSIDE) === false || at(FAILS) === true;
  const mode = enabled === true ? (isRequired ? "required" : "on") : enabled === false ? "off" : enabled;
  const denied = at(DENY_READ);
  const paths = textsIn(denied);
  const globs = paths.filter((path) => /[*?[{]/.test(path));
  const values = {
    mode,
    autoAllow: at(AUTO_ALLOW),
    allowedDomains: at(DOMAINS),
    denyRead: Array.isArray(denied) ? paths.filter((path) => !globs.includes(path)).map(inPlace) : denied,
  };
  const unenforced = namesIn(given, []).filter((name) => !TRANSLATED.has(name));
  return {
    sandbox: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
    unenforced: [...unenforced, ...globs.map((glob) => `filesystem.denyRead ${glob}`)].map(
      (name) => `sandbox.${name}`,
    ),
  };

  /** A path of the user's own file begins beside that, one of a project's at the project. */
  function inPlace(path: string): string {
    const own = dirname(place.file);
    return /^[~/]/.test(path) ? path : resolve(place.scope === "user" ? own : dirname(own), path);
  }
}

function namesIn(value: JsonObject, path: readonly string[]): string[] {
  return Object.entries(value).flatMap(([key, member]) => {
    const name = [...path, key];
    return isObject(member) && path.length === 0 ? namesIn(member, name) : [name.join(".")];
  });
}
