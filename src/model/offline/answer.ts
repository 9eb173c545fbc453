import { howTo, listCommands } from "./commands.ts";
import { delegate } from "./delegate.ts";
import { hasDiff, summarizeDiff } from "./diff.ts";
import { about, explainFile, usesOf, whatIs } from "./names.ts";
import { NEEDS_MODEL, type OfflinePlan, type PlanResult } from "./plan.ts";
import { describeProject, findStated, listDependencies, recentChanges, sizes } from "./project.ts";
import { search } from "./search.ts";
import { LookupError, type OfflineTools } from "./tools.ts";

const HELP = `I am the offline model: no key, no network. I look things up in this directory and do not reason.

Ask me, for example:
  what is this project?            how do I build, run or test it?    which commands are there?
  describe the layout              what are the dependencies?         which files are the largest?
  what changed lately?             are there any TODOs?               explain src/main.ts
  where is parseHeader defined?    who calls parseHeader?             how are plugins loaded?
  git diff | troupe -p "summarize this diff"

I also carry out instructions of exactly these forms, several after each other with "then":
  in FILE replace "A" with "B"     append "X" to FILE                 create FILE with "X"
  run "COMMAND"                    in background: TASK

For everything else set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL or OPENAI_BASE_URL for a server of your own.`;

type Intent = (text: string, tools: OfflineTools) => OfflinePlan<PlanResult>;

function says(text: string, ok = true): Intent {
  // A plan without calls.
  return function* () {
    yield* [];
    return { ok, text };
  };
}

const needsModel = says(NEEDS_MODEL, false);

