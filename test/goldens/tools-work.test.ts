import { goldens } from "./goldens.ts";
import { acting, type Call, taskIn } from "./session.ts";

const bash = (command: string, more = {}): Call => ["Bash", { command, ...more }];
const todo = (content: string, status: string) => ({ content, status, activeForm: `${content}…` });

goldens("other tools", [
  acting("Bash: output, both streams, an exit code", [
    [bash("echo out; echo err >&2; exit 3")],
    [bash("true")],
  ]),
  acting("Bash: the directory stays, variables do not", [
    [bash("mkdir -p sub; cd sub; export A=1")],
    [bash('pwd; echo "A=$A"')],
    [bash("cd /; pwd")],
  ]),
  acting("Bash: two side by side", [[bash("echo one"), bash("echo two")]]),
  acting("Bash: a time limit", [[bash("echo begun; exec sleep 100", { timeout: 300 })]]),
  acting("Bash: a long output is cut", [[bash("head -c 40000 /dev/zero | tr '\\0' x")]]),
  acting("Bash: nothing to run, and a shell that fails", [
    [bash("")],
    [bash("if then")],
    [bash("no-such-program")],
  ]),
  acting("Bash: in the background, then its output", [
    [bash("echo begun; until [ -e go ]; do sleep 0.02; done; echo later", { run_in_background: true })],
    (request) => [["TaskOutput", { task_id: taskIn(request), block: false }]],
    (request) => [["TaskOutput", { task_id: taskIn(request) }], bash("touch go")],
  ]),
  acting("TaskStop: a command in the background", [
    [bash("exec sleep 100", { run_in_background: true })],
    (request) => [["TaskStop", { task_id: taskIn(request) }]],
  ]),
  acting("TaskOutput, TaskStop and Monitor: of what there is not", [
    [["TaskOutput", { task_id: "bnothere1" }]],
    [["TaskStop", { task_id: "bnothere1" }]],
    [["Monitor", { task_id: "bnothere1" }]],
  ]),
  acting("TodoWrite: a list, a bad one, an empty one", [
    [["TodoWrite", { todos: [todo("one", "in_progress"), todo("two", "pending")] }]],
    [["TodoWrite", { todos: [todo("one", "in_progress"), todo("two", "in_progress")] }]],
    [["TodoWrite", { todos: [] }]],
  ]),
  acting("tasks: created, blocked, done, listed", [
    [
      ["TaskCreate", { subject: "First", description: "The first." }],
      ["TaskCreate", { subject: "Second", description: "The second." }],
    ],
    [["TaskUpdate", { taskId: "2", addBlockedBy: ["1"] }]],
    [["TaskUpdate", { taskId: "1", addBlockedBy: ["2"] }]],
    [["TaskUpdate", { taskId: "1", status: "completed" }]],
    [
      ["TaskList", {}],
      ["TaskGet", { taskId: "2" }],
      ["TaskGet", { taskId: "9" }],
    ],
  ]),
  acting("AskUserQuestion: nobody is there", [
    [
      [
        "AskUserQuestion",
        {
          questions: [
            {
              question: "Which?",
              header: "Which",
              multiSelect: false,
              options: [
                { label: "A", description: "a" },
                { label: "B", description: "b" },
              ],
            },
          ],
        },
      ],
    ],
  ]),
  acting(
    "plan mode: a plan that nobody can approve",
    [[["Write", { file_path: "$P/x.txt", content: "x" }]], [["ExitPlanMode", { plan: "1. Write x.txt" }]]],
    { run: ["-p plan --permission-mode plan"] },
  ),
  acting(
    "plan mode: entered by the model",
    [[["EnterPlanMode", {}]], [["Write", { file_path: "$P/x.txt", content: "x" }]]],
    { run: ["-p go --permission-mode default"] },
  ),
  acting("LSP: absent", [[["LSP", { operation: "hover", filePath: "$P/a.ts", line: 1, character: 1 }]]], {
    files: { "a.ts": "const a = 1;\n" },
  }),
  acting("timers: in a run that ends", [
    [["CronCreate", { cron: "*/5 * * * *", prompt: "again" }]],
    [["CronList", {}]],
    [["CronDelete", { id: "none" }]],
    [["ScheduleWakeup", { delaySeconds: 60, reason: "r", prompt: "p" }]],
  ]),
  acting(
    "WebFetch: a page, a page that is not there, no address",
    [
      [["WebFetch", { url: "$URL/page", prompt: "What is its title?" }]],
      [["WebFetch", { url: "$URL/none", prompt: "Anything?" }]],
      [["WebFetch", { url: "not an address", prompt: "Anything?" }]],
    ],
    {
      pages: {
        "/page": {
          status: 200,
          headers: { "content-type": "text/html" },
          body: "<title>Home</title><p>Hello.</p>",
        },
        "/none": { status: 404, body: "gone" },
      },
    },
  ),
  acting("WebSearch: nobody searches", [[["WebSearch", { query: "anything" }]]]),
  acting("ToolSearch and UseTool: nothing is deferred", [
    [["ToolSearch", { query: "anything" }]],
    [["UseTool", { tool: "Read", input: {} }]],
  ]),
]);
