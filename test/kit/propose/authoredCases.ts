/**
 * Faults in results whose schemas are written in Effect, with conversions, classes and declared types.
 *
 * A case places a schema somewhere inside the schema of a tool's results, breaks results at this place with one value, and
 * replays them. It evaluates the proposed source with Effect, and compares what the proposal accepts with what the schema
 * accepted, for a pool of other values at the same place.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { GuardedTool } from "effect-toolguard"
import * as Fault from "#domain/faults/Fault"
import * as Proposal from "#kit/propose/Proposal"
import * as Replay from "#kit/replay/Replay"
import * as Fold from "#kit/report/Fold"
import { call, conversation, said, user } from "../replay/logs.ts"

type Codec = Schema.Codec<unknown, unknown>

/** A schema with JSON that conforms to it. */
export interface Subject {
  readonly name: string
  readonly schema: Schema.Top
  readonly good: unknown
}

/** Places a schema inside another one, and a value inside another value. */
export interface Wrapper {
  readonly name: string
  readonly schema: (inner: Codec) => Schema.Top
  readonly value: (inner: unknown) => unknown
  /** The path of the inner value, as the report writes it. */
  readonly path: string
}

export const subject = (name: string, schema: Schema.Top, good: unknown): Subject => ({ name, schema, good })

const startsWithX = Schema.makeFilter((text: string) => text.startsWith("x"), { message: "must start with x" })
const isEven = Schema.makeFilter((value: number) => value % 2 === 0)