/** A path, or a directory by its name. */
const PATH =
  /(?:^|[\s`"'(])((?:[\w.@-]+\/)+[\w.@-]*|[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,4})(?=$|[\s`"'),?:!]|\.\s|\.$)|\b(?:in|of|is) (?:the )?(?!this\b|root\b|current\b)([\w.-]+) (?:directory|folder)\b/i;
/** A name as code has it: quoted, of several parts, called, or said to be one. */
const NAME =
  /[`"“]([\w$.:-]+)[`"”]|\b(?:function|class|method|type|interface|struct|constant|variable|module)\s+(?!is\b|are\b|does\b)([\w$]{2,})|\b([A-Za-z]*[a-z\d][A-Z]\w*|[A-Za-z]\w*_\w+|[A-Z][A-Z\d]{2,}|\w+(?=\(\)))|\s([A-Z][a-z]\w+)/;

/** What may be looked up: anything that does not begin so is work. */
const ASKS =
  /^(?:what|which|in which|how|where|who|when|list|show|find|locate|search|grep|explain|describe|summari[sz]e|outline|overview|tell me (?:about|what)|give me|walk me|are there|is there|any|all|the|(?:the )?(?:latest|last|recent|newest|largest|biggest)|todos?|fixmes?|dependencies|layout|structure|licen[sc]e|version|entry|git (?:log|history))\b|在哪|哪里/i;
/** Judgement, advice, reasons and work need a model, whatever else is asked. */
const NEEDS_THOUGHT =
  /\b(?:why|should|shall|would(?! (?:i|we|you|one)\b)|better|best|worst|secure|safe|correct|wrong|bugs?|vulnerab\w*|improve\w*|recommend\w*|opinion|think|risks?|compare|difference|good|bad|clean|quality|review|fail\w*|wrote|language|how many (?!lines|files))\b|\b(?:and|then|,)\s+(?:add|fix|update|upgrade|remove|delete|rename|change|make|write|create|implement|refactor|move|replace|commit|explain why)\b/i;

const IT = String.raw`(?:this|the|it|your|our)?\s*(?:project|repo|repository|code ?base|code|app|application|program|package|library|tool)?`;
const only = (words: string) => new RegExp(`^(?:${words})\\W*$`, "i");
/** A question of these words in any order. */
const both = (a: string, b: string) =>
  new RegExp(`\\b(?:${a})\\b.*\\b(?:${b})\\b|\\b(?:${b})\\b.*\\b(?:${a})\\b`, "i");

const IT_IS = `(?:what(?:'s| is| does| do| are)?|describe|summari[sz]e|explain|tell me (?:about|what)|(?:give me )?(?:an? )?(?:short )?overview(?: of)?)(?: the (?:purpose|point|goal) of)? ${IT}(?: is| does| do| about| for| used for| here)?(?: to me| briefly)?`;
const GREETS = /^(?:hi|hello|hey|good (?:morning|evening|afternoon)|你好)\b[\s\w,!.]{0,20}$/i;
const THANKS = /^(?:thanks?|thank you|thx|great|okay|ok|cool|nice|perfect|bye|谢谢)\b[^?]{0,30}$/i;
const FOR_HELP =
  /^(?:help|\?|what can (?:you|i)\b.*|(?:who|what) are you\b.*|what (?:else )?do you know.*)[?!.]*$/i;
const DO_IT =
  /^(?:run|build|start|install|compile|lint|launch) (?:it|this|the (?:tests?|test suite|linter|project|app|program|server|code))\W*$/i;
/** What is said to us, and is no question. */
const TALK: readonly (readonly [RegExp, Intent])[] = [
  [GREETS, says(`Hello! ${HELP}`)],
  [THANKS, says("You are welcome.")],
  [FOR_HELP, says(HELP)],
  [DO_IT, howTo],
];

const ASKS_HOW =
  /^how (?:do|can|could|would) (?:i|we|you|one)\b|^how to\b|^how (?:is|are|does) (?:it|this|the (?:tests?|project|app|program|code|server))\b.*\b(?:run|built|build|compiled?|started?|installed?|linted|tested)\b|^(?:what|which) commands? (?:runs?|builds?|starts?|installs?)\b/i;
const ASKS_USES =
  /^who\b.*\b(?:calls?|uses?|imports?|references?|depends? on)\b|\b(?:callers?|usages?|uses) of\b|\bwhere\b.*\b(?:called|used|imported|referenced)\b|^(?:what|which \w+) (?:calls?|uses?|imports?)\b/i;
const ASKS_DEPENDENCIES =
  /^(?!who|where|how|.*\bdependencies (?:of|for|in) (?!this|the|it|our)).*(?:\bdependenc(?:y|ies)\b|\b(?:it|this) depends? on\b|\b(?:which|what) (?:packages|libraries)\b)/i;
const ASKS_CHANGES =
  /^what(?:'s| is) new\b|git (?:log|history)\b|^what changed\W*$|\b(?:uncommitted|not committed|unstaged)\b|^what (?:did|have) (?:i|we) change/i;
const ASKS_LAYOUT =
  /\b(?:laid out|layout|directories|folders)\b|\b(?:project|code|file|directory|folder|repo\w*) (?:structure|tree)\b|\b(?:structure of|how is) (?:this|the|it)\b.*\b(?:project|repo\w*|code\w*|organi[sz]ed|structured)\b/i;
const ASKS_COMMANDS =
  /\bentry ?points?\b|\bmain function\b|^where does (?:it|this|the)\b.*\bstarts?\b|^(?!where|who|how).*\b(?:(?:sub)?commands|scripts|endpoints?|routes|targets)\b/i;
/** In this order; the first that fits answers. */
const INTENTS: readonly (readonly [RegExp, Intent])[] = [
  [/\b(?:todos?|fixmes?)\b|^(?!how (?:do|can)).*\blicen[sc]/i, findStated],
  [both("python|node|go|rust", "version"), findStated],
  [only(`(?:what|which)(?: is the|'s the)?(?: current)? version(?: (?:is|of) ${IT})?`), findStated],
  [both("largest|biggest|longest|most lines", "files?"), sizes],
  [/^how (?:big|large|many (?:lines|files))\b/i, sizes],
  [ASKS_DEPENDENCIES, listDependencies],
  [both("lately|recent(?:ly)?|newest|latest|last", "changes?|changed|commits?|happened"), recentChanges],
  [ASKS_CHANGES, recentChanges],
  [ASKS_HOW, howTo],
  [ASKS_COMMANDS, listCommands],
  [ASKS_LAYOUT, sizes],
  [only(IT_IS), describeProject],
  [only("what(?:'s| is| are) (?:an? |the )?[a-z][\\w-]+"), byAgent(whatIs)],
  [ASKS_USES, byAgent(usesOf)],
];

const EXPLAINS =
  /^(?:explain|describe|summari[sz]e|outline|show|list|(?:what|which) files|what(?:'s| is| does| do| are)|walk me through|tell me about)\b/i;
/** Answers one question, or says that it needs a model. */
export function* answer(text: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  try {
    return yield* intentOf(text)(text, tools);
  } catch (error) {
    if (!(error instanceof LookupError)) throw error;
    return { ok: false, text: `Nothing could be looked up: ${error.message}` };
  }
}

export function isAnswerable(text: string): boolean {
  return intentOf(text) !== needsModel;
}

function intentOf(text: string): Intent {
  const polite = /^(?:(?:and|so|also|please|now|then|ok|okay|(?:can|could|would) you)\b[\s,]*)+(?=\w)/i;
  const asked = text.trim().replace(polite, "");
  if (hasDiff(asked)) {
    const { ok, text: summary } = summarizeDiff(asked);
    return says(summary, ok);
  }
  const first = (pattern: RegExp) =>
    pattern
      .exec(asked)
      ?.slice(1)
      .find((one) => one !== undefined);
  const path = first(PATH);
  const talk = TALK.find(([pattern]) => pattern.test(asked))?.[1];
  if (talk) return talk;
  if (path !== undefined && asked === path) return (_, tools) => explainFile(path, tools);
  if (!ASKS.test(asked) || NEEDS_THOUGHT.test(asked)) return needsModel;
  const intent = INTENTS.find(([pattern]) => pattern.test(asked))?.[1];
  if (intent) return intent;
  if (path !== undefined && EXPLAINS.test(asked)) return (_, tools) => explainFile(path, tools);
  const name = first(NAME);
  if (name !== undefined && (EXPLAINS.test(asked) || /\b(?:defined|declared)\b/i.test(asked)))
    return byAgent((_, tools) => about(name, "definition", tools));
  return byAgent(search);
}

/** The main conversation gives a search to an agent, an agent searches itself. */
function byAgent(plan: Intent): Intent {
  return (text, tools) => (tools.isMain && tools.find("Agent") ? delegate(text, tools) : plan(text, tools));
}

const SMALL_TALK =
  /^(?:(?:please|answer|tell me|thanks?|hi|hello|now|and|also)\b[\s\w,]*[:!.]?|[^:]{0,80}:)$/i;
const ENDS =
  /\n|;\s+(?=(?:where|who|what|how|which|when|find|explain|list|show)\b)|(?<=[?？])(?=\s|\p{Script=Han})/iu;

/** The questions in a prompt; a prompt without any is one thing to answer. */
export function questionsIn(prompt: string): string[] {
  if (hasDiff(prompt)) return [prompt];
  const parts = prompt
    .slice(0, 40_000)
    .split(ENDS)
    .map((part) => part.replace(/^\s*(?:[-*•]|\(?\d{1,3}[.)])\s+/, "").trim());
  const isQuestion = (part: string) => /[?？]$/.test(part) || ASKS.test(part);
  if (!parts.some(isQuestion)) return [prompt.trim()];
  const asked = parts.filter((part) => isQuestion(part) || (part !== "" && !SMALL_TALK.test(part)));
  // More than any user asks by hand.
  return [...new Set(asked)].slice(0, 100);
}
