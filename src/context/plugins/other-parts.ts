import { join } from "node:path";
import type { JsonObject } from "../../lib/json.ts";
import { isObject } from "../../lib/objects.ts";
import { printable } from "../../lib/printable.ts";
import type { Files } from "../files.ts";

/** Keys of a manifest, or of an entry of a marketplace, that are used or that only describe. */
const KNOWN =
  `$schema name displayName version description author homepage repository license keywords category tags
  strict source id logo icon skills commands agents hooks mcpServers userConfig`.split(/\s+/);

/** Parts that a plug-in can have elsewhere and for which Troupe has no counterpart, with their usual places. */
const OTHER_PARTS: Readonly<Record<string, string | null>> = {
  outputStyles: "output-styles",
  lspServers: ".lsp.json",
  monitors: "monitors",
  themes: "themes",
  channels: null,
  dependencies: null,
  settings: "settings.json",
  defaultEnabled: null,
  // Would be a directory of the PATH of commands.
  bin: "bin",
};

interface Said {
  readonly file: string;
  readonly value: JsonObject;
}

/** Returns a sentence for each file that names, and each place that holds, what Troupe leaves out of a plug-in. */
export function otherParts(
  { dir, name }: { readonly dir: string; readonly name: string },
  { manifest, entry }: { readonly manifest: Said; readonly entry: Said | undefined },
  files: Files,
): string[] {
  const ofFiles = [manifest, ...(entry === undefined ? [] : [entry])].flatMap(({ file, value }) => {
    const { experimental, ...others } = value;
    const inner = isObject(experimental) ? experimental : {};
    const keys = [...Object.keys(others), ...Object.keys(inner).map((key) => `experimental.${key}`)];
    const isOther = (key: string) => Object.hasOwn(OTHER_PARTS, key.replace("experimental.", ""));
    const unused = keys.filter(isOther);
    const unknown = keys.filter((key) => !isOther(key) && !KNOWN.includes(key) && !/^(?:_|\/\/)/.test(key));
    return [
      ...(unused.length === 0
        ? []
        : [`${file}: ${unused.join(", ")} of the plug-in ${name} ${are(unused)} not used here.`]),
      ...(unknown.length === 0
        ? []
        : [
            `${file}: ${unknown.map(printable).join(", ")} of the plug-in ${name} ${are(unknown)} not known here and left out.`,
          ]),
    ];
  });
  const places = Object.values(OTHER_PARTS).flatMap((place) =>
    place !== null && files.look(join(dir, place)).type !== "none" ? [place] : [],
  );
  return [
    ...ofFiles,
    ...(places.length === 0
      ? []
      : [`${dir}: ${places.join(", ")} of the plug-in ${name} ${are(places)} not used here.`]),
  ];
}

function are({ length }: readonly string[]): string {
  return length === 1 ? "is" : "are";
}
