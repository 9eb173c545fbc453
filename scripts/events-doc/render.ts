import * as z from "zod/mini";
import { AgentResult } from "../../src/events/agent-result.ts";
import { Activity, AgentState, AgentView } from "../../src/events/agent-view.ts";
import { CallOutcome } from "../../src/events/call.ts";
import { EVENTS_VERSION, SupervisorEvent, WaitingForUser } from "../../src/events/event.ts";
import { Usage } from "../../src/mailbox/conversation.ts";
import { Receipts, Summary } from "../../src/mailbox/messages.ts";
import { ModelPause } from "../../src/mailbox/model.ts";

/** What has a section of its own, in its order. */
const named: Readonly<Record<string, z.core.$ZodType>> = {
  ...{ CallOutcome, AgentView, AgentState, Activity, Summary, Usage, Receipts },
  ...{ AgentResult, WaitingForUser, ModelPause },
};

/** The parts of JSON Schema that these schemas use. */
interface Shape {
  readonly ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
  readonly required?: readonly string[];
  readonly description?: string;
}

/** `docs/events.md`: every event that a session reports, with its fields. */
export function renderEventsDoc(): string {
  return `${[
    "# Events",
    "Written by `npm run docs` from `src/events`; a change here is lost.",
    `A session reports what it does as events: \`Session.events()\` of the [library](library.md) gives them as they are here,
and the conversation, \`troupe acp\` and [stream-json](stream-json.md) are views of them. \`troupe top\`, \`troupe sessions show\` and a
resumed conversation show the same events, made of the session's journal; it has no pieces of text and output, no waits, no requests to the user, and no changes of files. This is version ${EVENTS_VERSION} (\`EVENTS_VERSION\`). It is
counted up if a field changes its meaning or goes. More fields and types of events may come at any time, so leave out what you do not
know. The schema \`SessionEvent\` checks one.`,
    ...alternatives(shapeOf(SupervisorEvent)).map((event) =>
      section(String(event.properties?.["type"]?.const), event),
    ),
    ...Object.entries(named).map(([name, schema]) => section(name, shapeOf(schema))),
  ].join("\n\n")}\n`;
}

function shapeOf(schema: z.core.$ZodType): Shape {
  const names = new Map(Object.entries(named).map(([name, one]) => [one, name]));
  return z.toJSONSchema(schema, {
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      const name = zodSchema === schema ? undefined : names.get(zodSchema);
      if (name === undefined) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      Object.assign(jsonSchema, { ref: name });
    },
  }) as Shape;
}

function alternatives({ anyOf, oneOf }: Shape): readonly Shape[] {
  return anyOf ?? oneOf ?? [];
}

function section(name: string, shape: Shape): string {
  const cases = alternatives(shape);
  return [
    `## ${name}`,
    ...(shape.description === undefined ? [] : [shape.description]),
    ...(shape.enum ? [shape.enum.map((value) => `\`${String(value)}\``).join(", ")] : []),
    ...(shape.properties ? [table(shape)] : []),
    ...cases.map((one) => (one.properties ? variant(one) : `- ${one.description ?? typeText(one)}`)),
  ].join("\n\n");
}

/** One of several forms, told apart by its `type`. */
function variant(shape: Shape): string {
  const { type, ...fields } = shape.properties ?? {};
  const shown = Object.entries(fields).map(([name, field]) => `\`${name}\` (${typeText(field)})`);
  const about = [shown.join(", "), shape.description ?? ""].filter(Boolean).join(". ");
  return `- \`${String(type?.const)}\`${about === "" ? "" : `: ${about}`}`;
}

function table({ properties = {}, required = [] }: Shape): string {
  const rows = Object.entries(properties).map(([name, field]) => {
    const absent = required.includes(name) ? "" : ", or absent";
    const cells = [`\`${name}\``, `${typeText(field)}${absent}`, field.description ?? ""];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return ["| Field | Type | |", "|---|---|---|", ...rows].join("\n");
}

function typeText(shape: Shape): string {
  if (shape.ref !== undefined) return `[${shape.ref}](#${shape.ref.toLowerCase()})`;
  if (shape.const !== undefined) return `\`${JSON.stringify(shape.const)}\``;
  if (shape.enum) return shape.enum.map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  const cases = alternatives(shape);
  if (cases.length > 0) return cases.map(typeText).join(" or ");
  if (shape.type === "array") return `list of ${typeText(shape.items ?? {})}`;
  if (shape.type === "object")
    return shape.properties
      ? `object with ${Object.keys(shape.properties)
          .map((key) => `\`${key}\``)
          .join(", ")}`
      : "object";
  return [shape.type ?? "any"].flat().join(" or ");
}