/** The schemas that the results violate. */
export const subjects: ReadonlyArray<Subject> = [
  subject("Number", Schema.Number, 5),
  subject("Number > 0", Schema.Number.check(Schema.isGreaterThan(0)), 5),
  subject(
    "Number 1 to 9, exclusive",
    Schema.Number.check(Schema.isBetween({ minimum: 1, maximum: 9, exclusiveMinimum: true, exclusiveMaximum: true })),
    5
  ),
  subject("Finite", Schema.Finite, 5),
  subject("Int >= 3", Schema.Int.check(Schema.isGreaterThanOrEqualTo(3)), 5),
  subject("String", Schema.String, "x"),
  subject("String, at most 3", Schema.String.check(Schema.isMaxLength(3)), "x"),
  subject(
    "String, pattern and length",
    Schema.String.check(Schema.isPattern(/^[a-z]+$/u), Schema.isMaxLength(5)),
    "abc"
  ),
  subject("String with a function", Schema.String.check(startsWithX), "x1"),
  subject(
    "Number with two functions",
    Schema.Number.check(
      isEven,
      Schema.makeFilter((value: number) => value > 2)
    ),
    4
  ),
  subject("Boolean", Schema.Boolean, true),
  subject("texts", Schema.Literals(["a", "b"]), "a"),
  subject("numbers", Schema.Literals([1, 2, 3]), 1),
  subject("bigint literals", Schema.Literals([1n, 2n]), "1"),
  subject("Enum", Schema.Enum({ A: 1, B: "x" } as const), "x"),
  subject("BigInt", Schema.BigInt, "12"),
  subject("BigInt > 0", Schema.BigInt.check(Schema.isGreaterThanBigInt(0n)), "12"),
  subject("Date", Schema.Date, "2020-01-01T00:00:00.000Z"),
  subject("DateTimeUtc", Schema.DateTimeUtc, "2020-01-01T00:00:00.000Z"),
  subject("DateTimeUtcFromString", Schema.DateTimeUtcFromString, "2020-01-01T00:00:00.000Z"),
  subject("Duration", Schema.Duration, { _tag: "Millis", value: 5 }),
  subject("URL", Schema.URL, "https://example.org/"),
  subject("URLFromString", Schema.URLFromString, "https://example.org/"),
  subject("Uint8Array", Schema.Uint8Array, "AQI="),
  subject("NumberFromString > 0", Schema.NumberFromString.check(Schema.isGreaterThan(0)), "7"),
  subject("Trim, not empty", Schema.Trim.check(Schema.isNonEmpty()), " a "),
  subject("Option", Schema.Option(Schema.Number.check(Schema.isGreaterThan(0))), { _tag: "Some", value: 5 }),
  subject("OptionFromNullOr", Schema.OptionFromNullOr(Schema.Int), 5),
  subject("Redacted", Schema.Redacted(Schema.String.check(Schema.isMinLength(3))), "secret"),
  subject("HashMap", Schema.HashMap(Schema.String, Schema.Number), [["a", 1]]),
  subject("ReadonlySet", Schema.ReadonlySet(Schema.Int), [1]),
  subject("Chunk", Schema.Chunk(Schema.String), ["a"]),
  subject("template", Schema.TemplateLiteral(["id-", Schema.Number]), "id-5"),
  subject("brand", Schema.Int.check(Schema.isGreaterThan(0)).pipe(Schema.brand("Id")), 5),
  subject("Array of numbers, at most 2", Schema.Array(Schema.Number).check(Schema.isMaxLength(2)), [1]),
  subject("tuple", Schema.Tuple([Schema.Number, Schema.String]), [1, "a"]),
  subject("NullOr Number", Schema.NullOr(Schema.Number), 5),
  subject("number or text", Schema.Union([Schema.Int, Schema.String.check(Schema.isMaxLength(2))]), 5),
  subject("Record", Schema.Record(Schema.String, Schema.Number.check(Schema.isLessThan(9))), { a: 5 }),
  subject(
    "Struct",
    Schema.Struct({ n: Schema.Number.check(Schema.isGreaterThan(0)), m: Schema.optionalKey(Schema.String) }),
    { n: 5 }
  ),
  subject("identified", Schema.Struct({ n: Schema.Finite }).annotate({ identifier: "Thing" }), { n: 5 }),
  subject("Option of a literal", Schema.Option(Schema.Literal("only")), { _tag: "Some", value: "only" }),
  subject("two literals", Schema.TaggedUnion({ A: { unit: Schema.Literals(["m", "km"]) }, B: { n: Schema.Int } }), {
    _tag: "B",
    n: 5
  }),
  subject(
    "a rule of the whole struct",
    Schema.Struct({ n: Schema.Int, data: Schema.optionalKey(Schema.Int) }).check(
      Schema.makeFilter((pair: { readonly n: number; readonly data?: number }) => pair.n > (pair.data ?? 0))
    ),
    { n: 5 }
  ),
  subject("any JSON text", Schema.fromJsonString(Schema.Struct({ n: Schema.Number })), '{"n":5}'),
  subject(
    "own conversion",
    Schema.String.pipe(
      Schema.decodeTo(Schema.Int, {
        decode: SchemaGetter.transform((text: string) => text.length),
        encode: SchemaGetter.transform((length: number) => "x".repeat(length))
      })
    ),
    "abc"
  )
]

class Holder extends Schema.Class<Holder>("Holder")({ of: Schema.String }) {}

/** Returns a class with one more field, whose schema is given. */
const classOf = (inner: Codec) => Holder.extend<Holder>("WideHolder")({ held: inner })

interface Tree {
  readonly leaf: unknown
  readonly trees: ReadonlyArray<Tree>
}
const treeOf = (inner: Codec): Schema.Codec<Tree, unknown> => {
  const tree: Schema.Codec<Tree, unknown> = Schema.Struct({
    leaf: inner,
    trees: Schema.Array(Schema.suspend((): Schema.Codec<Tree, unknown> => tree))
  })
  return tree
}

