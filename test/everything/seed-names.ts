/** Every name and number of checklist section A21, and by what it is known to be there. */

export const tools = [
  ..."Agent AskUserQuestion Bash CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree".split(" "),
  ..."ExitPlanMode ExitWorktree Glob Grep ListMcpResources LSP Monitor NotebookEdit Read".split(" "),
  ..."ReadMcpResource ScheduleWakeup Skill Task TaskCreate TaskGet TaskList TaskOutput TaskStop".split(" "),
  ..."TaskUpdate TodoWrite ToolSearch WebFetch WebSearch Write mcp__*".split(" "),
];

export const hookEvents = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];

export const skills = [
  ..."playwright-cli update-config simplify fewer-permission-prompts loop".split(" "),
  ..."claude-api init review security-review".split(" "),
];

export const slashCommands = ["/config", "/remember", ...skills.map((skill) => `/${skill}`)];

/** What it is, the exported constant that holds it (a dot reaches into an object), and its value. */
export const constants: readonly (readonly [what: string, constant: string, value: number])[] = [
  ["characters of a Bash result (A7.1)", "MAX_OUTPUT_CHARS", 30_000],
  ["characters of a result in the minimal loop (A7.7)", "MINIMAL_LOOP_OUTPUT_CHARS", 50_000],
  ["milliseconds a Bash call may take (A7.2)", "DEFAULT_TIMEOUT_MS", 120_000],
  ["milliseconds a Bash call may ask for (A7.2)", "MAX_TIMEOUT_MS", 600_000],
  ["milliseconds TaskOutput waits (A14.7)", "TASK_OUTPUT_WAIT_MS", 30_000],
  ["lines Read shows (A8.2)", "DEFAULT_LINES", 2000],
  ["PDF pages Read takes (A4.13)", "MAX_PDF_PAGES", 20],
  ["Grep's head_limit (A10.4)", "DEFAULT_HEAD_LIMIT", 250],
  ["characters of a skill's line (A12.5)", "MAX_LISTING_DESC_CHARS", 250],
  ["characters of the list of skills (A12.4)", "DEFAULT_CHAR_BUDGET", 8000],
  ["part of the context for the list of skills (A12.4)", "SKILL_BUDGET_CONTEXT_PERCENT", 0.01],
  ["characters of a token (A12.4)", "CHARS_PER_TOKEN", 4],
  ["milliseconds a fetched page is kept (A13.2)", "PAGE_CACHE_MS", 15 * 60_000],
  ["characters of a question's header (A14.1)", "MAX_HEADER_CHARS", 12],
  ["fewest questions (A14.1)", "MIN_QUESTIONS", 1],
  ["most questions (A14.1)", "MAX_QUESTIONS", 4],
  ["fewest options (A14.1)", "MIN_OPTIONS", 2],
  ["most options (A14.1)", "MAX_OPTIONS", 4],
  ["todos in progress", "MAX_IN_PROGRESS", 1],
  ["shortest wake-up, seconds (A15.4)", "MIN_WAKEUP_SECONDS", 60],
  ["longest wake-up, seconds (A15.4)", "MAX_WAKEUP_SECONDS", 3600],
  ["milliseconds a recurring job lives (A15.1)", "CRON_LIFETIME_MS", 7 * 24 * 3600_000],
  ["characters of a worktree's name (A3.23)", "MAX_WORKTREE_NAME_CHARS", 64],
  ["tokens of one reply", "limitRanges.maxTokens.usual", 16_000],
  ["tokens of one reply in the minimal loop (A1.6)", "MINIMAL_LOOP_MAX_TOKENS", 8000],
  ["exit code by which a hook blocks", "HOOK_BLOCKS_EXIT_CODE", 2],
];

/** Numbers that only a tool's definition says, in words or in figures. */
export const said: readonly (readonly [what: string, tool: string, words: RegExp])[] = [
  ["words of a task's description (A3.7)", "Agent", /three to five words|3-5 words/i],
  ["lines of an old_string (A4.9)", "Edit", /(2-4|two to four) lines.*(10|ten)/is],
  ["seconds of a sleep (A4.4)", "Bash", /1-5 seconds|one to five seconds/i],
];
