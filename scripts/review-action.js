/**
 * What action.yml runs: reviews the commits since REVIEW_BASE in the current directory, writes each finding as a line
 * that GitHub shows in the change, and the whole review to the job's summary and outputs.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";

const SEVERITIES = ["note", "warning", "error"];
/** A larger change is read by the model itself, file by file. */
const MOST_CHARS = 200_000;
const SCHEMA = {
  type: "object",
  required: ["summary", "findings"],
  additionalProperties: false,
  properties: {
    summary: { type: "string" },
    findings: {
      type: "array",
      items: {
        type: "object",
        required: ["file", "line", "severity", "text"],
        additionalProperties: false,
        properties: {
          file: { type: "string", description: "Relative to the repository" },
          line: { type: "integer", minimum: 1 },
          severity: { enum: SEVERITIES },
          text: { type: "string", description: "What is wrong, why, and what to do" },
        },
      },
    },
  },
};

const { env } = process;
const failOn = env.REVIEW_FAIL_ON || "never";
if (failOn !== "never" && !SEVERITIES.includes(failOn))
  stop(`fail-on is ${JSON.stringify(failOn)}; it is never, ${SEVERITIES.join(", ")}.`);
const base = env.REVIEW_BASE || "HEAD~1";
const { result, output } = review(base);
if (output === undefined) stop(`The review did not end well: ${result}`);
for (const { file, line, severity, text: words } of output.findings)
  console.log(
    `::${severity === "note" ? "notice" : severity} file=${property(file)},line=${line}::${escapeText(words)}`,
  );
const text = markdown(output);
withoutCommands(() => console.log(text));
append(env.GITHUB_STEP_SUMMARY, text);
setOutput("review", text);
setOutput("findings", JSON.stringify(output.findings));
const worst = Math.max(-1, ...output.findings.map(({ severity }) => SEVERITIES.indexOf(severity)));
if (failOn !== "never" && worst >= SEVERITIES.indexOf(failOn)) process.exitCode = 1;

/** Returns the object of `--output-format json`; `output` is the data, if the answer fits the schema. */
function review(since) {
  const diff = git("diff", "--no-color", `${since}...HEAD`, "--");
  if (diff.trim() === "") return { output: { summary: `Nothing has changed since ${since}.`, findings: [] } };
  const change = diff.length > MOST_CHARS ? git("diff", "--stat", `${since}...HEAD`, "--") : diff;
  const asked = [
    `Review this change. Report faults: what is wrong, unsafe or missing, each at a line of the new text. Read the files around it before you say so. Report nothing that you have not checked. ${env.REVIEW_PROMPT ?? ""}`,
    `It is the output of git diff since ${since}:`,
    change,
  ].join("\n\n");
  const flags = [
    ...["--output-format", "json", "--json-schema", JSON.stringify(SCHEMA)],
    ...(env.REVIEW_BUDGET ? ["--max-budget-usd", env.REVIEW_BUDGET] : []),
    ...(env.REVIEW_MODEL ? ["--model", env.REVIEW_MODEL] : []),
  ];
  const troupe = join(import.meta.dirname, "../bin/troupe.js");
  const { stdout, error } = withoutCommands(() =>
    spawnSync(process.execPath, [troupe, "-p", ...flags], {
      ...{ input: asked, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  try {
    const { result, structured_output } = JSON.parse(stdout);
    return { result, output: structured_output };
  } catch {
    return { result: error?.message ?? "it printed no JSON; what it said is above." };
  }
}

function git(...args) {
  try {
    return execFileSync("git", args, { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });
  } catch {
    return stop(`git cannot compare with ${base}. Check out with fetch-depth: 0, or set base.`);
  }
}

function markdown({ summary, findings }) {
  const rows = findings.map(
    ({ file, line, severity, text }) => `- **${severity}** \`${file}:${line}\`: ${text}`,
  );
  return [summary, ...(rows.length === 0 ? ["No findings."] : [rows.join("\n")])].join("\n\n");
}

/** GitHub takes no line for a command meanwhile: a model may have written it. */
function withoutCommands(run) {
  const end = randomUUID();
  console.log(`::stop-commands::${end}`);
  try {
    return run();
  } finally {
    console.log(`::${end}::`);
  }
}

/** What a model writes must not begin a command of its own. */
function escapeText(text) {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text) {
  return escapeText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** Several lines, with an end that no text can contain by chance. */
function setOutput(name, value) {
  const end = randomUUID();
  append(env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}`);
}

function append(file, text) {
  if (file) appendFileSync(file, `${text}\n`);
}

function stop(sentence) {
  console.log(`::error::${escapeText(sentence)}`);
  process.exit(1);
}
