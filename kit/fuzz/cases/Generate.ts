/**
 * Makes cases: the boundaries of both schemas one after the other, and chaos around them.
 *
 * **Details**
 *
 * - Every third case edits arguments at a boundary, every third a result; the rest breaks what it can. What stands around
 *   each is chosen by the case's own choices.
 * - The same seed and number give the same case, whatever cases are made before it.
 */
import * as Contract from "effect-toolguard/internal/domain/schema/Contract"
import * as Boundary from "./Boundary.ts"
import * as Fault from "./Fault.ts"
import type { FuzzAnswer, FuzzCall, FuzzCase, Json } from "./FuzzCase.ts"
import * as Hostile from "./Hostile.ts"
import { wordless } from "./Meaning.ts"
import type { Pools } from "./Pools.ts"
import * as Seeded from "./Seeded.ts"
import type { Subject } from "./Subject.ts"

/** What cases are made of. */
interface Ingredients {
  readonly subject: Subject
  readonly pools: Pools
  readonly strings: ReadonlyArray<string>
  readonly argumentBoundaries: ReadonlyArray<Boundary.Boundary>
  readonly resultBoundaries: ReadonlyArray<Boundary.Boundary>
  /** The tool's own handler is run. */
  readonly hasOwn: boolean
}

export const ingredients = (
  subject: Subject,
  pools: Pools,
  more: { readonly strings?: ReadonlyArray<string>; readonly hasOwn: boolean }
): Ingredients => ({
  subject,
  pools,
  strings: [...Hostile.strings, ...(more.strings ?? [])],
  argumentBoundaries: Boundary.of(subject.contract.jsonSchema),
  resultBoundaries: Boundary.of(Contract.resultSchema(subject.definition.success).jsonSchema),
  hasOwn: more.hasOwn
})

/** The case of a number, from 0. */
export const make = (from: Ingredients, seed: number, index: number): FuzzCase => {
  const choices = Seeded.choices(seed, index)
  const turn = Math.floor(index / 3)
  const argumentBoundary = index % 3 === 0 ? at(from.argumentBoundaries, turn) : undefined
  const resultBoundary = index % 3 === 1 ? at(from.resultBoundaries, turn) : undefined
  if (choices.chance(0.06)) return stubborn(from, choices)
  const first: FuzzCall = { arguments: argumentsOf(from, choices, argumentBoundary) }
  const calls = [...callsFrom(from, choices, first)]
  const caller = choices.pick(["model", "model", "model", "program", "loop"] as const)
  const person = choices.pick(["approves", "approves", "approves", "denies", "absent"] as const)
  return {
    ...(caller === "model" ? {} : { caller }),
    ...(calls.length > 1 && choices.chance(0.3) ? { together: true as const } : {}),
    ...(person === "approves" ? {} : { person }),
    calls,
    answers: Array.from({ length: choices.pick([1, 1, 2, 3]) }, (_, position) =>
      answerOf(from, choices, first, position === 0 ? resultBoundary : undefined)
    )
  }
}

/** A model that makes the same call again and again, and a tool that always answers the same. */
const stubborn = (from: Ingredients, choices: Seeded.Choices): FuzzCase => {
  const call = { arguments: choices.pick(from.pools.arguments) }
  return {
    caller: choices.pick(["model", "model", "loop"]),
    person: choices.pick(["approves", "denies", "absent"]),
    calls: Array.from({ length: choices.pick([3, 4, 7]) }, () => call),
    answers: [answerOf(from, choices, call, undefined)]
  }
}

const at = <A>(list: ReadonlyArray<A>, turn: number): A | undefined => list[turn % Math.max(1, list.length)]

const argumentsOf = (
  { pools, strings }: Ingredients,
  choices: Seeded.Choices,
  boundary: Boundary.Boundary | undefined
): Json => {
  const valid = choices.pick(pools.arguments)
  if (boundary !== undefined) {
    const edited = editedBy(boundary, pools.arguments)
    if (edited !== undefined) return choices.chance(0.5) ? JSON.stringify(edited) : edited
  }
  const text = JSON.stringify(valid)
  if (choices.chance(0.12)) return Hostile.withText(valid, choices.pick(strings), choices) ?? choices.pick(strings)
  if (choices.chance(0.12)) return Hostile.argumentTexts(text, choices)
  return choices.chance(0.7) ? text : valid
}

/** The first value that has the place of a boundary, edited there. */
const editedBy = (boundary: Boundary.Boundary, values: ReadonlyArray<Json>): Json | undefined => {
  for (const value of values) {
    const edited = boundary.apply(value)
    if (edited !== undefined) return edited
  }
  return undefined
}

