/**
 * Proposes smaller versions of a failing case, with fewer or simpler calls and answers and with shorter texts.
 *
 * The caller shrinks greedily: it continues with the first version that breaks the same promise. The versions that
 * simplify the case most for a reader come first.
 */
import { canonical } from "effect-toolguard/internal/domain/call/CallKey"
import type { FuzzAnswer, FuzzCall, FuzzCase, Json } from "./FuzzCase.ts"

/** Yields smaller cases, the best first. `plain` is an ordinary answer that can replace any other answer. */
export function* smaller(fuzzCase: FuzzCase, plain: FuzzAnswer): Generator<FuzzCase> {
  const { answers, calls } = fuzzCase
  for (const index of calls.keys()) if (calls.length > 1) yield { ...fuzzCase, calls: calls.toSpliced(index, 1) }
  for (const index of answers.keys()) yield { ...fuzzCase, answers: answers.toSpliced(index, 1) }
  yield* withoutEach(fuzzCase, ["together", "caller", "person"])
  for (const [index, call] of calls.entries()) {
    for (const plainer of smallerCall(call)) {
      // identical calls are shrunk together, so that they stay identical
      const withIdentical = calls.map((other) => ({
        ...other,
        ...(isEqual(other, call) ? { arguments: plainer.arguments } : {})
      }))
      if (calls.filter((other) => isEqual(other, call)).length > 1)
        yield { ...fuzzCase, calls: withIdentical.with(index, plainer) }
      yield { ...fuzzCase, calls: calls.with(index, plainer) }
    }
  }
  for (const [index, answer] of answers.entries()) {
    if (answer._tag !== plain._tag) yield { ...fuzzCase, answers: answers.with(index, plain) }
    for (const plainer of smallerAnswer(answer)) yield { ...fuzzCase, answers: answers.with(index, plainer) }
  }
}

const isEqual = (one: FuzzCall, other: FuzzCall): boolean => canonical(one.arguments) === canonical(other.arguments)

/** Yields the value without each of its optional fields in turn. */
function* withoutEach<A extends object>(value: A, fields: ReadonlyArray<keyof A>): Generator<A> {
  for (const field of fields) {
    if (value[field] === undefined) continue
    const { [field]: _, ...others } = value
    yield others as A // only optional fields are removed
  }
}

function* smallerCall(call: FuzzCall): Generator<FuzzCall> {
  yield* withoutEach(call, ["id", "name", "isCut"])
  const { arguments: args } = call
  const parsed = typeof args === "string" ? objectOf(args) : undefined
  if (parsed !== undefined) yield { ...call, arguments: parsed }
  for (const value of smallerValue(args)) yield { ...call, arguments: value }
}

const objectOf = (text: string): Json | undefined => {
  try {
    const value = JSON.parse(text) as Json // JSON.parse returns only JSON values
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function* smallerAnswer(answer: FuzzAnswer): Generator<FuzzAnswer> {
  yield* withoutEach(answer, ["stubborn", "after", "done"])
  if (answer.after !== undefined && answer.after > 1) yield { ...answer, after: Math.floor(answer.after / 2) }
  switch (answer._tag) {
    case "Value":
    case "Odd":
      for (const value of smallerValue(answer.value)) yield { ...answer, value }
      return
    case "Large":
      yield { ...answer, bytes: Math.floor(answer.bytes / 2) }
      return
    case "Text":
    case "Cut":
      for (const text of smallerText(answer.text)) yield { ...answer, text }
      return
    case "Response": {
      const { headers: _, ...others } = answer
      if (answer.headers !== undefined) yield others
      for (const body of smallerText(answer.body)) yield { ...answer, body }
    }
  }
}

/** Yields simpler values of the same JSON type. */
function* smallerValue(value: Json): Generator<Json> {
  if (typeof value === "string") return yield* smallerText(value)
  if (typeof value === "number") {
    for (const number of [0, 1, Math.trunc(value), Math.trunc(value / 2)]) {
      if (Math.abs(number) < Math.abs(value) || (number === Math.trunc(value) && number !== value)) yield number
    }
    return
  }
  if (typeof value !== "object" || value === null) return
  if (Array.isArray(value)) {
    const list = value as ReadonlyArray<Json> // Array.isArray does not narrow a readonly array
    if (list.length > 2) yield list.slice(0, Math.floor(list.length / 2))
    for (const index of list.keys()) if (index < 20) yield list.toSpliced(index, 1)
    for (const [index, item] of list.slice(0, 20).entries()) {
      for (const plainer of smallerValue(item)) yield list.with(index, plainer)
    }
    return
  }
  for (const name of Object.keys(value)) {
    const { [name]: field, ...others } = value as { readonly [name: string]: Json } // neither a primitive nor a list
    yield others
    for (const plainer of smallerValue(field ?? null)) yield { ...value, [name]: plainer }
  }
}

/** Yields shorter texts: the empty text, each half and, for a short text, the text without each of its characters. */
function* smallerText(text: string): Generator<string> {
  if (text === "") return
  yield ""
  if (text.length > 1) {
    const half = Math.floor(text.length / 2)
    yield text.slice(0, half)
    yield text.slice(half)
  }
  if (text.length <= 40) {
    for (const index of Array.from(text).keys()) yield Array.from(text).toSpliced(index, 1).join("")
  }
}
