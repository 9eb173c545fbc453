import { eventsOf } from "../../support/messages-server.ts";
import { type Kind, refusal } from "./kind.ts";

const error = (type: string) => ({ "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/` });
const TOO_LONG = "prompt is too long: 227255 tokens > 200000 maximum";
/** A gateway that passes requests of the Messages API on to Bedrock, and its errors back. */
export const bedrock: Kind = {
  name: "a gateway to Bedrock",
  from: [
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html",
    "https://github.com/aaif-goose/goose/pull/7504",
    "https://github.com/fumito-ito/AnthropicSwiftSDK/issues/19",
    "https://github.com/charmbracelet/crush/issues/946",
  ],
  apis: [
    {
      provider: "anthropic",
      calls: {
        events: eventsOf({
          text: "I look.",
          calls: [
            { name: "Read", input: { path: "a" } },
            { name: "Read", input: { path: "b" } },
          ],
          usage: { input_tokens: 12, output_tokens: 7 },
        }),
      },
      text: {
        events: eventsOf({ text: "Done." }).map((event) =>
          event.type === "message_stop"
            ? { ...event, "amazon-bedrock-invocationMetrics": { inputTokenCount: 12 } }
            : event,
        ),
      },
      failures: [
        {
          answer: refusal(
            400,
            { message: "Input is too long for requested model." },
            error("ValidationException"),
          ),
          ...{ kind: "too_large", says: "Input is too long for requested model" },
        },
        {
          answer: refusal(400, { message: `The model returned the following errors: ${TOO_LONG}` }),
          ...{ kind: "too_large", says: TOO_LONG, window: 200_000 },
        },
        {
          answer: refusal(
            429,
            { message: "Too many tokens, please wait before trying again." },
            error("ThrottlingException"),
          ),
          ...{ kind: "rate_limit", says: "Too many tokens, please wait before trying again" },
        },
        {
          answer: refusal(
            403,
            { Message: "User is not authorized to perform: bedrock:InvokeModel" },
            error("AccessDeniedException"),
          ),
          ...{ kind: "auth", says: "is not authorized to perform: bedrock:InvokeModel" },
        },
        {
          answer: refusal(400, {
            message: "The maximum tokens you requested exceeds the model limit of 32768",
          }),
          ...{ kind: "invalid_request", says: "exceeds the model limit of 32768" },
        },
      ],
    },
  ],
};
