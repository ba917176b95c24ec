/**
 * Generates cases: tries the boundaries of both schemas in order, combined with random calls, failures and hostile texts.
 *
 * **Details**
 *
 * - One case in three edits arguments at a boundary, and one in three edits a result. All other parts of a case are
 *   random, derived from the seed and the index.
 * - The same seed and index always generate the same case, regardless of the cases before it.
 */
import * as Contract from "effect-toolguard/internal/domain/schema/Contract"
import * as Boundary from "./Boundary.ts"
import * as HandlerFailure from "./HandlerFailure.ts"
import type { FuzzAnswer, FuzzCall, FuzzCase, Json } from "./FuzzCase.ts"
import * as HostileTexts from "./HostileTexts.ts"
import { genericErrorBody } from "./Expectation.ts"
import type { Pools } from "./Pools.ts"
import * as SeededRandom from "./SeededRandom.ts"
import type { Subject } from "./Subject.ts"

/** Everything that cases are generated from. */
interface Ingredients {
  readonly subject: Subject
  readonly pools: Pools
  readonly strings: ReadonlyArray<string>
  readonly argumentBoundaries: ReadonlyArray<Boundary.Boundary>
  readonly resultBoundaries: ReadonlyArray<Boundary.Boundary>
  /** True if cases may run the tool's own handler. */
  readonly hasHandler: boolean
}

/** Collects the ingredients of a tool's cases. `strings` are tried in addition to the built-in strings. */
export const ingredientsOf = (
  subject: Subject,
  pools: Pools,
  options: { readonly strings?: ReadonlyArray<string>; readonly hasHandler: boolean }
): Ingredients => ({
  subject,
  pools,
  strings: [...HostileTexts.strings, ...(options.strings ?? [])],
  argumentBoundaries: Boundary.of(subject.contract.jsonSchema),
  resultBoundaries: Boundary.of(Contract.resultSchema(subject.definition.success).jsonSchema),
  hasHandler: options.hasHandler
})

/** Generates the case at an index, counted from 0. */
export const make = (ingredients: Ingredients, seed: number, index: number): FuzzCase => {
  const choices = SeededRandom.choices(seed, index)
  const position = Math.floor(index / 3)
  const argumentBoundary = index % 3 === 0 ? at(ingredients.argumentBoundaries, position) : undefined
  const resultBoundary = index % 3 === 1 ? at(ingredients.resultBoundaries, position) : undefined
  if (choices.chance(0.06)) return repeatedCall(ingredients, choices)
  const first: FuzzCall = { arguments: argumentsOf(ingredients, choices, argumentBoundary) }
  const calls = [...callsFrom(ingredients, choices, first)]
  const caller = choices.pick(["model", "model", "model", "program", "loop"] as const)
  const person = choices.pick(["approves", "approves", "approves", "denies", "absent"] as const)
  return {
    ...(caller === "model" ? {} : { caller }),
    ...(calls.length > 1 && choices.chance(0.3) ? { together: true as const } : {}),
    ...(person === "approves" ? {} : { person }),
    calls,
    answers: Array.from({ length: choices.pick([1, 1, 2, 3]) }, (_, execution) =>
      answerOf(ingredients, choices, first, execution === 0 ? resultBoundary : undefined)
    )
  }
}

/** Generates a case in which a model repeats a call and the tool always returns the same answer. */
const repeatedCall = (ingredients: Ingredients, choices: SeededRandom.Choices): FuzzCase => {
  const call = { arguments: choices.pick(ingredients.pools.arguments) }
  return {
    caller: choices.pick(["model", "model", "loop"]),
    person: choices.pick(["approves", "denies", "absent"]),
    calls: Array.from({ length: choices.pick([3, 4, 7]) }, () => call),
    answers: [answerOf(ingredients, choices, call, undefined)]
  }
}

const at = <A>(list: ReadonlyArray<A>, position: number): A | undefined => list[position % Math.max(1, list.length)]

const argumentsOf = (
  { pools, strings }: Ingredients,
  choices: SeededRandom.Choices,
  boundary: Boundary.Boundary | undefined
): Json => {
  const valid = choices.pick(pools.arguments)
  if (boundary !== undefined) {
    const edited = editedBy(boundary, pools.arguments)
    if (edited !== undefined) return choices.chance(0.5) ? JSON.stringify(edited) : edited
  }
  const text = JSON.stringify(valid)
  if (choices.chance(0.12)) return HostileTexts.withText(valid, choices.pick(strings), choices) ?? choices.pick(strings)
  if (choices.chance(0.12)) return HostileTexts.argumentText(text, choices)
  return choices.chance(0.7) ? text : valid
}

/** Applies a boundary to the first value in which the boundary's place exists. */
const editedBy = (boundary: Boundary.Boundary, values: ReadonlyArray<Json>): Json | undefined => {
  for (const value of values) {
    const edited = boundary.apply(value)
    if (edited !== undefined) return edited
  }
  return undefined
}

/**
 * Returns the calls of a case: the first call, sometimes truncated or misnamed, and sometimes repetitions or other
 * calls.
 */
