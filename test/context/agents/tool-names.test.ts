import { describe, expect, test } from "vitest";
import { resolveTools, unknownTools } from "../../../src/context/agents/tool-names.ts";
import { noSession, sessionTools } from "../../../src/tools/session-tools.ts";
import { Toolbox } from "../../../src/tools/toolbox.ts";

const toolbox = new Toolbox(() => false);
toolbox.fill({ ours: sessionTools(noSession), custom: [] });
const { known } = toolbox;
const means = (line: string) => [...new Set(resolveTools(line.split(" "), known))].sort().join(" ");

describe("the tools of a definition", () => {
  test.each([
    // Former names, and other spellings.
    [
      "LS MultiEdit NotebookRead BashOutput KillShell SlashCommand",
      "Edit Glob Read Skill TaskOutput TaskStop",
    ],
    ["read bash webfetch todo_write web-search", "Bash Read TodoWrite WebFetch WebSearch"],
    // VS Code and GitHub Copilot: microsoft/vscode-docs, docs/copilot/reference/copilot-vscode-features.md (May 2026); names without a
    // group are of before 2025-10, in github/awesome-copilot.
    ["edit/editFiles codebase search runCommands fetch", "Bash Edit Glob Grep NotebookEdit WebFetch Write"],
    [
      "read/readFile search/codebase execute/runInTerminal execute/getTerminalOutput",
      "Bash Glob Grep Read TaskOutput",
    ],
    [
      "read edit search execute web agent todo",
      "Agent Bash Edit Glob Grep NotebookEdit Read TodoWrite WebFetch WebSearch Write",
    ],
    ["problems search/usages agent/runSubagent terminal", "Agent Bash LSP"],
    [
      "edit/createFile edit/editNotebook search/fileSearch search/listDirectory search/textSearch read/problems web/fetch todos vscode/askQuestions",
      "AskUserQuestion Glob Grep LSP NotebookEdit TodoWrite WebFetch Write",
    ],
    // Cursor does not document them: as its requests were published, korchasa/tldr, llm/ide-prompts/c_20250328_claude37_no_thinking.md.
    [
      "codebase_search read_file run_terminal_cmd list_dir grep_search edit_file search_replace",
      "Bash Edit Glob Grep Read",
    ],
    // OpenCode: anomalyco/opencode, packages/web/src/content/docs/tools.mdx; list and patch are of its first version.
    [
      "bash glob grep list patch todowrite websearch question",
      "AskUserQuestion Bash Edit Glob Grep TodoWrite WebSearch Write",
    ],
    // Gemini CLI: google-gemini/gemini-cli, packages/core/src/tools/definitions/base-declarations.ts; an older name in ../tool-names.ts.
    [
      "run_shell_command read_many_files replace write_file google_web_search search_file_content list_directory",
      "Bash Edit Glob Grep Read WebSearch Write",
    ],
    [
      "glob grep_search read_file write_todos web_fetch activate_skill ask_user enter_plan_mode exit_plan_mode",
      "AskUserQuestion EnterPlanMode ExitPlanMode Glob Grep Read Skill TodoWrite WebFetch",
    ],
    // Names that say nothing here stay as they are.
    [
      "githubRepo vscode/runCommand azure-mcp/search Weather mcp__a__search",
      "Weather azure-mcp/search githubRepo mcp__a__search vscode/runCommand",
    ],
  ])("%s", (names, ours) => {
    expect(means(names)).toBe(ours);
  });

  test("a session's own tool keeps its name", () => {
    expect(resolveTools(["search", "fetch"], new Set([...known, "search"]))).toEqual(["search", "WebFetch"]);
  });

  test("a forbidden name forbids all that does its work", () => {
    const left = toolbox.names("all", ["edit", "execute"]);
    for (const name of ["Edit", "Write", "NotebookEdit", "Bash"]) expect(left).not.toContain(name);
    expect(left).toContain("Read");
  });

  test("those that mean nothing here are named, except a server's that may still come", () => {
    const names = [
      "Read",
      "codebase",
      "githubRepo",
      "Agent",
      "*",
      "mcp__there__x",
      "mcp__gone",
      "mcp__gone__*",
    ];
    expect(unknownTools(names, known)).toEqual(["githubRepo"]);
    expect(unknownTools(names, known, (slug) => slug === "there")).toEqual([
      "githubRepo",
      "mcp__gone",
      "mcp__gone__*",
    ]);
  });
});
