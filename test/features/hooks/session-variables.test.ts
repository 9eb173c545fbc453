// @module-tag long
import { describe, expect, test } from "vitest";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { everyDayHosts, type HostName, supervised } from "../../support/supervised.ts";
import { lastResults } from "../../support/texts-of.ts";

/** What each command prints, in a session whose SessionStart hook is this one. */
async function printed(
  host: HostName,
  hook: string,
  commands: readonly string[],
  options: Partial<SupervisorOptions> & { readonly files?: Readonly<Record<string, string>> } = {},
) {
  const value = { SessionStart: [{ hooks: [{ type: "command", command: hook }] }] };
  const { supervisor, model, events } = supervised(
    host,
    () =>
      model.requests.length > 1
        ? { text: "ok" }
        : { calls: commands.map((command) => ({ name: "Bash", input: { command } })) },
    { hooks: [{ scope: "user", file: "/u/settings.json", value }], ...options },
  );
  await supervisor.prompt("go");
  const [, second] = model.requests;
  return {
    results: second === undefined ? [] : lastResults(second).map((text) => JSON.stringify(text)),
    warnings: events.flatMap((event) => (event.type === "warning" ? [event.message] : [])),
  };
}

const allowed = { allowedTools: ["Bash"] };

describe.each(everyDayHosts)("variables that SessionStart hooks write, %s", (host) => {
  test("are those of commands, exported or not, and only of commands", async () => {
    const hook = `echo 'export MADE="a b"; PLAIN=c; HOME=/elsewhere' >> "$CLAUDE_ENV_FILE"; echo "PATH=$PWD/tools:\\$PATH" >> "$CLAUDE_ENV_FILE"`;
    const { results, warnings } = await printed(
      host,
      hook,
      ["sh -c 'echo made $MADE, plain $PLAIN.'", "echo $PATH", "echo file $CLAUDE_ENV_FILE, home $HOME"],
      allowed,
    );
    expect(warnings).toEqual([]);
    expect(results).toEqual([
      expect.stringContaining("made a b, plain c."),
      expect.stringMatching(/^"\/[^:]*\/tools:/),
      expect.stringMatching(/file , home (?!\/elsewhere)/),
    ]);
  });

  test("make a program of the workspace a question, which without them would be the system's", async () => {
    const { results } = await printed(
      host,
      `mkdir -p tools; cp /bin/ls tools/ls; echo "PATH=$PWD/tools:\\$PATH" >> "$CLAUDE_ENV_FILE"`,
      ["ls tools"],
    );
    expect(results).toEqual([expect.stringContaining("PATH leads to a ls in the workspace")]);
  });

  test("run no program in a command that only reads", async () => {
    const { results } = await printed(
      host,
      [
        "git init -q; printf '#!/bin/sh\\necho it ran\\n' > own.sh; chmod +x own.sh; echo a > a.txt; git add a.txt; echo b > a.txt",
        `echo "--pre=$PWD/own.sh" > rc; mkdir -p config/git; printf "[diff]\\nexternal = $PWD/own.sh\\n" > config/git/config`,
        `echo "GIT_EXTERNAL_DIFF=$PWD/own.sh; RIPGREP_CONFIG_PATH=$PWD/rc; XDG_CONFIG_HOME=$PWD/config" >> "$CLAUDE_ENV_FILE"`,
      ].join("\n"),
      ["git diff a.txt", "rg --no-filename . a.txt"],
    );
    expect(results).toEqual([expect.stringContaining("+b"), expect.stringMatching(/^"b/)]);
  });

  test("are left out with a line if their file cannot be read to its end", async () => {
    const { results, warnings } = await printed(
      host,
      `echo 'export MADE=a; exit 3' >> "$CLAUDE_ENV_FILE"`,
      ["echo made $MADE."],
      allowed,
    );
    expect(results).toEqual([expect.stringContaining("made .")]);
    expect(warnings).toEqual([expect.stringMatching(/^What SessionStart hooks wrote into CLAUDE_ENV_FILE/)]);
  });

  test("come with the session's ID, which hooks have as well", async () => {
    const { results } = await printed(
      host,
      'printf "export SEEN=$CLAUDE_CODE_SESSION_ID" >> "$CLAUDE_ENV_FILE"',
      ["echo $SEEN and $CLAUDE_CODE_SESSION_ID."],
      allowed,
    );
    expect(results).toEqual([expect.stringMatching(/^"(\w{16}) and \1\./)]);
  });
});
