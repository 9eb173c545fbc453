import { goldens } from "./goldens.ts";
import { acting, agentIn, type Call, type Session } from "./session.ts";

const agent = (prompt: string, more = {}): Call => ["Agent", { description: "a task", prompt, ...more }];
const helper = "---\nname: helper\ndescription: Helps.\ntools: Read\nmodel: haiku\nmaxTurns: 3\n---\nYou help, and say so.\n";

/** One conversation in which agents work; `by` has their replies. */
function family(name: string, main: NonNullable<Session["replies"]>[string], by: Session["replies"] = {}, more: Partial<Session> = {}): Session {
  return acting(name, [], { replies: { ...by, main: [...main, "Done."] }, ...more });
}

goldens("agents", [
  family("one in the foreground that reads", [[agent("Look at a.txt", { subagent_type: "Explore" })]], { "Look at": [[["Read", { file_path: "$P/a.txt" }]], "It says `hello`."] }, { files: { "a.txt": "hello\n" } }),
  family("a type that there is not", [[agent("Look", { subagent_type: "Explorer2" })]]),
  family("wrong input", [[["Agent", { description: "x" }]], [agent("")]]),
  family("a tool that it has not", [[agent("Write it", { subagent_type: "Explore" })]], { "Write it": [[["Write", { file_path: "$P/x", content: "x" }]], "I cannot."] }),
  family("another model", [[agent("Think", { model: "opus" })]], { Think: ["Thought."] }),
  family("an agent that starts agents, down to the depth", [[agent("Level one")]], { "Level one": [[agent("Level two")], "One."], "Level two": [[agent("Level three")], "Two."] }),
  family("in the background, waited for", [[agent("Look", { run_in_background: true })], "I wait.", "All is there."], { Look: ["Looked."] }),
  family("resumed with another prompt", [[agent("Look")], (request) => [agent("And again?", { resume: agentIn(request) })]], { Look: ["Looked.", "Looked again."] }),
  family("resumed: none with that ID", [[agent("And again?", { resume: "abcdefgh12345678" })]]),
  family("a fork", [[agent("Fork it", { subagent_type: "fork" })]], { "Fork it": ["Forked."] }),
  family("an answer by a schema", [[agent("Count", { output_schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } })]], { Count: ["not JSON", '{"n": "x"}', '{"n": 3}'] }),
  family("a report that claims what was not looked at", [[agent("Check")]], { Check: [[["Read", { file_path: "$P/a.txt" }]], "I ran `npm test` and all tests pass; see src/none.ts:12."] }, { files: { "a.txt": "hello\n" } }),
  family("SendMessage: to one that has ended, to nobody, to itself", [[agent("Look")], (request) => [["SendMessage", { to: agentIn(request), message: "More?" }]], [["SendMessage", { to: "nobody", message: "Hello?" }]], [["SendMessage", { to: "main", message: "Me?" }]]], { Look: ["Looked.", "More."] }),
  family("ListAgents, with and without any", [[["ListAgents", {}]], [agent("Look")], [["ListAgents", {}]]], { Look: ["Looked."] }),
  family("a definition of the project, trusted", [[agent("Help me", { subagent_type: "helper" })]], { "Help me": ["I help."] }, { files: { ".claude/agents/helper.md": helper }, run: ["-p go --trust"] }),
  family("a definition of the project, not trusted", [[agent("Help me", { subagent_type: "helper" })]], { "Help me": ["I help."] }, { files: { ".claude/agents/helper.md": helper } }),
  family("a definition of the user", [[agent("Help me", { subagent_type: "helper" })]], { "Help me": ["I help."] }, { home: { ".claude/agents/helper.md": helper } }),
  family("its turns are used up", [[agent("Help me", { subagent_type: "helper" })]], { "Help me": Array.from({ length: 5 }, () => [["Read", { file_path: "$P/a.txt" }] as const]) }, { home: { ".claude/agents/helper.md": helper }, files: { "a.txt": "a\n" } }),
  family("it fails at the API", [[agent("Look")]], { Look: [{ status: 400, body: '{"type":"error","error":{"type":"invalid_request_error","message":"no"}}' }] }),
  family("it says nothing", [[agent("Look")]], { Look: ["", "", ""] }),
  family("no agents at all", [[agent("Look")]], {}, { run: ["-p go --disallowed-tools Agent"] }),
  family("agents by flag", [[agent("Quick", { subagent_type: "quick" })]], { Quick: ["Done quickly."] }, { run: [{ argv: ["-p", "go", "--agents", '{"quick":{"description":"Is quick.","prompt":"Be quick.","tools":["Read"]}}'] }] }),
  family("the main conversation as an agent type", [], {}, { run: ["-p go --agent Explore", "-p go --agent none"] }),
  family("another role", [], {}, { run: ['-p go --system-prompt "You are brief."', '-p go --append-system-prompt "Be brief."'] }),
]);
