import { howTo, listCommands } from "./commands.ts";
import { explainPath, hasDiff, sizes, summarizeDiff } from "./files.ts";
import { delegate } from "./instructions.ts";
import { type OfflinePlan, type PlanResult, unsure } from "./plan.ts";
import { describeProject, findStated, listDependencies, listTodos, recentChanges } from "./project.ts";
import { about, search, usesOf, whatIs } from "./search.ts";
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

type Intent = (text: string, tools: OfflineTools) => OfflinePlan | PlanResult;

const says = (text: string) => () => ({ ok: true, text });
const needsModel = () => unsure("");

/** A path, or a directory by its name. */
const PATH =
  /(?:^|[\s`"'(])((?:[\w.@-]+\/)+[\w.@-]*|[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,4})(?=$|[\s`"'),?:!]|\.\s|\.$)|\b(?:in|of|is) (?:the )?(?!this\b|root\b|current\b)([\w.-]+) (?:directory|folder)\b/i;
/** A name as code has it: quoted, of several parts, called, or said to be one. */
const NAME =
  /[`"“]([\w$.:-]+)[`"”]|^what does ([\w$]+) do\b|\b(?:function|class|method|type|interface|struct|constant|variable|module)\s+(?!is\b|are\b|does\b)([\w$]{2,})|\b([A-Za-z]*[a-z\d][A-Z]\w*|[A-Za-z]\w*_\w+|[A-Z][A-Z\d]{2,}|\w+(?=\(\)))|\s([A-Z][a-z]\w+)(?=\W*$|\s+(?:defined|declared|do|does|for|is)\b)/;

/** What may be looked up: anything that does not begin so is work. */
const ASKS =
  /^(?:what|which|in which|how|where|who|when|list|show|find|locate|search|grep|explain|describe|summari[sz]e|outline|overview|tell me (?:about|what)|give me|walk me|are there|is there|any|all|the|(?:the )?(?:latest|last|recent|newest|largest|biggest)|todos?|fixmes?|dependencies|layout|structure|licen[sc]e|version|entry|git (?:log|history))\b|在哪|哪里/i;
/** Judgement, advice, reasons and work need a model, whatever else is asked. */
const NEEDS_THOUGHT =
  /\b(?:why|should|shall|would(?! (?:i|we|you|one)\b)|better|best|worst|secure|safe|correct|wrong|bugs?|vulnerab\w*|improve\w*|recommend\w*|opinion|think|risks?|compare|difference|good|bad|clean|quality|review|fail\w*|wrote|language|how many (?!lines|files|todos|fixmes))\b|\b(?:and|then|,)\s+(?:add|fix|update|upgrade|remove|delete|rename|change|make|write|create|implement|refactor|move|replace|commit|explain why)\b/i;

const IT = String.raw`(?:this|the|it|your|our)?\s*(?:project|repo|repository|code ?base|code|app|application|program|package|library|tool)?`;
const RUN = "(?:run|build|start|install|compile|lint|launch)";
const ASKS_IT = `(?:what(?:'s| is| does| do| are)?|describe|summari[sz]e|explain|tell me (?:about|what)|(?:give me )?(?:an? )?(?:short )?overview(?: of)?)(?: the (?:purpose|point|goal) of)? ${IT}(?: is| does| do| about| for| used for| here)?(?: to me| briefly)?`;
/** The whole text has one of these forms, and signs after it. */
const only = (...forms: string[]) => new RegExp(`^(?:${forms.join("|")})\\W*$`, "i");
/** A question of these words in any order. */
const both = (a: string, b: string) => new RegExp(`^(?=.*\\b(?:${a})\\b)(?=.*\\b(?:${b})\\b)`, "i");

/** These words alone: with others it may be work. */
const THANKS =
  /^(?:thanks?|thx|great|ok(?:ay)?|cool|nice|perfect|bye|谢谢)(?:[\s,!.]+(?:thanks?|great|good|nice|perfect|you|so|very|much|a lot|for|the|your|that|is|was|it|works?|helps?|answer|job))*[\s,!.]*$/i;
/** In this order, the first that fits answers: what is said to us, then what may be looked up. */
const TALK: readonly (readonly [RegExp, Intent])[] = [
  [
    /^(?:hi|hello|hey|good (?:morning|evening|afternoon)|你好)(?: there| all)?[\s!.,]*(?:(?:who|what) are you|what can you do)?[\s?!.,]*$/i,
    says(`Hello! ${HELP}`),
  ],
  [THANKS, says("You are welcome.")],
  [only("help|\\?|who are you|what (?:can (?:you|i) (?:do|ask)|are you|do you know)(?: here)?"), says(HELP)],
  [only(`${RUN} (?:(?:the )?(?:tests?|test suite|linter|server)|${IT})`), howTo],
];
const INTENTS: readonly (readonly [RegExp, Intent])[] = [
  [/\b(?:todos?|fixmes?)\b/i, listTodos],
  [/^(?!how (?:do|can)).*\blicen[sc]/i, findStated],
  [both("python|node|go|rust", "version"), findStated],
  [only(`(?:what|which)(?: is the|'s the)?(?: current)? version(?: (?:is|of) ${IT})?`), findStated],
  [both("largest|biggest|longest|most lines", "files?"), sizes],
  [/^how (?:big|large|many (?:lines|files)|is (?:this|the|it)\b.*\b(?:organi[sz]ed|structured))\b/i, sizes],
  [/^(?!who|where|how).*\bdependenc(?!ies (?:of|for|in) (?!this|the|it|our))/i, listDependencies],
  [/^what (?:does .*|.*\b(?:it|this) )depends? on\b|\bwh(?:ich|at) (?:package|librar)/i, listDependencies],
  [both("lately|recent(?:ly)?|newest|latest|last", "changes?|changed|commits?|happened"), recentChanges],
  [/^what(?:'s| is) new\b|git (?:log|history)\b|^what changed\W*$/i, recentChanges],
  [/\b(?:uncommitted|not committed|unstaged)\b|^what (?:did|have) (?:i|we) change/i, recentChanges],
  [/^how to\b|^how (?:do|can|could|would) (?:i|we|you|one)\b/i, howTo],
  [/^how (?:is|are) .*\b(?:run|built|compiled|started|installed|linted|tested)\W*$/i, howTo],
  [/^(?:what|which) commands? (?:runs?|builds?|starts?|installs?)\b/i, howTo],
  [/^(?!where|who|how).*\b(?:(?:sub)?commands|scripts|endpoints?|routes|targets)\b/i, listCommands],
  [/\bentry ?points?\b|\bmain function\b|^where does (?:it|this|the)\b.*\bstarts?\b/i, listCommands],
  [/\b(?:laid out|layout|directories|folders)\b/i, sizes],
  [/\b(?:project|code|file|directory|folder|repo\w*) (?:structure|tree)\b|structure of (?:th|it\b)/i, sizes],
  [only(ASKS_IT), describeProject],
  [only("what(?:'s| is| are) (?:an? |the )?[a-z][\\w-]+"), byAgent(whatIs)],
  [/^(?:who\b.*|what|which \w+) (?:calls?|uses?|imports?|references?|depends? on)\b/i, byAgent(usesOf)],
  [/\b(?:callers?|usages?|uses) of\b|\bwhere\b.*\b(?:called|used|imported|referenced)\b/i, byAgent(usesOf)],
];

const EXPLAINS =
  /^(?:explain|describe|summari[sz]e|outline|show|list|(?:what|which) files|what(?:'s| is| does| do| are)|walk me through|tell me about)\b/i;

/** Answers one question, or says that it needs a model. */
export function* answer(text: string, tools: OfflineTools): OfflinePlan {
  try {
    const plan = intentOf(text)(text, tools);
    return "next" in plan ? yield* plan : plan;
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
  if (hasDiff(asked)) return () => summarizeDiff(asked);
  const partOf = (pattern: RegExp) => (pattern.exec(asked) ?? []).slice(1).find((one) => one !== undefined);
  const fits = ([pattern]: readonly [RegExp, Intent]) => pattern.test(asked);
  const path = partOf(PATH);
  const explain: Intent = (_, tools) => explainPath(path ?? "", tools);
  const talk = TALK.find(fits)?.[1];
  if (talk || asked === path) return talk ?? explain;
  if (!ASKS.test(asked) || NEEDS_THOUGHT.test(asked)) return needsModel;
  const intent = INTENTS.find(fits)?.[1];
  if (intent) return intent;
  if (path !== undefined && EXPLAINS.test(asked)) return explain;
  const name = partOf(NAME);
  const isAbout = name !== undefined && (EXPLAINS.test(asked) || /\b(?:defined|declared)\b/i.test(asked));
  return byAgent(isAbout ? (_, tools) => about(name, tools) : search);
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
  const lines = prompt.slice(0, 40_000).split(ENDS);
  const parts = lines.map((part) => part.replace(/^\s*(?:[-*•]|\(?\d{1,3}[.)])\s+/, "").trim());
  const isQuestion = (part: string) => /[?？]$/.test(part) || ASKS.test(part);
  if (!parts.some(isQuestion)) return [prompt.trim()];
  const asked = parts.filter((part) => isQuestion(part) || (part !== "" && !SMALL_TALK.test(part)));
  // More than any user asks by hand.
  return [...new Set(asked)].slice(0, 100);
}
