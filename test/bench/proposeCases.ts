/**
 * Invents faults in results, for the test and the figures of `toolguard replay --propose`.
 *
 * A case takes a schema and results that conform, breaks three results in one way at one place, and replays all of them. It
 * checks that the report has the fault exactly once, at its path, and that the relaxed schema accepts these broken results
 * and no other: every other way to break a result, at this place and at all other places, must still be refused.
 *
 * The places and the ways to break a value come from the JSON Schema alone, and use no code of the report.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { gaps } from "#kit/containment/Contains"
import * as Proposal from "#kit/propose/Proposal"
import * as Replay from "#kit/replay/Replay"
import * as Fold from "#kit/report/Fold"
import { compile } from "#domain/schema/foreign/ForeignSchema"
import { resultSchema } from "#domain/schema/Contract"
import { call, conversation, said, user } from "../kit/replay/logs.ts"

type Json = Readonly<Record<string, unknown>>

/** Returns numbers from 0 to 1 that depend only on the seed. */
export const random = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Random = ReturnType<typeof random>

const pick = <A>(next: Random, all: ReadonlyArray<A>): A | undefined => all[Math.floor(next() * all.length)]

/** A place in a value: its path, and its schema. */
interface Place {
  readonly path: ReadonlyArray<string | number>
  /** The path as the report writes it. */
  readonly general: string
  readonly schema: Json
  readonly value: unknown
  readonly isRequired: boolean
  readonly isNullable: boolean
}

const object = (value: unknown): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined

const word = /^[\p{L}\p{N}_$-]{1,39}$/u

/** Lists the places of a value that a JSON Schema describes. Names that the report writes differently are left out. */
const placesOf = (
  schema: Json,
  value: unknown,
  at: Pick<Place, "path" | "general"> = { path: [], general: "" },
  isRequired = false
): ReadonlyArray<Place> => {
  const members = Array.isArray(schema["anyOf"]) ? (schema["anyOf"] as ReadonlyArray<Json>) : undefined
  const isNullable = members?.length === 2 && members.some(({ type }) => type === "null")
  const inner = isNullable && value !== null ? members.find(({ type }) => type !== "null") : undefined
  if (inner !== undefined) {
    return placesOf(inner, value, at, isRequired).map((place) =>
      place.path.length === at.path.length ? { ...place, isNullable: true } : place
    )
  }
  const own: Place = { ...at, schema, value, isRequired, isNullable: value === null }
  if (Array.isArray(value)) {
    const items = object(schema["items"])
    if (schema["type"] !== "array" || items === undefined) return [own]
    const first = value.slice(0, 3)
    return [own, ...first.flatMap((item, index) => placesOf(items, item, inside(at, index, "[]")))]
  }
  const fields = object(value)
  if (fields === undefined || schema["type"] !== "object") return [own]
  const properties = object(schema["properties"]) ?? {}
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  const rest = object(schema["additionalProperties"])
  return [
    own,
    ...Object.entries(fields).flatMap(([name, field]) => {
      const declared = object(properties[name])
      if (declared !== undefined && word.test(name)) {
        const dot = at.general === "" ? name : `.${name}`
        return placesOf(declared, field, inside(at, name, dot), required.includes(name))
      }
      const isRecord = declared === undefined && rest !== undefined && Object.keys(properties).length === 0
      return isRecord ? placesOf(rest, field, inside(at, name, at.general === "" ? "*" : ".*")) : []
    })
  ]
}

const inside = ({ general, path }: Pick<Place, "path" | "general">, key: string | number, text: string) => ({
  path: [...path, key],
  general: general + text
})

const absent = Symbol("absent")

/** Returns a copy of a value with another value at a path. */
const replaced = (value: unknown, [key, ...rest]: Place["path"], by: unknown): unknown => {
  if (key === undefined) return by
  const copy = Array.isArray(value) ? [...value] : { ...(value as Json) }
  // the path leads through this copy
  const target = copy as Record<string | number, unknown>
  if (rest.length === 0 && by === absent) delete target[key]
  else target[key] = replaced(target[key], rest, by)
  return copy
}

const type = ({ schema }: Place): unknown => schema["type"]
const isPlainText = (place: Place): boolean => type(place) === "string" && schemaHasNo(place, "enum", "const", "format")
const isNumber = (place: Place): boolean => type(place) === "integer" || type(place) === "number"
const schemaHasNo = ({ schema }: Place, ...names: ReadonlyArray<string>): boolean =>
  names.every((name) => schema[name] === undefined)

