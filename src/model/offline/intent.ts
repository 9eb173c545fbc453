import type { FileKind } from "./file-kind.ts";

/** What kind of place answers a question, told from its words. */
export interface Intent {
  readonly wants: "definition" | "uses" | "explanation";
  /** Kinds of files that the question names itself. */
  readonly kinds: ReadonlySet<FileKind>;
}

export function intentOf(question: string): Intent {
  return { wants: wantsOf(question), kinds: kindsOf(question) };
}

const ASKS_FOR_USES =
  /\bwho\s+(?:calls|uses|imports|invokes|references)\b|\b(?:is|are|gets?|was)\s+(?:\S+\s+){1,4}(?:used|called|imported|referenced|invoked)\b(?!\s+(?:for|when|to|as)\b)|\b(?:callers?|usages?|uses|references|calls)\s+(?:of|to)\b|\b(?:which|what)\s+\w+\s+(?:calls?|uses?|imports?)\b/i;

function wantsOf(question: string): Intent["wants"] {
  if (ASKS_FOR_USES.test(question) && !/\b(?:why|how)\b/i.test(question)) return "uses";
  if (/(?:哪里|何处|谁|哪些地方).{0,6}(?:使用|调用|引用)|被.{0,4}(?:使用|调用|引用)/.test(question))
    return "uses";
  if (/\b(?:how|why|explain|describe|what happens|when)\b|如何|怎么|怎样|为什么|为何/i.test(question))
    return "explanation";
  return "definition";
}

function kindsOf(question: string): Set<FileKind> {
  const kinds = new Set<FileKind>();
  if (/\b(?:tests?|tested|specs?)\b|测试/i.test(question)) kinds.add("test");
  if (/\b(?:docs?|documented|documentation|readme)\b|文档/i.test(question)) kinds.add("docs");
  if (
    /\b(?:config(?:ured|uration)?|settings?|dependenc(?:y|ies)|scripts?|package\.json)\b|配置|设置|依赖/i.test(
      question,
    )
  )
    kinds.add("config");
  if (/\b(?:examples?|demos?|bench(?:marks?)?)\b|示例|例子/i.test(question)) kinds.add("example");
  if (/\b(?:changelog|licen[cs]e|fixtures?|migrations?|generated|vendored)\b|许可/i.test(question))
    kinds.add("minor");
  return kinds;
}