const callsFrom = (
  ingredients: Ingredients,
  choices: SeededRandom.Choices,
  first: FuzzCall
): ReadonlyArray<FuzzCall> => {
  const initial = choices.chance(0.03)
    ? { ...first, isCut: true as const }
    : choices.chance(0.03)
      ? {
          ...first,
          name: choices.pick([`${ingredients.subject.name}s`, ingredients.subject.name.toUpperCase(), "", "__proto__"])
        }
      : first
  const calls: Array<FuzzCall> = [initial]
  while (calls.length < 4 && choices.chance(0.35)) {
    const earlier = choices.pick(calls)
    calls.push(
      choices.chance(0.6)
        ? { ...earlier, ...(choices.chance(0.3) ? { id: choices.pick(["call_1", "", "x".repeat(300)]) } : {}) }
        : { arguments: argumentsOf(ingredients, choices, undefined) }
    )
  }
  return calls
}

const answerOf = (
  ingredients: Ingredients,
  choices: SeededRandom.Choices,
  call: FuzzCall,
  boundary: Boundary.Boundary | undefined
): FuzzAnswer => {
  const base = baseOf(ingredients, choices, call, boundary)
  return { ...base, ...timingOf(ingredients, choices, base) }
}

const baseOf = (
  ingredients: Ingredients,
  choices: SeededRandom.Choices,
  { arguments: args }: FuzzCall,
  boundary: Boundary.Boundary | undefined
): FuzzAnswer => {
  const { pools, strings } = ingredients
  if (ingredients.hasHandler && choices.chance(0.6)) return { _tag: "Handler" }
  const sample = choices.pick(pools.results)
  const result = choices.chance(0.6) ? HostileTexts.echoing(sample, parsedArguments(args)) : sample
  const edited = boundary === undefined ? undefined : editedBy(boundary, pools.results)
  if (edited !== undefined) return answerWith(ingredients, choices, edited)
  switch (choices.below(ingredients.hasHandler ? 3 : 10)) {
    case 0:
      return { _tag: "Fault", fault: choices.pick(HandlerFailure.names) }
    case 1:
      return { _tag: "Crash", crash: choices.pick(["dies", "dies", "throws", "interrupts"]) }
    case 2:
      return { _tag: "Silence" }
    case 3:
      return statusOf(choices, JSON.stringify(result))
    case 4:
      return { _tag: "Text", text: HostileTexts.resultText(JSON.stringify(result), choices) }
    case 5:
      return choices.chance(0.5)
        ? { _tag: "Cut", text: JSON.stringify(result).slice(0, choices.below(40)) }
        : { _tag: "Odd", value: result, odd: choices.pick(HandlerFailure.oddNames) }
    case 6:
      return choices.chance(0.03)
        ? { _tag: "Large", value: result, bytes: choices.pick([20_000, 2_000_000, 2_000_000, 10_000_001]) }
        : answerWith(ingredients, choices, HostileTexts.withText(result, choices.pick(strings), choices) ?? result)
    case 7:
      return answerWith(
        ingredients,
        choices,
        HostileTexts.withText(result, choices.pick(["@token@", "see @key@"]), choices) ?? result
      )
    default:
      return answerWith(ingredients, choices, result)
  }
}

/** Parses arguments that are a JSON text; returns other arguments unchanged. */
const parsedArguments = (args: Json): Json => {
  if (typeof args !== "string" || args.length > 10_000) return args
  try {
    return JSON.parse(args) as Json // JSON.parse returns only JSON values
  } catch {
    return args
  }
}

/** Returns a result in one of the forms that handlers return: a value, a JSON text, or a response. */
const answerWith = ({ subject }: Ingredients, choices: SeededRandom.Choices, value: Json): FuzzAnswer => {
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

const statusOf = (choices: SeededRandom.Choices, valid: string): FuzzAnswer => {
  const status = choices.pick(statuses)
  const body = choices.pick([
    genericErrorBody,
    genericErrorBody,
    "",
    valid,
    '{"error":"@token@ in @path@:12"}',
    "<html>@key@</html>"
  ])
  const wait = choices.pick(["1", "30", "86400", "-1", "soon", "Wed, 21 Oct 2099 07:28:00 GMT"])
  const hasRetryAfter = (status === 429 || status === 503) && choices.chance(0.6)
  return {
    _tag: "Response",
    status,
    ...(hasRetryAfter ? { headers: { "retry-after": wait } } : {}),
    body: status === 204 || status === 304 ? "" : body
  }
}

/** Chooses when an answer comes, and whether its effect happens. */
const timingOf = ({ subject }: Ingredients, choices: SeededRandom.Choices, { _tag }: FuzzAnswer) => {
  const { access, attemptMillis, deadlineMillis } = subject.definition
  const times = [1, attemptMillis - 1, attemptMillis + 1, 3 * attemptMillis, deadlineMillis + 1]
  const isSlow = choices.chance(_tag === "Silence" ? 0.3 : 0.2)
  return {
    ...(isSlow ? { after: Math.max(1, choices.pick(times)) } : {}),
    ...(access !== "read" && choices.chance(0.5) ? { done: true as const } : {}),
    ...(isSlow && choices.chance(0.3) ? { stubborn: true as const } : {})
  }
}
