import { expect, onTestFinished, test } from "vitest";
import { followSettings } from "../../src/cli/follow-settings.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { settingsReader } from "../../src/policy/trust/trust.ts";
import { foldersWith, put } from "../settings/folders.ts";

const ends = (command: string) => ({ Stop: [{ hooks: [{ type: "command", command }] }] });

test("reports that changed settings of a directory do not apply until the user agrees (fault 60)", async () => {
  const folders = foldersWith({ project: { hooks: ends("echo agreed") } });
  const reader = settingsReader({ ...folders, home: `${folders.homedir}/.troupe` }, true);
  const read = await reader.read();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const notes: string[] = [];
  const replaced: unknown[] = [];
  const told = new Promise<void>((resolve) => {
    followSettings(
      { replaceSettings: (now) => void replaced.push(now.hooks), mode: () => "default", setMode: () => {} },
      { read, reader },
      {
        note: (line) => {
          notes.push(line);
          if (line.includes("echo later")) resolve();
        },
        clock: systemClock,
        signal: stop.signal,
      },
    );
  });
  put(folders.fileOf("project"), { hooks: ends("echo later") });
  await told;
  expect(notes).toEqual([
    "Settings have changed; their rules and hooks apply from now on.",
    expect.stringMatching(/left out .*run "echo later" as a hook/),
  ]);
  expect(JSON.stringify(replaced)).not.toContain("later");
});
