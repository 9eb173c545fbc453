import { AROUND, isClaimed, type ReportLine, sentencesOf } from "./sentences.ts";

/** A claim of a report that something was run. */
export type RunClaim =
  | { readonly type: "command"; readonly said: string; readonly command: string; readonly succeeded: boolean }
  /** Tests pass, with any command. */
  | { readonly type: "tests"; readonly said: string; readonly sentence: string }
  /** Something exited with 0, with any command. */
  | { readonly type: "exit"; readonly said: string; readonly sentence: string };

export interface RanCommand {
  readonly command: string;
  /** Null if it is unknown. */
  readonly exitCode: number | null;
}

const PROGRAM =
  /^(?:(?:sudo|env|time|command|exec|\w+=\S+)\s+)*(?:\.{0,2}\/\S+(?=\s|$)|(?:npm|npx|pnpm|yarn|bun|bunx|node|deno|git|cargo|rustc|go|python3?|pip3?|uv|poetry|hatch|pytest|tox|ruff|mypy|black|flake8|make|cmake|ctest|ninja|bazel|vitest|jest|mocha|tsc|eslint|biome|prettier|docker|kubectl|terraform|mvn|gradle|ruby|rspec|bundle|rake|php|composer|phpunit|dotnet|swift|bash|sh|zsh|cat|grep|rg|find|sed|awk|curl|wget|ls|head|tail|wc|diff|psql|sqlite3|just|act|mix|stack|cabal|sbt|flutter|dart|nix|ansible|helm|troupe|gh|jq|ps|top|strace|perf|hyperfine|shellcheck)(?=\s|$))/;
