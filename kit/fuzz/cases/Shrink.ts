/**
 * Makes a failing case smaller, as long as it breaks the same promise: fewer calls and answers, plainer ones, shorter texts.
 *
 * Greedy: the first smaller case that still fails is gone on with. What is smaller is tried in the order of what helps a
 * reader most.
 */
import { canonical } from "effect-toolguard/internal/domain/call/CallKey"
import type { FuzzAnswer, FuzzCall, FuzzCase, Json } from "./FuzzCase.ts"

/** Smaller cases, best first. `plain`: an answer without anything special. */
export function* smaller(fuzzCase: FuzzCase, plain: FuzzAnswer): Generator<FuzzCase> {
  const { answers, calls } = fuzzCase
  for (const index of calls.keys()) if (calls.length > 1) yield { ...fuzzCase, calls: calls.toSpliced(index, 1) }
  for (const index of answers.keys()) yield { ...fuzzCase, answers: answers.toSpliced(index, 1) }
  yield* withoutEach(fuzzCase, ["together", "caller", "person"])
  for (const [index, call] of calls.entries()) {
    for (const plainer of smallerCall(call)) {
      // what is called twice stays the same call
      const twins = calls.map((other) => ({
        ...other,
        ...(isEqual(other, call) ? { arguments: plainer.arguments } : {})
      }))
      if (calls.filter((other) => isEqual(other, call)).length > 1)
        yield { ...fuzzCase, calls: twins.with(index, plainer) }
      yield { ...fuzzCase, calls: calls.with(index, plainer) }
    }
  }
  for (const [index, answer] of answers.entries()) {
    if (answer._tag !== plain._tag) yield { ...fuzzCase, answers: answers.with(index, plain) }
    for (const plainer of smallerAnswer(answer)) yield { ...fuzzCase, answers: answers.with(index, plainer) }
  }
}

const isEqual = (one: FuzzCall, other: FuzzCall): boolean => canonical(one.arguments) === canonical(other.arguments)

/** The value without one of its optional fields, each in turn. */
function* withoutEach<A extends object>(value: A, fields: ReadonlyArray<keyof A>): Generator<A> {
  for (const field of fields) {
    if (value[field] === undefined) continue
    const { [field]: _, ...others } = value
    yield others as A
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
    const value = JSON.parse(text) as Json
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

/** Simpler values of the same kind. */
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
    const list = value as ReadonlyArray<Json>
    if (list.length > 2) yield list.slice(0, Math.floor(list.length / 2))
    for (const index of list.keys()) if (index < 20) yield list.toSpliced(index, 1)
    for (const [index, item] of list.slice(0, 20).entries()) {
      for (const plainer of smallerValue(item)) yield list.with(index, plainer)
    }
    return
  }
  for (const name of Object.keys(value)) {
    const { [name]: field, ...others } = value as { readonly [name: string]: Json }
    yield others
    for (const plainer of smallerValue(field as Json)) yield { ...value, [name]: plainer }
  }
}

/** Shorter texts: nothing, halves, and single characters less where it is short. */
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
