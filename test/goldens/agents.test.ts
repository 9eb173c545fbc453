import { goldens } from "./goldens.ts";
import { acting, agentIn, type Call, type Session } from "./session.ts";

const agent = (prompt: string, more = {}): Call => ["Agent", { description: "a task", prompt, ...more }];
const helper =
  "---\nname: helper\ndescription: Helps.\ntools: Read\nmodel: haiku\nmaxTurns: 3\n---\nYou help, and say so.\n";

/** One conversation in which agents work; `by` has their replies. */
function family(
  name: string,
  main: NonNullable<Session["replies"]>[string],
  by: Session["replies"] = {},
  more: Partial<Session> = {},
): Session {
  return acting(name, [], { replies: { ...by, main: [...main, "Done."] }, ...more });
}

goldens("agents", [
  family(
    "one in the foreground that reads",
    [[agent("#look-at", { subagent_type: "Explore" })]],
    { "#look-at": [[["Read", { file_path: "$P/a.txt" }]], "It says `hello`."] },
    { files: { "a.txt": "hello\n" } },
  ),
  family("a type that there is not", [[agent("#look", { subagent_type: "Explorer2" })]]),
  family("wrong input", [[["Agent", { description: "x" }]], [agent("")]]),
  family("a tool that it has not", [[agent("#write-it", { subagent_type: "Explore" })]], {
    "#write-it": [[["Write", { file_path: "$P/x", content: "x" }]], "I cannot."],
  }),
  family("another model", [[agent("#think", { model: "opus" })]], { "#think": ["Thought."] }),
  family("an agent that starts agents, down to the depth", [[agent("#level-one")]], {
    "#level-one": [[agent("#level-two")], "One."],
    "#level-two": [[agent("#level-three")], "Two."],
  }),
  family(
    "in the background, waited for",
    [[agent("#look", { run_in_background: true })], "I wait.", "All is there."],
    { "#look": [{ text: "Looked.", late: 2, delayMs: 1000 }] },
  ),
  family(
    "resumed with another prompt",
    [[agent("#look")], (request) => [agent("#and-again", { resume: agentIn(request) })]],
    { "#look": ["Looked.", "Looked again."] },
  ),
  family("resumed: none with that ID", [[agent("#and-again", { resume: "abcdefgh12345678" })]]),
  family("a fork", [[agent("#fork-it", { subagent_type: "fork" })]], {
    "#fork-it": [{ text: "Forked.", late: 2, delayMs: 1000 }],
  }),
  family(
    "an answer by a schema",
    [
      [
        agent("#count", {
          output_schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
        }),
      ],
    ],
    { "#count": ["not JSON", '{"n": "x"}', '{"n": 3}'] },
  ),
  family(
    "a report that claims what was not looked at",
    [[agent("#check")]],
    {
      "#check": [
        [["Read", { file_path: "$P/a.txt" }]],
        "I ran `npm test` and all tests pass; see src/none.ts:12.",
      ],
    },
    { files: { "a.txt": "hello\n" } },
  ),
  family(
    "SendMessage: to one that has ended, to nobody, to itself",
    [
      [agent("#look")],
      [["SendMessage", { to: "nobody", message: "Hello?" }]],
      [["SendMessage", { to: "main", message: "Me?" }]],
      (request) => [["SendMessage", { to: agentIn(request), message: "More?" }]],
    ],
    { "#look": ["Looked.", { text: "More.", late: 5, delayMs: 1000 }] },
  ),
  family("ListAgents, with and without any", [[["ListAgents", {}]], [agent("#look")], [["ListAgents", {}]]], {
    "#look": ["Looked."],
  }),
  family(
    "a definition of the project, trusted",
    [[agent("#help-me", { subagent_type: "helper" })]],
    { "#help-me": ["I help."] },
    { files: { ".claude/agents/helper.md": helper }, run: ["-p go --trust"] },
  ),
  family(
    "a definition of the project, not trusted",
    [[agent("#help-me", { subagent_type: "helper" })]],
    { "#help-me": ["I help."] },
    { files: { ".claude/agents/helper.md": helper } },
  ),
  family(
    "a definition of the user",
    [[agent("#help-me", { subagent_type: "helper" })]],
    { "#help-me": ["I help."] },
    { home: { ".claude/agents/helper.md": helper } },
  ),
  family(
    "its turns are used up",
    [[agent("#help-me", { subagent_type: "helper" })]],
    { "Help me": Array.from({ length: 5 }, () => [["Read", { file_path: "$P/a.txt" }] as const]) },
    { home: { ".claude/agents/helper.md": helper }, files: { "a.txt": "a\n" } },
  ),
  family("it fails at the API", [[agent("#look")]], {
    "#look": [
      { status: 400, body: '{"type":"error","error":{"type":"invalid_request_error","message":"no"}}' },
    ],
  }),
  family("it says nothing", [[agent("#look")]], { "#look": ["", "", ""] }),
  family("no agents at all", [[agent("#look")]], {}, { run: ["-p go --disallowed-tools Agent"] }),
  family(
    "agents by flag",
    [[agent("#quick", { subagent_type: "quick" })]],
    { "#quick": ["Done quickly."] },
    {
      run: [
        {
          argv: [
            "-p",
            "go",
            "--agents",
            '{"quick":{"description":"Is quick.","prompt":"Be quick.","tools":["Read"]}}',
          ],
        },
      ],
    },
  ),
  family(
    "the main conversation as an agent type",
    [],
    {},
    { run: ["-p go --agent Explore", "-p go --agent none"] },
  ),
  family(
    "another role",
    [],
    {},
    { run: ['-p go --system-prompt "You are brief."', '-p go --append-system-prompt "Be brief."'] },
  ),
]);