/** The places of these schemas. */
export const wrappers: ReadonlyArray<Wrapper> = [
  { name: "a field", schema: (inner) => inner, value: (inner) => inner, path: "x" },
  {
    name: "a field of a struct",
    schema: (inner) => Schema.Struct({ other: Schema.Number, held: inner }),
    value: (held) => ({ other: 1, held }),
    path: "x.held"
  },
  { name: "an optional field", schema: (inner) => Schema.optionalKey(inner), value: (inner) => inner, path: "x" },
  { name: "an item", schema: (inner) => Schema.Array(inner), value: (inner) => [inner], path: "x[]" },
  {
    name: "a value of a record",
    schema: (inner) => Schema.Record(Schema.String, inner),
    value: (inner) => ({ key: inner, second: inner }),
    path: "x.*"
  },
  {
    name: "a field of a class",
    schema: classOf,
    value: (held) => ({ of: "a", held }),
    path: "x.held"
  },
  {
    name: "a member of a tagged union",
    schema: (inner) => Schema.TaggedUnion({ A: { held: inner }, B: { held: Schema.Number } }),
    value: (held) => ({ _tag: "A", held }),
    path: "x.held"
  },
  {
    name: "an Option",
    schema: (inner) => Schema.Option(inner),
    value: (value) => ({ _tag: "Some", value }),
    path: "x.value"
  },
  {
    name: "a value of a HashMap",
    schema: (inner) => Schema.HashMap(Schema.String, inner),
    value: (inner) => [["key", inner]],
    path: "x[][1]"
  },
  {
    name: "a recursive schema",
    schema: treeOf,
    value: (leaf) => ({ leaf, trees: [{ leaf, trees: [] }] }),
    path: "x.leaf"
  }
]

/** Values that break most schemas, by form. */
const groups: ReadonlyArray<ReadonlyArray<unknown>> = [
  [null, true, false],
  [0, 1, 2, 3, 4, 5, 7, 9, 10, -1, -5, 0.5, 2.5, 4711, 1e21],
  [
    "",
    "a",
    "b",
    "c",
    "x",
    "x1",
    "abc",
    "abcdef",
    "ABC",
    "a b",
    "zz",
    "NaN",
    "Infinity",
    "1",
    "2",
    "3",
    "-5",
    "0",
    "12"
  ],
  [
    "id-5",
    "id-x",
    "n/a",
    "2020-01-01T00:00:00.000Z",
    "2020-13-45",
    "https://example.org/",
    "not a url",
    "AQI=",
    "§§",
    "true"
  ],
  ['{"n":5}', '{"n":null}', '{"n":"x"}'],
  [[], [1], ["a"], [1, "a"], [1, 2, 3], [null], [["a", 1]], [["a", null]], [["a"]]],
  [{}, { a: 5 }, { a: 12 }, { a: null }, { n: 5 }, { n: -5 }, { n: null }, { n: "5" }, { data: 5 }, { data: "a" }],
  [{ _tag: "Some", value: 5 }, { _tag: "Some", value: -5 }, { _tag: "Some", value: null }, { _tag: "None" }],
  [{ _tag: "Millis", value: 5 }, { _tag: "Infinity" }, { _tag: "Other" }, { _tag: "A", unit: "ft" }, { _tag: "A" }]
]

/** Values that break most schemas, each of which is also in the pool for all others. */
export const pool: ReadonlyArray<unknown> = groups.flat()

/** The findings of a case. */
export interface Finding {
  readonly name: string
  /** The broken value as JSON. */
  readonly sent: string
  readonly problem: string
  readonly suggestion: string
  readonly line: string | undefined
  /** What is wrong; empty if the report and the proposal are right. */
  readonly wrong: ReadonlyArray<string>
}

const rootOf = (inner: Schema.Top) => Schema.Struct({ id: Schema.String, x: inner })

const decoderOf = (schema: Schema.Top) => {
  // the type of the schema is known only at run time
  const codec = Schema.toCodecJson(schema as Codec)
  return Schema.decodeUnknownResult(codec, { errors: "all", reportInput: true })
}

/** Evaluates source that refers to nothing but `Schema`. */
const evaluated = (source: string): Schema.Top =>
  // the type of the source is known only at run time
  new Function("Schema", source)(Schema) as Schema.Top

/** Evaluates a module that `--propose` wrote. Its types are erased. */
const moduleOf = (text: string): Schema.Top => {
  const source = text
    .replace(/^import .*$/mu, "")
    .replaceAll(/: Schema\.Codec<unknown>/gu, "")
    .replace(/^export const \w+ =/mu, "return")
  return evaluated(source)
}