/** Before a command: the agent ran it. */
const I_RAN =
  /(?:\b(?:I|we)(?:['’]ve| have)?\s(?:\w+ly\s|also\s|then\s|just\s|first\s){0,2}(?:re-?)?(?:ran|run|executed|invoked|verified (?:this |it )?(?:with|by running|using)|checked (?:this |it )?(?:with|by running|using)|tested (?:this |it )?(?:with|by running|using)|confirmed (?:this |it )?(?:with|by running|using)|built (?:it )?with)|(?:^|[:;,(]\s*|\bthen\s|\band\s|[*|\]-]\s)(?:re-?)?(?:ran|executed|running)|\b(?:verified|confirmed|checked|tested) (?:with|by running|using)|\bafter running|\boutput of|(?:已经?|我)(?:运行|执行|跑)|(?:运行|执行|跑)(?:了|过|完))\s*(?:the\s|full\s|whole\s|command\s){0,3}[:：]?\s*$/i;
/** After a command: how it ended. */
const ENDED =
  /^\s*(?:\([^)]{0,60}\)\s*)?(?:[|:：—–-]+\s*|=>\s*|→\s*)?(?:\*\*)?(?:pass(?:es|ed)?\b|succeed(?:s|ed)?\b|exit(?:s|ed)\b|is (?:green|clean)\b|was (?:green|clean|run|executed)\b|has been (?:run|executed)\b|reports? (?:no|0|zero)\b|reported\b|(?:finished|completed)\b|ok\b|green\b|clean\b|✓|✅|通过|成功|全部通过|无错误|没有错误)/i;
const SUCCEEDED =
  /\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|success(?:ful(?:ly)?)?|green|clean(?:ly)?|(?:no|without|0|zero) (?:errors?|failures?|warnings?|problems?|issues?)|exit(?:s|ed)?(?: with)?(?: code| status)? ?0|ok)\b|✓|✅|通过|成功|无错误|没有错误/i;
const NOT_CLEAN =
  /\b(?:fail(?:s|ed|ing|ures?)?|errors? in|except|broke|non-?zero|exit(?:s|ed)?(?: with)?(?: code| status)? ?[1-9])\b|失败|报错/i;
const TESTS =
  /\b(?:tests?|specs?|test ?suite|suite|checks)\b[^.。]{0,50}?\b(?:pass(?:ed|ing|es)?|succeed(?:s|ed)?|(?:is|are|stays?|was|were) (?:all )?green)(?=\s*(?:[.,;:!)|*—–-]|$|and\b|now\b|again\b|with\b|locally\b|\(|✓|✅|after\b|without\b|on\b|too\b|as before|but\b))|\b\d+(?:\/\d+)? (?:\w+ )?(?:tests? |specs? )?(?:passed|passing|pass\b)|(?:测试|用例|单测)[^。；]{0,12}(?:通过|全绿|成功)/i;
const EXIT_0 =
  /\b(?:exit(?:ed)? (?:with )?(?:an? )?(?:exit )?(?:code|status)(?: of)?[: ]{0,2}0|exited (?:with )?0)\b|退出码(?:为|是|：)?\s*0(?!\d)/i;
const TEST_RUN =
  /\b(?:tests?|spec|vitest|jest|mocha|pytest|tox|ctest|rspec|phpunit|check|ci|verify|unittest|ava|tap|playwright|cypress|nox|hatch|make|gradle\w*|mvn|bazel)\b|npm t\b|\btests?[/:._-]|[/:._-]tests?\b/i;
/** How a test run reports success: in a log, or in another agent's report. */
const SAID_TO_PASS =
  /\b\d+ (?:tests? |specs? |examples?, )?(?:passed|passing|passes|pass\b)|\btests?\b.{0,40}\bpass(?:ed|ing|es)?\b|\btest result: ok|^ok\s|^PASS\b|\bOK \(\d+ tests?|\b0 fail(?:ed|ures)\b|(?:测试|用例).{0,12}通过/im;

/** Returns the claims of a report that something was run. */
export function runsIn(lines: readonly ReportLine[]): RunClaim[] {
  return lines.flatMap(({ text, fenced }) => (fenced ? [] : sentencesOf(text).flatMap(runsOf)));
}

function runsOf(sentence: string): RunClaim[] {
  const claims: RunClaim[] = [];
  for (const { 0: quoted, 1: inner = "", index } of sentence.matchAll(/`([^`]{1,300})`/g)) {
    const command = inner.replace(/^\$\s+/, "").trim();
    if (!PROGRAM.test(command) || !isClaimed(sentence, index)) continue;
    const end = index + quoted.length;
    const rest = sentence.slice(end, end + AROUND);
    if (!I_RAN.test(sentence.slice(Math.max(0, index - AROUND), index).trimStart()) && !ENDED.test(rest))
      continue;
    if (/^\s*(?:was|has been)\s\w+\sby\b/i.test(rest)) continue;
    const succeeded = SUCCEEDED.test(rest) && !NOT_CLEAN.test(rest);
    claims.push({ type: "command", said: quoted, command, succeeded });
  }
  if (claims.length > 0) return claims;
  const tests = TESTS.exec(sentence);
  if (
    tests !== null &&
    isClaimed(sentence, tests.index) &&
    !NOT_CLEAN.test(tests[0]) &&
    !/\b(?:no|not|n['’]t|none)\b/i.test(tests[0])
  )
    return [{ type: "tests", said: tests[0], sentence }];
  const exit = EXIT_0.exec(sentence);
  return exit !== null && isClaimed(sentence, exit.index) ? [{ type: "exit", said: exit[0], sentence }] : [];
}

/** Returns why the claim contradicts what was run, or null. `reported`: runs reported by others, or logs that were read. */
export function whyNotRun(
  claim: RunClaim,
  ran: readonly RanCommand[],
  reported: readonly string[],
): string | null {
  switch (claim.type) {
    case "command": {
      const same = ran.filter(({ command }) => isLike(claim.command, command));
      if (same.length === 0)
        return reported.some((text) => text.includes(claim.command)) ? null : "it was not run";
      return claim.succeeded ? whyNoSuccess(same) : null;
    }
    case "tests": {
      const tests = ran.filter(({ command }) => TEST_RUN.test(command));
      if (reported.some((text) => SAID_TO_PASS.test(text))) return null;
      return tests.length === 0 ? "no test was run" : whyNoSuccess(tests);
    }
    case "exit":
      if (ran.length === 0) return reported.some((text) => EXIT_0.test(text)) ? null : "no command was run";
      return ran.some(({ exitCode }) => exitCode === 0 || exitCode === null) ? null : whyNoSuccess(ran);
    default:
      return claim satisfies never;
  }
}

function whyNoSuccess(ran: readonly RanCommand[]): string | null {
  const last = ran.at(-1);
  if (last === undefined || ran.some(({ exitCode }) => exitCode === 0 || exitCode === null)) return null;
  return `it ended with exit code ${last.exitCode}`;
}

/** Programs whose first argument is a subcommand. */
const WITH_VERBS =
  /^(?:npm|pnpm|yarn|bun|git|cargo|go|docker|kubectl|terraform|python3?|node|deno|make|pip3?|uv|poetry|dotnet|mix|gh|bazel|just|helm|bundle|mvn|gradlew?)$/;

/** True if the command that was run can be the one named, however it was abbreviated. */
function isLike(said: string, ran: string): boolean {
  const a = squeezed(said);
  const b = squeezed(ran);
  if (b.includes(a) || (b.length > 6 && a.includes(b))) return true;
  const wanted = wordsOf(a);
  return b.split(/&&|\|\||[;|\n]/).some((part) => {
    const words = wordsOf(part.trim());
    if (words[0] === undefined || words[0] !== wanted[0]) return false;
    if (!WITH_VERBS.test(words[0])) return true;
    return (
      wanted[1] === undefined ||
      words.includes(wanted[1]) ||
      (wanted[1] === "run" && words.includes(wanted[2] ?? ""))
    );
  });
}

function squeezed(command: string): string {
  return command.replace(/\s+/g, " ").trim();
}

/** Returns program and arguments, without wrappers that only start or find it. */
function wordsOf(command: string): string[] {
  const words = command.split(" ").filter((word) => word !== "" && !/^\w+=/.test(word));
  while (/^(?:sudo|env|time|command|exec|npx|bunx|timeout|nice|\d+s?)$/.test(words[0] ?? "")) words.shift();
  const [first = "", ...rest] = words;
  const name = first.slice(first.lastIndexOf("/") + 1);
  return name === ""
    ? []
    : [
        name === "npm" && rest[0] === "t" ? "npm" : name,
        ...rest.map((word) => (word === "t" ? "test" : word)),
      ];
}