/** The ways to break a value. Each returns another value for a place, or `undefined` if this way does not apply to it. */
const mutations = {
  "a null value": (place) => (place.isNullable ? undefined : null),
  "a missing field": (place) => (place.isRequired ? absent : undefined),
  "an unknown enum value": (place) =>
    Array.isArray(place.schema["enum"]) && typeof place.value === "string" ? "another_value" : undefined,
  "a number as text": (place) => (isNumber(place) ? String(place.value) : undefined),
  "a text as a number": (place) => (isPlainText(place) ? 4_711 : undefined),
  "an object for a list": (place) => (type(place) === "array" ? { first: 1 } : undefined),
  "a list for a value": (place) =>
    isPlainText(place) || isNumber(place) || type(place) === "object" ? [place.value] : undefined,
  // an item of a list of lists is a list itself, so it violates the schema at its own items
  "an item for a list": (place) =>
    Array.isArray(place.value) && !Array.isArray(place.value[0]) ? place.value[0] : undefined,
  "an extra nesting": (place) =>
    isPlainText(place) || isNumber(place) || type(place) === "object" ? { data: place.value } : undefined,
  "a broken bound": (place, next) => {
    const { maxItems, maxLength, maximum } = place.schema
    const more = 1 + Math.floor(next() * 5)
    if (typeof maximum === "number" && maximum < 1e12 && isNumber(place)) return maximum + more
    if (typeof maxLength === "number" && schemaHasNo(place, "pattern")) return "x".repeat(maxLength + more)
    if (typeof maxItems !== "number" || !Array.isArray(place.value) || place.value.length === 0) return undefined
    return Array.from({ length: maxItems + more }, () => (place.value as ReadonlyArray<unknown>)[0])
  },
  "a broken pattern": (place, next) =>
    typeof place.schema["pattern"] === "string" ? `§ ${Math.floor(next() * 100)}` : undefined
} satisfies Readonly<Record<string, (place: Place, next: Random) => unknown>>

type Mutation = keyof typeof mutations

/** Broken answers: each function converts the text of a result to the text of an answer that is not a result. */
const wholes = {
  "truncated JSON": (text: string) => text.slice(0, Math.max(1, Math.floor(text.length * 0.6))),
  "an HTML page": () => "<!doctype html><html><body><h1>Overview</h1><p>All of it.</p></body></html>",
  "an object of another kind": (_: string, n: number) => JSON.stringify({ unrelated: n, other: "x" }),
  "a stated error": (_: string, n: number) => JSON.stringify({ error: `order ${n} not found` })
} as const

type WholeFault = keyof typeof wholes

/** The kinds of faults. The last four are faults of whole answers, for which the schema is kept. */
export const kinds = [
  ...(Object.keys(mutations) as ReadonlyArray<Mutation>),
  ...(Object.keys(wholes) as ReadonlyArray<WholeFault>)
]

export type Kind = Mutation | WholeFault

const isWhole = (kind: Kind): kind is WholeFault => Object.hasOwn(wholes, kind)

/** The findings of a case. */
export interface Outcome {
  readonly kind: Kind
  readonly path: string
  /**
   * True if the report has the fault exactly once, at its path, with its number of calls. For a stated error: true if the
   * report has no fault, and counts the broken results as failures.
   */
  readonly isListed: boolean
  /** True if the relaxed schema accepts the broken results, or if the schema is kept for a fault of a whole answer. */
  readonly isRelaxed: boolean
  /** The number of results that are broken in another way, or at another place, and are still refused. */
  readonly refused: number
  /** The other broken results that the relaxed schema accepts, and results that it no longer accepts. Should be empty. */
  readonly wrong: ReadonlyArray<string>
}

/** The number of broken results of a case. */
const broken = 3

