import { goldens } from "./goldens.ts";
import type { Call, Session } from "./session.ts";

const read: Call = ["Read", { file_path: "$P/a.txt" }];
const files = { "a.txt": "a\n" };
const resumed = (
  name: string,
  main: NonNullable<Session["replies"]>[string],
  run: Session["run"],
  more: Partial<Session> = {},
): Session => ({ name, files, run, replies: { main }, ...more });
const no = { status: 400, body: '{"type":"error","error":{"type":"invalid_request_error","message":"no"}}' };

goldens("sessions that are resumed", [
  resumed("after an answer", [[read], "First.", "Second."], ["-p go", '-p --continue "and then?"']),
  resumed(
    "by its ID, as JSON",
    ["First.", "Second."],
    ["-p go", "-p --resume {session} more --output-format json"],
  ),
  resumed("without a prompt, after an answer", ["First."], ["-p go", "-p --continue"]),
  resumed("without a prompt, after a failure", [[read], no, "Recovered."], ["-p go", "-p --continue"], {
    settings: { troupe: { patienceMs: 0 } },
  }),
  resumed("with a prompt, after a failure", [no, "Recovered."], ["-p go", '-p --continue "again"'], {
    settings: { troupe: { patienceMs: 0 } },
  }),
  resumed(
    "as a copy",
    ["First.", "Second.", "Third."],
    ["-p go", "-p --continue --fork-session more", "-p --resume {session} still"],
  ),
  resumed(
    "by sessions resume, with another model",
    ["First.", "Second."],
    ["-p go", "sessions resume {session} --model opus more"],
  ),
  resumed(
    "in another mode and with other tools",
    ["First.", [read]],
    ["-p go", "-p --continue more --disallowed-tools Read"],
  ),
  resumed(
    "after its turns were used up",
    [[read], [read], "Summary.", "More."],
    ["-p go --max-turns 2", "-p --continue more"],
  ),
  resumed(
    "with an agent, which is resumed too",
    [[["Agent", { description: "d", prompt: "#look" }]], "First.", "Second."],
    ["-p go", "-p --continue more", "sessions show {session}"],
  ),
  resumed(
    "memory was changed in between",
    ["First.", [["Bash", { command: "echo 'Use tabs.' > CLAUDE.md" }]], "Written.", "Third."],
    [
      "-p go --permission-mode bypassPermissions",
      "-p --continue write --permission-mode bypassPermissions",
      "-p --continue more",
    ],
  ),
  resumed("another folder has none", [], ["-p go --cwd .", "-p --continue more --cwd $H"]),
]);