/** The first call, and perhaps others: the same again, with the same id, another one, one by a wrong name. */
const callsFrom = (from: Ingredients, choices: Seeded.Choices, first: FuzzCall): ReadonlyArray<FuzzCall> => {
  const spoiled = choices.chance(0.03)
    ? { ...first, isCut: true as const }
    : choices.chance(0.03)
      ? { ...first, name: choices.pick([`${from.subject.name}s`, from.subject.name.toUpperCase(), "", "__proto__"]) }
      : first
  const calls: Array<FuzzCall> = [spoiled]
  while (calls.length < 4 && choices.chance(0.35)) {
    const before = choices.pick(calls)
    calls.push(
      choices.chance(0.6)
        ? { ...before, ...(choices.chance(0.3) ? { id: choices.pick(["call_1", "", "x".repeat(300)]) } : {}) }
        : { arguments: argumentsOf(from, choices, undefined) }
    )
  }
  return calls
}

const answerOf = (
  from: Ingredients,
  choices: Seeded.Choices,
  call: FuzzCall,
  boundary: Boundary.Boundary | undefined
): FuzzAnswer => {
  const base = baseOf(from, choices, call, boundary)
  return { ...base, ...timingOf(from, choices, base) }
}

const baseOf = (
  from: Ingredients,
  choices: Seeded.Choices,
  { arguments: args }: FuzzCall,
  boundary: Boundary.Boundary | undefined
): FuzzAnswer => {
  const { pools, strings } = from
  if (from.hasOwn && choices.chance(0.6)) return { _tag: "Handler" }
  const drawn = choices.pick(pools.results)
  const result = choices.chance(0.6) ? Hostile.echoing(drawn, asked(args)) : drawn
  const edited = boundary === undefined ? undefined : editedBy(boundary, pools.results)
  if (edited !== undefined) return sent(from, choices, edited)
  switch (choices.below(from.hasOwn ? 3 : 10)) {
    case 0:
      return { _tag: "Fault", fault: choices.pick(Fault.names) }
    case 1:
      return { _tag: "Crash", crash: choices.pick(["dies", "dies", "throws", "interrupts"]) }
    case 2:
      return { _tag: "Silence" }
    case 3:
      return statusOf(choices, JSON.stringify(result))
    case 4:
      return { _tag: "Text", text: Hostile.resultTexts(JSON.stringify(result), choices) }
    case 5:
      return choices.chance(0.5)
        ? { _tag: "Cut", text: JSON.stringify(result).slice(0, choices.below(40)) }
        : { _tag: "Odd", value: result, odd: choices.pick(Fault.oddNames) }
    case 6:
      return choices.chance(0.03)
        ? { _tag: "Large", value: result, bytes: choices.pick([20_000, 2_000_000, 2_000_000, 10_000_001]) }
        : sent(from, choices, Hostile.withText(result, choices.pick(strings), choices) ?? result)
    case 7:
      return sent(from, choices, Hostile.withText(result, choices.pick(["@token@", "see @key@"]), choices) ?? result)
    default:
      return sent(from, choices, result)
  }
}

/** The arguments as a value, where they are an object or its text. */
const asked = (args: Json): Json => {
  if (typeof args !== "string" || args.length > 10_000) return args
  try {
    return JSON.parse(args) as Json
  } catch {
    return args
  }
}

/** A result as handlers give it: the value, its text, a response with it. */
const sent = ({ subject }: Ingredients, choices: Seeded.Choices, value: Json): FuzzAnswer => {
  if (subject.textKind !== "json" && typeof value === "string") return { _tag: "Text", text: value }
  const text = JSON.stringify(value)
  return choices.pick<FuzzAnswer>([
    { _tag: "Value", value },
    { _tag: "Text", text },
    { _tag: "Response", status: 200, body: text }
  ])
}

const statuses = [
  201, 204, 301, 304, 400, 401, 403, 404, 408, 409, 413, 422, 425, 429, 429, 500, 502, 503, 503, 504, 507
]

const statusOf = (choices: Seeded.Choices, valid: string): FuzzAnswer => {
  const status = choices.pick(statuses)
  const body = choices.pick([wordless, wordless, "", valid, '{"error":"@token@ in @path@:12"}', "<html>@key@</html>"])
  const wait = choices.pick(["1", "30", "86400", "-1", "soon", "Wed, 21 Oct 2099 07:28:00 GMT"])
  const isAsking = (status === 429 || status === 503) && choices.chance(0.6)
  return {
    _tag: "Response",
    status,
    ...(isAsking ? { headers: { "retry-after": wait } } : {}),
    body: status === 204 || status === 304 ? "" : body
  }
}

/** When an answer comes, and what has happened in the world by then. */
const timingOf = ({ subject }: Ingredients, choices: Seeded.Choices, { _tag }: FuzzAnswer) => {
  const { access, attemptMillis, deadlineMillis } = subject.definition
  const times = [1, attemptMillis - 1, attemptMillis + 1, 3 * attemptMillis, deadlineMillis + 1]
  const isSlow = choices.chance(_tag === "Silence" ? 0.3 : 0.2)
  return {
    ...(isSlow ? { after: Math.max(1, choices.pick(times)) } : {}),
    ...(access !== "read" && choices.chance(0.5) ? { done: true as const } : {}),
    ...(isSlow && choices.chance(0.3) ? { stubborn: true as const } : {})
  }
}
