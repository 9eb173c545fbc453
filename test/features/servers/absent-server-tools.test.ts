// @module-tag long
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { blocksOf } from "../../../src/mailbox/turns.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import { server } from "../../mcp/opened-mcp.ts";
import { everyDayHosts, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const call = (name: string, input: object = {}) => ({ name, input });
const isMain = ({ actor }: ModelRequest) => actor === "main";

/** The results in its last message. */
function resultsIn(request: ModelRequest | undefined): string[] {
  const last = request?.messages.at(-1);
  return (last ? blocksOf(last) : []).flatMap((block) =>
    block.type === "tool_result" ? [JSON.stringify(block.content).replaceAll("\\", "")] : [],
  );
}

describe.each(everyDayHosts)("a call of a tool whose MCP server is not there, %s", (host) => {
  test("is answered why, and what to do", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "wait"), "");
    const { supervisor, model } = supervised(
      host,
      (request, n) =>
        n > 0
          ? { text: "ok" }
          : {
              calls: [
                call("mcp__late__hello"),
                call("UseTool", { tool: "mcp__late__hello", input: {} }),
                call("mcp__theirs__find"),
                call("mcp__nobody__find"),
              ],
              text: request.actor,
            },
      {
        mcpServers: { late: server("answering.ts", folder) },
        serversLeftOut: { theirs: "this directory is not trusted" },
        limits: { mcpStartMs: 0 },
      },
    );
    expect((await supervisor.prompt("one")).summary.status).toBe("done");
    const [first, used, left, unknown] = resultsIn(model.requests[1]);
    for (const result of [first, used]) {
      expect(result).toContain('The MCP server "late" is still starting, so its tools are not there yet.');
      expect(result).toContain("You are notified when they are ready");
      expect(result).not.toContain("There is no");
    }
    expect(left).toContain('The MCP server "theirs" is not started: this directory is not trusted.');
    expect(left).toContain("Continue without it");
    expect(unknown).toContain('There is no tool named "mcp__nobody__find" here. Available: ');
    rmSync(join(folder, "wait"));
    await supervisor.close();
  });

  test("one that came while it was being asked for is not run without its input, but can be called then", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "wait"), "");
    const { supervisor, model, events } = supervised(
      host,
      async (_, n) => {
        if (n === 1) return { calls: [call("UseTool", { tool: "mcp__late__hello", input: {} })] };
        if (n > 1) return { text: "ok" };
        rmSync(join(folder, "wait"));
        await vi.waitFor(() => expect(JSON.stringify(events)).toContain("has started; its tools"), 20_000);
        return { calls: [call("mcp__late__hello")] };
      },
      {
        mcpServers: { late: server("answering.ts", folder) },
        limits: { mcpStartMs: 0 },
        allowedTools: ["mcp__late"],
      },
    );
    await supervisor.prompt("one");
    expect(resultsIn(model.requests[1])[0]).toContain("It is ready now");
    expect(resultsIn(model.requests[2])[0]).toContain("hello");
  });

  test("of one that failed, says that the user knows why", async () => {
    const { supervisor, model } = supervised(
      host,
      (_, n) => (n > 0 ? { text: "ok" } : { calls: [call("mcp__broken__find")] }),
      { mcpServers: { broken: { command: "no-such-program-here" } } },
    );
    await supervisor.prompt("one");
    expect(resultsIn(model.requests[1])[0]).toContain('The MCP server "broken" did not start');
  });

  test("an agent that may not have it gets no notice", async () => {
    const { supervisor, model } = supervised(
      host,
      (request, n) => {
        if (n > 0) return { text: "ok" };
        const asked = { description: "a", prompt: "b", subagent_type: "Explore" };
        return { calls: [isMain(request) ? call("Agent", asked) : call("mcp__theirs__find")] };
      },
      { serversLeftOut: { theirs: "this directory is not trusted" } },
    );
    await supervisor.prompt("one");
    const below = model.requests.filter((request) => !isMain(request));
    expect(resultsIn(below[1])[0]).toContain('There is no tool named "mcp__theirs__find" here.');
  });
});