/** Breaks three of the results in one way, and checks the report and the proposal. Returns `undefined` if that is impossible. */
export const runCase = (
  schema: Json,
  results: ReadonlyArray<unknown>,
  kind: Kind,
  next: Random
): Outcome | undefined => {
  const { schema: codec } = compile(schema)
  const accepts = Schema.is(codec)
  const good = results.filter(accepts)
  const made = isWhole(kind) ? brokenAnswers(kind, good) : brokenResults(accepts, schema, good, kind, next)
  if (made === undefined) return undefined
  const { general, texts, values } = made
  const { rejectedTools, report } = replayed(schema, [...texts, ...good.map((value) => JSON.stringify(value))])
  const rows = report.rejected.filter(({ part }) => part === "result")
  const path = general === "" ? "(whole)" : general
  const outcome = { kind, path }
  if (kind === "a stated error") {
    const failed = report.failures.reduce(
      (sum, { class: tag, count }) => sum + (tag === "SchemaMismatch" ? 0 : count),
      0
    )
    return { ...outcome, isListed: rows.length === 0 && failed === broken, isRelaxed: true, refused: 0, wrong: [] }
  }
  const [row] = rows
  const isListed = rows.length === 1 && row?.path === path && row.count === broken
  const [rejected] = rejectedTools
  if (rejected === undefined || row === undefined) {
    return { ...outcome, isListed, isRelaxed: false, refused: 0, wrong: ["no proposal"] }
  }
  const proposal = Proposal.of(rejected)
  if (isWhole(kind)) {
    const isKept = row.suggestion._tag === "keep" && proposal.changes.length === 0
    return { ...outcome, isListed, isRelaxed: isKept, refused: 0, wrong: [] }
  }
  // the type of a relaxed schema is known only at run time
  const relaxed = Schema.is(Schema.make(proposal.relaxed) as Schema.Codec<unknown>)
  const others = probes(schema, good.slice(0, 2), next).filter(
    (probe) => !accepts(probe.value) && !(probe.general === general && probe.kind === kind)
  )
  const before = resultSchema(Schema.make(proposal.schema)).jsonSchema2020
  const after = resultSchema(Schema.make(proposal.relaxed)).jsonSchema2020
  const lost = gaps(before, after).filter(({ reason }) => reason._tag !== "Unknown")
  return {
    ...outcome,
    isListed,
    isRelaxed: values.every((value) => relaxed(value)) && row.passes.together === broken,
    refused: others.filter(({ value }) => !relaxed(value)).length,
    wrong: [
      ...others.filter(({ value }) => relaxed(value)).map((probe) => `${probe.kind} at ${probe.general} passes`),
      ...good.filter((value) => !relaxed(value)).map(() => "a good result is refused"),
      ...lost.map(({ path: at }) => `a value that was accepted at ${at.join(".")} is refused`)
    ]
  }
}

interface BrokenSet {
  readonly general: string
  readonly texts: ReadonlyArray<string>
  readonly values: ReadonlyArray<unknown>
}

const brokenAnswers = (kind: WholeFault, good: ReadonlyArray<unknown>): BrokenSet | undefined =>
  good.length < broken
    ? undefined
    : {
        general: "",
        texts: good.slice(0, broken).map((value, index) => `${wholes[kind](JSON.stringify(value), index)}`),
        values: []
      }

const brokenResults = (
  accepts: (value: unknown) => boolean,
  schema: Json,
  good: ReadonlyArray<unknown>,
  kind: Mutation,
  next: Random
): BrokenSet | undefined => {
  const candidates = probes(schema, good, next).filter((probe) => probe.kind === kind && !accepts(probe.value))
  const chosen = pick(next, candidates)
  if (chosen === undefined) return undefined
  const distinct = new Map(
    candidates
      .filter(({ general }) => general === chosen.general)
      .map(({ value }) => [JSON.stringify(value), value] as const)
  )
  const some = [...distinct].slice(0, broken)
  return some.length < broken
    ? undefined
    : { general: chosen.general, texts: some.map(([text]) => text), values: some.map(([, value]) => value) }
}

interface Probe {
  readonly kind: Mutation
  readonly general: string
  readonly value: unknown
}

/** Breaks each value at every place in every way, one at a time. */
const probes = (schema: Json, values: ReadonlyArray<unknown>, next: Random): ReadonlyArray<Probe> =>
  values.flatMap((value) =>
    placesOf(schema, value).flatMap((place) =>
      (Object.keys(mutations) as ReadonlyArray<Mutation>).flatMap((kind) => {
        const by: unknown = mutations[kind](place, next)
        if (by === undefined) return []
        return [{ kind, general: place.general, value: replaced(value, place.path, by) }]
      })
    )
  )

const replayed = (schema: Json, answers: ReadonlyArray<string>) => {
  const tool = { name: "get_thing", parameters: { type: "object" }, result: schema, access: "read" } as const
  const replay = Effect.runSync(Effect.scoped(Replay.make()))
  const fold = Fold.make({ redact: (text) => text })
  answers.forEach((text, index) => {
    const messages = [user("go"), ...call("get_thing", { n: index }, text), said("done")]
    const one = conversation([tool], messages, { id: `c${index}`, line: index + 1 })
    fold.add(one, replay.play(one))
  })
  return { report: fold.report(), rejectedTools: fold.rejectedTools() }
}

