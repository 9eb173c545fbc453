import { delegate } from "./delegate.ts";
import { hasDiff, summarizeDiff } from "./diff.ts";
import { about, explainFile, usesOf } from "./names.ts";
import type { OfflinePlan, PlanResult } from "./plan.ts";
import {
  describeProject,
  howTo,
  largestFiles,
  layout,
  listCommands,
  listDependencies,
  listTodos,
  recentChanges,
  statedField,
} from "./project.ts";
import { search } from "./search.ts";
import { LookupError, type OfflineTools } from "./tools.ts";

export const NEEDS_MODEL =
  "This needs a model, and the offline model only looks things up: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own, and ask again.";

const HELP = `I am the offline model: no key, no network. I look things up in this directory and do not reason.

Ask me, for example:
  what is this project?            how do I build, run or test it?    which commands are there?
  describe the layout              what are the dependencies?         which files are the largest?
  what changed lately?             are there any TODOs?               explain src/main.ts
  where is parseHeader defined?    who calls parseHeader?             how are plugins loaded?
  git diff | troupe -p "summarize this diff"

I also carry out instructions of exactly these forms, several after each other with "then":
  in FILE replace "A" with "B"     append "X" to FILE                 create FILE with "X"
  run "COMMAND"                    in background: TASK                in parallel: TASK; TASK

For everything else set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own.`;

type Intent = (text: string, tools: OfflineTools) => OfflinePlan<PlanResult>;

function says(text: string, ok = true): Intent {
  return () => finished({ ok, text });
}

/** A plan without calls. */
function* finished(result: PlanResult): OfflinePlan<PlanResult> {
  yield* [];
  return result;
}

const needsModel = says(NEEDS_MODEL, false);

