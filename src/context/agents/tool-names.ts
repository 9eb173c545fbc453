/** The tools of other programs, by their names without separators and prefix, and what does their work here. */
const COUNTERPARTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    Read: "readfile readmanyfiles viewfile openfile viewimage notebookread",
    Edit: "editfile searchreplace replaceinfile replace strreplace applydiff multiedit",
    "Edit Write": "applypatch patch strreplaceeditor strreplacebasededittool",
    "Edit Write NotebookEdit": "edit editfiles",
    Write: "createfile writefile writetofile",
    NotebookEdit: "editnotebook",
    Glob: "ls list listdir listdirectory listfiles filesearch globfilesearch findfiles findtestfiles",
    Grep: "grepsearch textsearch searchfiles searchfilecontent ripgrep",
    "Grep Glob": "search codebase codebasesearch semanticsearch",
    Bash: "shell terminal execute runcommands runinterminal runterminalcmd runterminalcommand runshellcommand executecommand terminalcommand",
    TaskOutput: "getterminaloutput gettaskoutput bashoutput",
    TaskStop: "killbash killshell killterminal",
    WebFetch: "fetch fetchwebpage",
    WebSearch: "googlewebsearch",
    "WebFetch WebSearch": "web",
    Agent: "runsubagent customagent",
    TodoWrite: "todo todos writetodos updateplan managetodolist",
    Skill: "slashcommand activateskill",
    AskUserQuestion: "askquestions askuser askfollowupquestion question",
    LSP: "problems usages readlints listcodeusages",
  }).flatMap(([ours, theirs]) => theirs.split(" ").map((name) => [name, ours.split(" ")] as const)),
);
/** Groups of tools that come before a name: `search/codebase`. */
const GROUP = /^(?:agent|edit|execute|read|runCommands|runNotebooks|runTasks|search|todo|vscode|web)\//;
/** Both names of the tool that starts agents, which is not known before it has its list of them. */
const SPAWNING: readonly string[] = ["Agent", "Task"];

/** Returns the tools that a definition means: as they are called here, however their names are written. */
export function resolveTools(names: readonly string[], known: ReadonlySet<string>): readonly string[] {
  return names.flatMap((name) => resolveTool(name, known));
}

/**
 * Returns those of these names that mean no tool. A server's tools are known only after it has started: `hasServer` says
 * whether there is a server of this slug.
 */
export function unknownTools(
  names: readonly string[],
  known: ReadonlySet<string>,
  hasServer: (slug: string) => boolean = () => true,
): readonly string[] {
  return names.filter((name) => {
    const slug = /^mcp__(.+?)(?:__|$)/.exec(name)?.[1];
    if (slug !== undefined) return !slug.includes("*") && !hasServer(slug);
    const isKnown = (one: string) => known.has(one) || SPAWNING.includes(one);
    return !/^(?:\*|\w+\*)$/.test(name) && !resolveTool(name, known).some(isKnown);
  });
}

function resolveTool(name: string, known: ReadonlySet<string>): readonly string[] {
  if (known.has(name) || SPAWNING.includes(name) || name.startsWith("mcp__")) return [name];
  const plain = plainTool(name);
  const theirs = COUNTERPARTS.get(plain);
  if (theirs !== undefined) return theirs;
  const ours = [...known, ...SPAWNING].find((one) => plainTool(one) === plain);
  return ours === undefined ? [name] : [ours];
}

function plainTool(name: string): string {
  return name.replace(GROUP, "").replace(/[-_ ]/g, "").toLowerCase();
}