const names = "amber birch cedar delta ember fjord grove heron islet jetty knoll lotus maple north olive pearl".split(
  " "
)

/** Invents a JSON Schema of an object, at most three levels deep. */
export const inventSchema = (next: Random, depth = 0): Json => {
  const count = 3 + Math.floor(next() * 3)
  const own = names.toSorted(() => next() - 0.5).slice(0, count)
  const properties = Object.fromEntries(own.map((name) => [name, inventField(next, depth)]))
  // at least two fields are required, so that no value is an object without its fields
  const required = own.filter((_, index) => index < 2 || next() < 0.7)
  return { type: "object", properties, required, additionalProperties: false }
}

const inventField = (next: Random, depth: number): Json => {
  const simple: ReadonlyArray<() => Json> = [
    () => ({ type: "string" }),
    () => ({ type: "string", maxLength: 8 + Math.floor(next() * 8) }),
    () => ({ type: "string", pattern: "^[A-Z]{2}-\\d{3}$" }),
    () => ({ type: "string", enum: ["small", "medium", "large"] }),
    () => ({ type: "integer", minimum: 0, maximum: 100 + Math.floor(next() * 900) }),
    () => ({ type: "number" }),
    () => ({ type: "boolean" }),
    () => ({ type: "array", items: { type: "string" }, maxItems: 3 + Math.floor(next() * 3) })
  ]
  const nested: ReadonlyArray<() => Json> = [
    () => inventSchema(next, depth + 1),
    () => ({ type: "array", items: inventSchema(next, depth + 1) }),
    () => ({ type: "object", additionalProperties: inventSchema(next, depth + 1) }),
    () => ({ anyOf: [inventSchema(next, depth + 1), { type: "null" }] })
  ]
  const all = depth < 2 && next() < 0.4 ? nested : simple
  return (pick(next, all) ?? simple[0]!)()
}

/** Invents a value of an invented schema. */
export const inventValue = (next: Random, schema: Json): unknown => {
  const whole = (most: number) => Math.floor(next() * most)
  const { anyOf, enum: values, items, maxItems, maxLength, maximum, pattern, type: own } = schema
  if (Array.isArray(anyOf)) return next() < 0.2 ? null : inventValue(next, anyOf[0])
  if (Array.isArray(values)) return pick(next, values)
  switch (own) {
    case "string": {
      if (pattern !== undefined) return `${pick(next, ["AB", "CD", "EF"])}-${100 + whole(900)}`
      const text = `${pick(next, names)} ${whole(1_000)}`
      return typeof maxLength === "number" ? text.slice(0, maxLength) : text
    }
    case "integer":
      return whole(typeof maximum === "number" ? maximum : 1_000)
    case "number":
      return Math.round(next() * 10_000) / 8
    case "boolean":
      return next() < 0.5
    case "array": {
      const most = typeof maxItems === "number" ? maxItems : 3
      return Array.from({ length: 1 + whole(most) }, () => inventValue(next, object(items) ?? {}))
    }
    default: {
      const rest = object(schema["additionalProperties"])
      if (rest !== undefined)
        return Object.fromEntries([0, 1].map(() => [`key${whole(1_000)}`, inventValue(next, rest)]))
      const required = schema["required"] as ReadonlyArray<string>
      const fields = Object.entries(object(schema["properties"]) ?? {})
      return Object.fromEntries(
        fields.flatMap(([name, field]) =>
          required.includes(name) || next() < 0.5 ? [[name, inventValue(next, object(field) ?? {})]] : []
        )
      )
    }
  }
}

/** Runs a number of invented cases, the kinds in turn. */
export const runInvented = (count: number, seed: number): ReadonlyArray<Outcome> => {
  const next = random(seed)
  const outcomes: Array<Outcome> = []
  for (let tries = 0; outcomes.length < count && tries < 50 * count; tries++) {
    const schema = inventSchema(next)
    const results = Array.from({ length: 12 }, () => inventValue(next, schema))
    const outcome = runCase(schema, results, kinds[outcomes.length % kinds.length]!, next)
    if (outcome !== undefined) outcomes.push(outcome)
  }
  return outcomes
}
