// @module-tag long
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createPromptImages } from "../../../src/cli/repl/prompt-images.ts";
import { UnreadInput } from "../../../src/cli/repl/unread-input.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { startProcesses } from "../../../src/processes/client.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const MARK = /^\[image [\w-]{6}\]$/;

/** Images of a user in whose folder is `a picture.png`, and whose programs are in `bin`. */
function imagesOf(env: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const path = join(folder, "a picture.png");
  writeFileSync(path, PNG);
  writeFileSync(join(folder, "no.png"), "not an image");
  writeFileSync(join(folder, "large.png"), Buffer.concat([PNG, Buffer.alloc(4_000_000)]));
  const processes = startProcesses({ env: { PATH: process.env["PATH"], ...env }, clock: systemClock });
  onTestFinished(() => processes.close());
  const images = createPromptImages({
    ...{ platform: "linux", homedir: folder, env, run: (request, signal) => processes.run(request, signal) },
  });
  return { images, folder, path };
}

test("a dropped image is a mark, however a terminal writes its path, and the prompt has its bytes (issue 21, 5)", () => {
  const { images, path } = imagesOf();
  const spellings = [
    ...[path, `${path} `, `'${path}'`, `"${path}"`, path.replaceAll(" ", "\\ ")],
    ...[pathToFileURL(path).href, "~/a picture.png"],
  ];
  const marks = spellings.map((spelling) => images.dropped(spelling));
  expect(new Set(marks).size).toBe(1);
  expect(marks[0]).toMatch(MARK);
  expect(images.of(`what is ${marks[0]}, and ${marks[0]}?`)).toEqual([
    { type: "image", source: { type: "base64", media_type: "image/png", data: PNG.toString("base64") } },
  ]);
  expect(images.of("what is [image 000000]?")).toEqual([]);
});

test("any other pasted text stays what it is", () => {
  const { images, folder } = imagesOf();
  const texts = [
    ...[
      "",
      "some words",
      "a picture.png",
      "picture.png\nmore",
      "/no/such.png",
      "file://host:99/x.png",
      "/a.txt",
    ],
    ...[join(folder, "no.png"), join(folder, "large.png"), folder, "/dev/zero.png"],
  ];
  for (const text of texts) expect(images.dropped(text), text).toBeNull();
});

test("the clipboard's image comes from the program of the system, which alone gets the screen", async () => {
  const bin = temporaryFolder();
  writeFileSync(
    join(bin, "xclip"),
    `#!/bin/sh\necho "$DISPLAY" >"$0.display"\necho ${PNG.toString("base64")} | base64 -d\n`,
  );
  chmodSync(join(bin, "xclip"), 0o755);
  const { images } = imagesOf({ PATH: `${bin}:${process.env["PATH"]}`, DISPLAY: ":7" });
  const mark = await images.fromClipboard(new AbortController().signal);
  expect(mark).toMatch(MARK);
  expect(images.of(mark)).toHaveLength(1);
  expect(readFileSync(join(bin, "xclip.display"), "utf8")).toBe(":7\n");
});

test.each([
  ["no program", "exit 127", /no image|not installed/],
  ["no image", "exit 1", /There is no image of at most 3 MB in the clipboard/],
  ["something else", "echo words", /There is no image/],
])("says so if there is %s", async (_, script, message) => {
  const bin = temporaryFolder();
  writeFileSync(join(bin, "xclip"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, "xclip"), 0o755);
  const { images } = imagesOf({ PATH: `${bin}:/usr/bin:/bin` });
  await expect(images.fromClipboard(new AbortController().signal)).rejects.toThrow(message);
});

test("names the program that is missing", async () => {
  const { images } = imagesOf({ WAYLAND_DISPLAY: "wayland-none" });
  await expect(images.fromClipboard(new AbortController().signal)).rejects.toThrow(
    /wl-paste, which is not installed/,
  );
});

test("a prompt with an image waits for its turn while the conversation works: a message has no images", () => {
  const { images, path } = imagesOf();
  const mark = images.dropped(path);
  const unread = new UnreadInput(images);
  const sent: string[] = [];
  const session = {
    send(_: unknown, text: string) {
      sent.push(text);
      return "queued" as const;
    },
  };
  unread.tellMain(`what is ${mark}?`, session);
  unread.tellMain("and hurry", session);
  expect({ sent, next: unread.next() }).toEqual({ sent: ["and hurry"], next: `what is ${mark}?` });
});
