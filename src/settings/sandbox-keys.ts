import { dirname, resolve } from "node:path";
import { type JsonObject, textsIn, valueAt } from "../lib/json.ts";
import { isObject } from "../lib/objects.ts";
import type { SettingsPath } from "./paths.ts";

/** The `sandbox` object that users have from other tools, as settings of Troupe. */
export interface TranslatedSandbox {
  /** Its equivalent under `troupe.sandbox`; the values are checked there. */
  readonly sandbox: JsonObject;
  /** Names of keys that Troupe does not enforce. */
  readonly unenforced: readonly string[];
}

const TRANSLATED: readonly string[] = [
  ...["enabled", "allowUnsandboxedCommands", "failIfUnavailable", "autoAllowBashIfSandboxed"],
  ...["filesystem.denyRead", "network.allowedDomains"],
];

export function translateSandbox(given: unknown, { scope, file }: SettingsPath): TranslatedSandbox {
  if (!isObject(given)) return { sandbox: {}, unenforced: ["sandbox"] };
  const at = (name: string) => valueAt(given, name.split("."));
  const enabled = at("enabled");
  const isRequired = at("allowUnsandboxedCommands") === false || at("failIfUnavailable") === true;
  const denied = at("filesystem.denyRead");
  const isGlob = (path: string) => /[*?[{]/.test(path);
  // A path of the user's file is relative to that file, one of a project's to the project.
  const base = scope === "user" ? dirname(file) : dirname(dirname(file));
  const absolute = (path: string) => (/^[~/]/.test(path) ? path : resolve(base, path));
  const values = {
    mode: enabled === true ? (isRequired ? "required" : "on") : enabled === false ? "off" : enabled,
    autoAllow: at("autoAllowBashIfSandboxed"),
    allowedDomains: at("network.allowedDomains"),
    denyRead: Array.isArray(denied)
      ? textsIn(denied)
          .filter((path) => !isGlob(path))
          .map(absolute)
      : denied,
  };
  const names = Object.entries(given).flatMap(([key, member]) =>
    isObject(member) ? Object.keys(member).map((inner) => `${key}.${inner}`) : [key],
  );
  const unenforced = names.filter((name) => !TRANSLATED.includes(name));
  const globs = textsIn(denied).filter(isGlob);
  return {
    sandbox: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
    unenforced: [...unenforced, ...globs.map((glob) => `filesystem.denyRead ${glob}`)].map(
      (name) => `sandbox.${name}`,
    ),
  };
}
