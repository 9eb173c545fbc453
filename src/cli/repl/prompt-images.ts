import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { detectImage, imageReference } from "../../context/references.ts";
import { readRegularFile } from "../../lib/files.ts";
import { expandHome } from "../../lib/paths.ts";
import type { Picture } from "../../mailbox/conversation.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { RunProcess } from "../../policy/hooks/hook-process.ts";

const MOST_BYTES = 3 * 1024 * 1024;
const CLIPBOARD_MS = 5_000;
const NAME = /\.(?:png|jpe?g|gif|webp)$/i;
const MARK = /\[image [\w-]{6}\]/g;
/** Each writes the image as base64, or nothing. What opens the screen is not in the environment of commands. */
const SCREEN = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"];
const LINUX =
  'if [ -n "$WAYLAND_DISPLAY" ]; then wl-paste --no-newline --type image/png; else xclip -selection clipboard -target image/png -out; fi | base64';
const MAC =
  "osascript -e 'get the clipboard as «class PNGf»' | sed 's/^.*PNGf//; s/[^0-9A-Fa-f].*$//' | xxd -r -p | base64";

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly homedir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly run: RunProcess;
}

export type PromptImages = ReturnType<typeof createPromptImages>;

/** The images that a user puts into prompts: a mark in the text stands for each. */
export function createPromptImages({ platform, homedir, env, run }: Machine) {
  const byMark = new Map<string, Picture>();
  let count = 0;
  const add = (bytes: Uint8Array): string | null => {
    const picture = detectImage(bytes);
    if (picture === null) return null;
    const { mark } = imageReference(picture);
    byMark.set(mark, picture);
    return mark;
  };
  return {
    /** If a pasted text is the path of an image, as a terminal writes a dropped file, returns its mark; else null. */
    dropped(pasted: string): string | null {
      const path = droppedPath(pasted, homedir);
      if (path === null) return null;
      const file = readRegularFile(path, MOST_BYTES);
      return file.type === "read" ? add(file.bytes) : null;
    },
    /** Resolves to the mark of the image in the clipboard; rejects with a sentence. */
    async fromClipboard(signal: AbortSignal): Promise<string> {
      if (platform !== "linux" && platform !== "darwin")
        throw new Error("Images cannot be taken from the clipboard here: drop the file, or name it after @.");
      count += 1;
      const screen = SCREEN.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
      const { stdout, stderr } = await run(
        {
          ...{ id: `clipboard ${count}`, owner: MAIN, file: "/bin/sh", cwd: "/" },
          ...{ args: ["-c", platform === "linux" ? LINUX : MAC], env: Object.fromEntries(screen) },
          ...{ timeoutMs: CLIPBOARD_MS, maxOutputBytes: 2 * MOST_BYTES },
        },
        signal,
      );
      const mark = add(Buffer.from(stdout, "base64"));
      if (mark !== null) return mark;
      const missing = /(\S+): (?:command )?not found/.exec(stderr)?.[1];
      throw new Error(
        missing === undefined
          ? "There is no image of at most 3 MB in the clipboard."
          : `Images are taken from the clipboard with ${missing}, which is not installed: drop the file, or name it after @.`,
      );
    },
    /** The images whose marks are in a text, in their order. */
    of: (text: string): readonly Picture[] =>
      [...new Set(text.match(MARK) ?? [])].flatMap((mark) => byMark.get(mark) ?? []),
  };
}

/** Terminals quote a dropped path for a shell, or write it as a URL. */
function droppedPath(pasted: string, homedir: string): string | null {
  const text = pasted.trim();
  if (text.includes("\n") || !NAME.test(text.replace(/['"]$/, ""))) return null;
  const [, quoted] = /^(?:'([^']*)'|"([^"]*)")$/.exec(text)?.filter((part) => part !== undefined) ?? [];
  const path = expandHome(quoted ?? text.replace(/\\(.)/g, "$1"), homedir);
  try {
    if (path.startsWith("file://")) return fileURLToPath(path);
  } catch {
    return null;
  }
  return isAbsolute(path) ? path : null;
}
