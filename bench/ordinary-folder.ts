import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cli, type Ground, onFreshGround } from "./folders.ts";
import { environment } from "./loop.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, type BenchResult, timesFloor } from "./result.ts";
import { interleaved, median, p95, rounded } from "./samples.ts";

const SERVER = join(import.meta.dirname, "../test/mcp/servers/answering.ts");

/** How much later the first request leaves where a folder has what ordinary folders have. */
export async function ordinaryFolder({ quick }: BenchOptions): Promise<BenchResult[]> {
  const server = await startModelServer();
  try {
    return await onFreshGround(async (ground) => {
      const plain = folderIn(ground, "plain", {});
      const ordinary = folderIn(ground, "ordinary", ORDINARY);
      const served = folderIn(ground, "served", { ...ORDINARY, ".mcp.json": oneServer(ground) });
      const starts = await interleaved(quick ? 7 : 15, {
        plain: () => start(server, ground, plain),
        ordinary: () => start(server, ground, ordinary),
        served: () => start(server, ground, served),
      });
      const extra = median(starts.served) - median(starts.ordinary);
      return [
        {
          name: "CLI start to first request with an ordinary .claude folder",
          unit: "ms",
          ours: median(starts.ordinary),
          floor: median(starts.plain),
          target: timesFloor(1.3),
          note: `${p95(starts.ordinary)}; memory, 5 agents, 5 skills, 2 hooks; floor: an empty folder`,
        },
        {
          name: "  and one MCP server",
          unit: "ms",
          ours: median(starts.served),
          floor: median(starts.plain),
          target: null,
          note: `the request waits for it; ${rounded(extra)} ms for its start and the broker's`,
        },
      ];
    });
  } finally {
    server.close();
  }
}

async function start(server: ModelServer, ground: Ground, cwd: string): Promise<number> {
  await server.play({ type: "loop", turns: 1, file: ground.file });
  const run = await runProgram([cli, "-p", "Hello.", "--trust"], { cwd, env: environment(server, ground) });
  return (await server.seen()).firstAt - run.startedAt;
}

function folderIn({ cwd }: Ground, name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(cwd, name);
  mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const PARAGRAPH = "What somebody who works here for the first time should know, and why it is so.\n".repeat(
  20,
);
const FIVE = [1, 2, 3, 4, 5];
const hook = (matcher: string) => [{ matcher, hooks: [{ type: "command", command: "true" }] }];

const ORDINARY: Readonly<Record<string, string>> = {
  "CLAUDE.md": `# The project\n\n${PARAGRAPH}\n@docs/style.md\n`,
  "docs/style.md": `# Style\n\n${PARAGRAPH}`,
  ".claude/settings.json": JSON.stringify({
    permissions: { allow: ["Bash(npm test:*)", "Bash(git diff:*)"], deny: ["Read(.env)"] },
    hooks: { PreToolUse: hook("Bash"), PostToolUse: hook("Edit|Write") },
  }),
  ...Object.fromEntries(
    FIVE.flatMap((n) => [
      [
        `.claude/agents/helper-${n}.md`,
        `---\nname: helper-${n}\ndescription: Helps with part ${n} of the project.\ntools: Read, Grep, Glob\n---\n${PARAGRAPH}`,
      ],
      [
        `.claude/skills/skill-${n}/SKILL.md`,
        `---\nname: skill-${n}\ndescription: How part ${n} of the project is done here.\n---\n${PARAGRAPH}`,
      ],
    ]),
  ),
};

function oneServer({ home }: Ground): string {
  return JSON.stringify({ mcpServers: { one: { command: process.execPath, args: [SERVER, home] } } });
}
