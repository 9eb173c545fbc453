import { goldens } from "./goldens.ts";
import { acting, type Call, type Session } from "./session.ts";

const write: Call = ["Write", { file_path: "$P/x.txt", content: "x\n" }];
const fail: Call = ["Read", { file_path: "$P/none" }];
const hook = (command: string, more = {}) => [{ hooks: [{ type: "command", command, ...more }] }];
const on = (matcher: string, command: string) => [{ matcher, hooks: [{ type: "command", command }] }];

function hooked(
  name: string,
  hooks: object,
  replies: NonNullable<Session["replies"]>[string] = [[write]],
  more: Partial<Session> = {},
): Session {
  return acting(name, replies, { settings: { hooks }, ...more });
}

const agentStops = {
  replies: {
    "#agent": ["Not yet.", "Now."],
    main: [[["Agent", { description: "d", prompt: "#agent" }] as const], "Done."],
  },
};

goldens("hooks", [
  hooked(
    "what each event is given",
    Object.fromEntries(
      "UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure Stop SessionStart SessionEnd"
        .split(" ")
        .map((event) => [
          event,
          hook(`cat >> $H/${event}; cat $H/${event} >> $P/events.txt; echo >> $P/events.txt`),
        ]),
    ),
    [[write], [fail]],
  ),
  hooked("UserPromptSubmit: adds, replaces", { UserPromptSubmit: hook("echo added") }, []),
  hooked(
    "UserPromptSubmit: another prompt",
    { UserPromptSubmit: hook(`echo '{"prompt":"other words"}'`) },
    [],
  ),
  hooked("UserPromptSubmit: no", { UserPromptSubmit: hook("echo not today >&2; exit 2") }, []),
  hooked("PreToolUse: no, by exit code", { PreToolUse: on("Write", "echo not that >&2; exit 2") }),
  hooked("PreToolUse: no, by JSON", {
    PreToolUse: on(
      "Write|Edit",
      `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"because"}}'`,
    ),
  }),
  hooked(
    "PreToolUse: yes, and a question",
    { PreToolUse: on("Write", `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`) },
    undefined,
    { run: ["-p go"] },
  ),
  hooked("PreToolUse: a question", {
    PreToolUse: on("Write", `echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'`),
  }),
  hooked("PreToolUse: another input", {
    PreToolUse: on(
      "Write",
      `echo '{"hookSpecificOutput":{"updatedInput":{"file_path":"$P/y.txt","content":"y"}}}'`,
    ),
  }),
  hooked("PreToolUse: an input that does not fit", {
    PreToolUse: on("Write", `echo '{"hookSpecificOutput":{"updatedInput":{"path":1}}}'`),
  }),
  hooked("PreToolUse: ends it", { PreToolUse: hook(`echo '{"continue":false,"stopReason":"enough"}'`) }),
  hooked("PreToolUse: fails, and fails closed", {
    PreToolUse: [...hook("exit 7"), ...hook("no-such-program", { failClosed: true })],
  }),
  hooked("PostToolUse: adds, says no", {
    PostToolUse: [...on("Write", "echo seen"), ...on("Write", "echo bad >&2; exit 2")],
  }),
  hooked("PostToolUse: formats the file", { PostToolUse: on("Write", "echo formatted >> $P/x.txt") }, [
    [write],
    [["Edit", { file_path: "$P/x.txt", old_string: "formatted", new_string: "done" }]],
  ]),
  hooked("PostToolUseFailure", { PostToolUseFailure: hook("echo it failed") }, [[fail]]),
  hooked(
    "Stop: goes on once",
    { Stop: hook("grep -q '\"stop_hook_active\":true' || { echo one more thing >&2; exit 2; }") },
    ["First.", "Second."],
  ),
  hooked("Stop: never satisfied", { Stop: hook("echo again >&2; exit 2") }, []),
  hooked(
    "SubagentStop",
    { SubagentStop: hook("grep -q '\"stop_hook_active\":true' || { echo look again >&2; exit 2; }") },
    [],
    agentStops,
  ),
  hooked(
    "SessionStart and SessionEnd",
    { SessionStart: hook("echo welcome"), SessionEnd: hook("cat > $P/end.json") },
    [],
  ),
  hooked("an event that there is not, and a bad matcher", {
    PreTooluse: hook("true"),
    PreToolUse: on("(", "true"),
  }),
  acting("all switched off", [[write]], {
    settings: { disableAllHooks: true, hooks: { PreToolUse: hook("exit 2") } },
  }),
  acting("of an untrusted project", [[write]], {
    files: { ".claude/settings.json": JSON.stringify({ hooks: { PreToolUse: hook("exit 2") } }) },
  }),
]);