/** Returns the root with the changed line in place of the field `x`, if the line is that of `x`. */
const pasted = (line: string): Schema.Top | undefined => {
  const source = line.replaceAll(/: Schema\.Codec<unknown>/gu, "")
  const start = source.search(/^x: /mu)
  if (start < 0) return undefined
  return evaluated(`${source.slice(0, start)}\nreturn Schema.Struct({ id: Schema.String, ${source.slice(start)} })`)
}

const faultsOf = (schema: Schema.Top, decoded: Result.Result<unknown, Schema.SchemaError>, value: unknown) =>
  Result.isFailure(decoded) ? Fault.ofResult(decoded.failure.issue, value, schema.ast) : []

const kindOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)

/**
 * True if a value of the group may pass: it has the JSON type of the broken one. A rule may judge a text as the number that
 * it contains, and a single item may have any type that items have.
 */
const isSimilar = (fault: Fault.Fault | undefined, inner: unknown, broken: unknown): boolean =>
  fault?.kind === "rule" || fault?.form?._tag === "Single" || kindOf(inner) === kindOf(broken)

/**
 * True if a change allows a value of another group too: a change that allows a JSON type allows each of its forms, such as
 * numbers as text, and a list of values may be empty. Decoding drops the fields that an object does not declare.
 */
const isOfForm = (fault: Fault.Fault | undefined, inner: unknown, broken: unknown): boolean => {
  if (kindOf(inner) !== kindOf(broken)) return false
  if (fault?.kind === "missing" || fault?.form?._tag === "Wrapped") return kindOf(inner) === "object"
  if (fault?.kind !== "type") return false
  return fault.form?._tag === "Type" || (fault.form?._tag === "List" && JSON.stringify(inner) === "[]")
}

/** A value that may break a subject in a wrapper. */
export type Case = readonly [Subject, Wrapper, unknown]

/** Runs cases whose values violate their schemas, three results of each; leaves out the others. */
export const runCases = (cases: ReadonlyArray<Case>): ReadonlyArray<Finding> => {
  // one guard has the tools of all cases, one for each subject in a wrapper
  const tools = new Map<string, ReturnType<typeof toolOf>>()
  const named = cases.map(([subject, wrapper, broken]) => {
    const name = `get ${subject.name} in ${wrapper.name}`.replaceAll(/\W+/gu, "_")
    // each subject is a codec
    const root = tools.get(name)?.root ?? rootOf(wrapper.schema(subject.schema as Codec))
    if (!tools.has(name)) tools.set(name, toolOf(name, root))
    return { name, root, subject, wrapper, broken }
  })
  const all = new Map([...tools].map(([name, { tool }]) => [name, tool]))
  const replay = Effect.runSync(Effect.scoped(Replay.make({ tools: all })))
  return named.flatMap((one) => runCase(replay, one) ?? [])
}

interface NamedCase {
  readonly name: string
  readonly root: Schema.Top
  readonly subject: Subject
  readonly wrapper: Wrapper
  readonly broken: unknown
}

const toolOf = (name: string, root: Schema.Top) => ({
  root,
  tool: GuardedTool.dynamic(name, {
    description: "Gets a thing. Read-only.",
    access: "read",
    parameters: { type: "object", properties: { n: { type: "integer" } } },
    success: root as Codec,
    handler: () => Effect.succeed({})
  })
})

