/** Reports a description that asks for a new idempotency key with each call. */
import { halfWidth } from "#kit/text/HalfWidth"
import { isIdempotencyKey } from "#kit/lint/reading/IdempotencyKeyField"
import { overField } from "./Rule.ts"

export const idempotencyKeyAdvice = overField(
  {
    id: "idempotency-key-advice",
    category: "safety",
    step: 9,
    severity: "error",
    title: "No description asks the model for a new idempotency key with each call or retry.",
    why: "The key identifies a repeated call. With a new key for every attempt, each retry is a new action, and a payment that timed out is made twice. The key identifies the action and stays the same until the action is done.",
    example: {
      bad: `{
  "name": "pay_invoice",
  "description": "Pays an invoice.",
  "parameters": {
    "type": "object",
    "properties": {
      "idempotency_key": { "type": "string", "minLength": 16, "description": "Generate a new unique value for each request." }
    }
  }
}`,
      good: `{
  "name": "pay_invoice",
  "description": "Pays an invoice.",
  "parameters": {
    "type": "object",
    "properties": {
      "idempotency_key": {
        "type": "string",
        "minLength": 16,
        "description": "Optional. Names one action; send the same key to mean the same action."
      }
    }
  }
}`
    }
  },
  (field, { tool }) => {
    if (field.role !== "property" || !isIdempotencyKey(field)) return undefined
    const docs = [
      field.description,
      ...sentences(tool.description).filter((sentence) => /idempoten|幂等/iu.test(sentence))
    ]
    return docs.flatMap(sentences).some(isWrong)
      ? `The description of \`${field.path}\` asks for a new key each time, so a retry repeats the action; keep one key per action.`
      : undefined
  }
)

const sentences = (text: string): ReadonlyArray<string> =>
  halfWidth(text.slice(0, 10_000)).split(/(?<=[.!?;])(?:\s+|(?=\p{Script=Han}))|(?<=。)|\n+/u)

const each =
  /\b(?:each|every|per)\s+(?:\w+\s+)?(?:request|call|attempt|retry|retries|try|invocation|time)\b|每一?次(?:请求|调用|重试|尝试)?|重试时/iu
const fresh = /\b(?:new|fresh|unique|different|random|distinct|generate)\b|新的?|不同|唯一|随机|重新生成/iu
/** Matches words of correct advice, or of a warning against wrong advice. */
const right =
  /\b(?:same|reuse|re-use|identical|do not|don['’]t|never|not)\b|相同|同一|复用|重复使用|不要|请勿|切勿|勿|不得/iu

const isWrong = (sentence: string): boolean => fresh.test(sentence) && each.test(sentence) && !right.test(sentence)