const PATH =
  /(?:^|[\s`"'(])((?:[\w.@-]+\/)+[\w.@-]*|[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,4})(?=$|[\s`"'),?:!]|\.\s|\.$)/i;
/** A name as code has it: quoted, of several parts, called, or said to be one. */
const NAME =
  /[`"“]([\w$.:-]+)[`"”]|\b(?:function|class|method|type|interface|struct|constant|variable|module)\s+(?!is\b|are\b|does\b)([\w$]{2,})|\b([A-Za-z]*[a-z\d][A-Z]\w*|[A-Za-z]\w*_\w+|[A-Z][A-Z\d]{2,}|\w+(?=\(\)))|\s([A-Z][a-z]\w+)/;

/** What may be looked up: anything that does not begin so is work. */
const ASKS =
  /^(?:what|which|in which|how|where|who|when|list|show|find|locate|search|grep|explain|describe|summari[sz]e|outline|overview|tell me about|give me|walk me|are there|is there|any|all|the|(?:the )?(?:latest|last|recent|newest|largest|biggest)|todos?|fixmes?|dependencies|layout|structure|licen[sc]e|version|entry|git (?:log|history))\b|在哪|哪里/i;
/** Judgement, advice, reasons and work need a model, whatever else is asked. */
const NEEDS_THOUGHT =
  /\b(?:why|should|shall|better|best|worst|secure|safe|correct|wrong|bugs?|vulnerab\w*|improve\w*|recommend\w*|opinion|think|risks?|compare|difference|good|bad|clean|quality|review|fail\w*|wrote|language|how many (?!lines|files))\b|\b(?:and|then|,)\s+(?:add|fix|update|upgrade|remove|delete|rename|change|make|write|create|implement|refactor|move|replace|commit|explain why)\b/i;

const IT = String.raw`(?:this|the|it|your|our)?\s*(?:project|repo|repository|code ?base|code|app|application|program|package|library|tool)?`;
const only = (words: string) => new RegExp(`^(?:${words})\\W*$`, "i");

/** In this order; the first that fits answers. */
const INTENTS: readonly (readonly [RegExp, Intent])[] = [
  [/\b(?:todos?|fixmes?)\b/i, listTodos],
  [
    /\b(?:largest|biggest|longest)\b.*\bfiles?\b|\bfiles?\b.*\b(?:largest|biggest|longest)\b|^how (?:big|large|many (?:lines|files))\b/i,
    largestFiles,
  ],
  [
    /^(?!who|where|how|.*\bdependencies (?:of|for|in) (?!this|the|it|our)).*(?:\bdependenc(?:y|ies)\b|\bit depends? on\b|\bthis depends? on\b|\b(?:which|what) (?:packages|libraries)\b)/i,
    listDependencies,
  ],
  [
    /\b(?:lately|recent(?:ly)?|newest|latest|last)\b.*\b(?:changes?|changed|commits?|happened)\b|\b(?:changed?|changes|happened|commits?)\b.*\b(?:lately|recently|last|latest)\b|^what(?:'s| is) new\b|git (?:log|history)\b|^what changed\W*$|\b(?:uncommitted|not committed|unstaged)\b|^what (?:did|have) (?:i|we) change/i,
    recentChanges,
  ],
  [/\bentry ?points?\b|\bmain function\b|^where does (?:it|this|the)\b.*\bstarts?\b/i, listCommands],
  [
    /^(?!how (?:do|can)).*(?:\blicen[sc]|\b(?:python|node|go|rust)\b.*\bversion\b|\bversion of (?:python|node|go|rust)\b)/i,
    statedField,
  ],
  [only(`(?:what|which)(?: is the|'s the)?(?: current)? version(?: (?:is|of) ${IT})?`), statedField],
  [
    /^how (?:do|can|could|would) (?:i|we|you|one)\b|^how to\b|^how (?:is|are|does) (?:it|this|the (?:tests?|project|app|program|code|server))\b.*\b(?:run|built|build|compiled?|started?|installed?|linted|tested)\b|^(?:what|which) commands? (?:runs?|builds?|starts?|installs?)\b/i,
    howTo,
  ],
  [/^(?!where|who|how).*\b(?:(?:sub)?commands|scripts|endpoints?|routes|targets)\b/i, listCommands],
  [
    /\b(?:laid out|layout|director(?:y|ies)|folders?)\b|\b(?:project|code|file|repo\w*) (?:structure|tree)\b|\b(?:structure of|how is) (?:this|the|it)\b.*\b(?:project|repo\w*|code\w*|organi[sz]ed|structured)\b/i,
    layout,
  ],
  [
    only(
      `(?:what(?:'s| is| does| are)?|describe|summari[sz]e|explain|tell me about|(?:give me )?(?:an? )?(?:short )?overview(?: of)?)(?: the (?:purpose|point|goal) of)? ${IT}(?: do| about| for| used for| here)?(?: to me| briefly)?`,
    ),
    describeProject,
  ],
  [only("what(?:'s| is) [a-z][\\w-]+"), byAgent(whatIs)],
  [
    /^who\b.*\b(?:calls?|uses?|imports?|references?|depends? on)\b|\b(?:callers?|usages?|uses) of\b|\bwhere\b.*\b(?:called|used|imported|referenced)\b|^(?:what|which \w+) (?:calls?|uses?|imports?)\b/i,
    byAgent(usesOf),
  ],
];
/** Where it is no question, but the user talks to us. */
const TALK: readonly (readonly [RegExp, Intent])[] = [
  [/^(?:hi|hello|hey|good (?:morning|evening|afternoon)|你好)\b[\s\w,!.]{0,20}$/i, says(`Hello! ${HELP}`)],
  [
    /^(?:thanks?|thank you|thx|great|okay|ok|cool|nice|perfect|bye|谢谢)\b[^?]{0,30}$/i,
    says("You are welcome."),
  ],
  [
    /^(?:help|\?|what can (?:you|i)\b.*|(?:who|what) are you\b.*|what (?:else )?do you know.*)[?!.]*$/i,
    says(HELP),
  ],
  [
    /^(?:run|build|start|install|compile|lint|launch) (?:it|this|the (?:tests?|test suite|linter|project|app|program|server|code))\W*$/i,
    howTo,
  ],
];

const EXPLAINS =
  /^(?:explain|describe|summari[sz]e|outline|show|list|(?:what|which) files|what(?:'s| is| does| do| are)|walk me through|tell me about)\b/i;
const SEARCHES =
  /^(?:where|find|locate|search|grep|which|in which|show me where|how (?:is|are|does|do|did|long|often)|what (?:is|are|does|do|decides|happens|makes|starts|stops)|who|when|(?:explain|describe) (?:how|the)|what \w+s)\b|在哪|哪里/i;

/** Answers one question, or says that it needs a model. */
export function* answer(text: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  try {
    return yield* intentOf(text)(text, tools);
  } catch (error) {
    if (error instanceof LookupError)
      return { ok: false, text: `Nothing could be looked up: ${error.message}` };
    throw error;
  }
}

export function isAnswerable(text: string): boolean {
  return intentOf(text) !== needsModel;
}

function intentOf(text: string): Intent {
  const polite = /^(?:(?:and|so|also|please|now|then|ok|okay|(?:can|could|would) you)\b[\s,]*)+(?=\w)/i;
  const asked = text.trim().replace(polite, "");
  if (hasDiff(asked)) return () => finished(summarizeDiff(asked, NEEDS_MODEL));
  for (const [pattern, intent] of TALK) if (pattern.test(asked)) return intent;
  const path = PATH.exec(asked)?.[1];
  if (path !== undefined && asked === path) return (_, tools) => explainFile(path, tools);
  if (!ASKS.test(asked) || NEEDS_THOUGHT.test(asked)) return needsModel;
  for (const [pattern, intent] of INTENTS) if (pattern.test(asked)) return intent;
  if (path !== undefined && EXPLAINS.test(asked)) return (_, tools) => explainFile(path, tools);
  const name = NAME.exec(asked)
    ?.slice(1)
    .find((one) => one !== undefined);
  if (name !== undefined && (EXPLAINS.test(asked) || /\b(?:defined|declared)\b/i.test(asked)))
    return byAgent((_, tools) => about(name, "definition", tools));
  return SEARCHES.test(asked) ? byAgent(search) : needsModel;
}

/** "What is NAME": the project itself, or something in it. */
function* whatIs(text: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const project = yield* describeProject(text, tools);
  const name = /([\w-]+)\W*$/.exec(text)?.[1] ?? "";
  const isIt = new RegExp(`"?name"?\\s*[:=]\\s*"${name}"|^#* *\\d* *#? *${name}\\b`, "im").test(project.text);
  return isIt ? project : yield* search(text, tools);
}

/** The main conversation gives a search to an agent, an agent searches itself. */
function byAgent(plan: Intent): Intent {
  return (text, tools) => (tools.isMain && tools.find("Agent") ? delegate(text, tools) : plan(text, tools));
}

const SMALL_TALK =
  /^(?:(?:please|answer|tell me|thanks?|thank you|hi|hello|now|and|also)\b[\s\w,]*[:!.]?|[^:]{0,80}:)$/i;
/** More than anybody asks by hand. */
const MOST_QUESTIONS = 100;

/** The questions in a prompt; a prompt without any is one thing to answer. */
export function questionsIn(prompt: string): string[] {
  if (hasDiff(prompt)) return [prompt];
  const parts = prompt
    .slice(0, 40_000)
    .split(
      /\n|;\s+(?=(?:where|who|what|how|which|when|find|explain|list|show)\b)|(?<=[?？])(?=\s|\p{Script=Han})/iu,
    )
    .map((part) => part.replace(/^\s*(?:[-*•]|\(?\d{1,3}[.)])\s+/, "").trim());
  const isQuestion = (part: string) => /[?？]$/.test(part) || SEARCHES.test(part) || EXPLAINS.test(part);
  if (!parts.some(isQuestion)) return [prompt.trim()];
  const asked = parts.filter((part) => isQuestion(part) || (part !== "" && !SMALL_TALK.test(part)));
  return [...new Set(asked)].slice(0, MOST_QUESTIONS);
}