const runCase = (
  replay: Replay.Replay,
  { broken, name: tool, root, subject, wrapper }: NamedCase
): Finding | undefined => {
  const { good, name } = subject
  const resultOf = (id: string, inner: unknown) => ({ id, x: wrapper.value(inner) })
  const decode = decoderOf(root)
  const accepts = (inner: unknown) => Result.isSuccess(decode(resultOf("i", inner)))
  if (!accepts(good)) throw new Error(`${name} in ${wrapper.name}: the example does not conform`)
  if (accepts(broken)) return undefined
  const own = faultsOf(root, decode(resultOf("i", broken)), resultOf("i", broken))
  const { rejectedTools, report } = replayed(replay, tool, [
    ...["1", "2", "3"].map((id) => resultOf(id, broken)),
    ...["4", "5", "6"].map((id) => resultOf(id, good))
  ])
  const rows = report.rejected.filter(({ part }) => part === "result")
  const [row] = rows
  const [rejected] = rejectedTools
  const found = { name: `${name} in ${wrapper.name}`, sent: JSON.stringify(broken) }
  if (row === undefined || rejected === undefined) {
    return { ...found, problem: "", suggestion: "", line: undefined, wrong: ["is not listed"] }
  }
  const wrong: Array<string> = []
  const proposal = Proposal.of(rejected)
  const listed = rows.map(({ count, path }) => `${count} ${path}`).join(", ")
  if (rows.length !== own.length || rows.some(({ count }) => count !== 3)) wrong.push(`is listed as ${listed}`)
  // a place inside the subject is below the place of the subject
  if (!rows.every(({ path }) => path === wrapper.path || path.startsWith(wrapper.path)))
    wrong.push(`listed at ${listed}`)
  if (/NaN|Infinity|Literal/u.test(row.problem)) wrong.push(`is called ${row.problem}`)
  const isWritten = rows.every(({ suggestion: { _tag } }) => _tag !== "keep" && _tag !== "by hand")
  const row_ = report.results.find((each) => each.tool === tool)
  const passes = isWritten ? 3 : 0
  const counts = [
    row.passes.together,
    row_?.passes,
    rejected.passes,
    isWritten ? 3 : proposal.changes.length === rows.length ? 3 : 0
  ]
  if (rows.length === 1 && counts.some((count) => count !== passes)) wrong.push(`passes ${counts.join(", ")}`)
  const finding = { ...found, problem: row.problem, suggestion: row.suggestion._tag, line: row.line, wrong }
  if (!isWritten) return finding
  const module = Proposal.source([proposal])
  const proposed: Array<readonly [string, () => Schema.Top | undefined, string]> = [
    ["the relaxed schema", () => Schema.make(proposal.relaxed), ""],
    ["the module", () => moduleOf(module), module],
    ["the line", () => (rows.length > 1 || row.line === undefined ? undefined : pasted(row.line)), row.line ?? ""]
  ]
  const [first] = own
  const keys = new Set(own.map(Fault.keyOf))
  const others = pool.map((inner) => {
    const value = resultOf("o", inner)
    const decoded = decode(value)
    const faults = faultsOf(root, decoded, value)
    const isGroup = faults.length > 0 && faults.every((fault) => keys.has(Fault.keyOf(fault)))
    return { inner, value, isAccepted: Result.isSuccess(decoded), isGroup }
  })
  for (const [what, make, source] of proposed) {
    try {
      const relaxed = make()
      if (relaxed === undefined) continue
      const is = decoderOf(relaxed)
      const takes = (value: unknown) => Result.isSuccess(is(value))
      if (!takes(resultOf("1", broken))) wrong.push(`${what} refuses the group`)
      for (const { inner, isAccepted, isGroup, value } of others) {
        const text = JSON.stringify(inner)
        if (isAccepted && !takes(value)) wrong.push(`${what} refuses ${text}`)
        if (isAccepted || source.includes("Keep by hand") || !takes(value)) continue
        if (!(isGroup ? isSimilar(first, inner, broken) : isOfForm(first, inner, broken)))
          wrong.push(`${what} accepts ${text}`)
      }
    } catch (error) {
      wrong.push(`${what} does not compile: ${String(error)}`)
    }
  }
  return finding
}

const replayed = (replay: Replay.Replay, tool: string, answers: ReadonlyArray<unknown>) => {
  const fold = Fold.make({ redact: (text) => text })
  answers.forEach((answer, index) => {
    const messages = [user("go"), ...call(tool, { n: index }, JSON.stringify(answer)), said("done")]
    const one = conversation([], messages, { id: `c${index}`, line: index + 1 })
    fold.add(one, replay.play(one))
  })
  return { report: fold.report(), rejectedTools: fold.rejectedTools() }
}
