/** Tests how the schemas of results are relaxed, and how they are written. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, SchemaAST } from "effect"
import * as Fault from "#domain/faults/Fault"
import * as FaultGroups from "#domain/faults/FaultGroups"
import * as Proposal from "#kit/propose/Proposal"

type Codec = Schema.Codec<unknown, unknown>

/** Proposes a schema from results, each of which is returned twice as different answers. */
const proposalOf = (schema: Codec, results: ReadonlyArray<unknown>): Proposal.Proposal => {
  const json = Schema.toCodecJson(schema)
  const encoded = SchemaAST.toEncoded(json.ast)
  const decode = Schema.decodeUnknownResult(json, { errors: "all", reportInput: true })
  const groups = FaultGroups.make<number>((text) => text)
  for (const [at, value] of [...results, ...results].entries()) {
    const decoded = decode(value)
    const faults = Result.isFailure(decoded) ? Fault.ofResult(decoded.failure.issue, value, encoded) : []
    groups.add({ tool: "get_order", faults, at, worked: true, answer: String(at) })
  }
  const { calls, passes } = groups.rejected("get_order")
  return Proposal.of({ tool: "get_order", schema: encoded, groups: groups.groups(), rejected: calls, passes })
}

const accepts = ({ relaxed }: Proposal.Proposal) => {
  // the type of a relaxed schema is known only at run time
  const is = Schema.is(Schema.make(relaxed) as Codec)
  return (value: unknown): boolean => is(value)
}

interface Node {
  readonly value: number
  readonly children: ReadonlyArray<Node>
}
const Node: Schema.Codec<Node> = Schema.Struct({
  value: Schema.Int,
  children: Schema.Array(Schema.suspend(() => Node))
})
const Person = Schema.Struct({ name: Schema.String.check(Schema.isMaxCodePoints(3)) })
const Order = Schema.Struct({
  id: Schema.String,
  status: Schema.Literals(["placed", "shipped"]),
  buyer: Person,
  seller: Person,
  tree: Node,
  tags: Schema.Array(Schema.String).check(Schema.isMaxLength(2)),
  prices: Schema.Record(Schema.String, Schema.Struct({ cents: Schema.Int }))
}).annotate({ description: "An order." })
const good = {
  id: "o",
  status: "placed",
  buyer: { name: "A" },
  seller: { name: "B" },
  tree: { value: 1, children: [] },
  tags: [],
  prices: {}
}
const with_ = (change: object) => ({ ...good, ...change })
const leaf = (value: unknown) => ({ value, children: [] })

describe("Proposal.of", () => {
  it("13.1 a change applies at its place, and not where the same schema is used elsewhere", () => {
    const accept = accepts(proposalOf(Order, [with_({ buyer: { name: null } })]))
    assert.isTrue(accept(with_({ buyer: { name: null } })))
    assert.isFalse(accept(with_({ seller: { name: null } })))
    assert.isFalse(accept(with_({ buyer: null })))
    assert.isFalse(accept(with_({ buyer: {} })))
    assert.isTrue(accept(good))
  })

  it("13.1 a change inside a recursive schema applies at every depth", () => {
    const deep = (value: unknown) => with_({ tree: { value: 1, children: [{ value: 2, children: [leaf(value)] }] } })
    const accept = accepts(proposalOf(Order, [deep(null)]))
    assert.isTrue(accept(deep(null)))
    assert.isTrue(accept(with_({ tree: leaf(null) })))
    assert.isFalse(accept(deep("x")))
  })

  it("13.1 changes of a field and of the object around it are combined", () => {
    const proposal = proposalOf(Order, [
      with_({ buyer: null }),
      with_({ buyer: { name: "Annabel" } }),
      with_({ buyer: { data: { name: "A" } } })
    ])
    const accept = accepts(proposal)
    for (const buyer of [null, { name: "Annabel" }, { name: "A" }, { data: { name: "A" } }]) {
      assert.isTrue(accept(with_({ buyer })), JSON.stringify(buyer))
    }
    for (const buyer of [{ name: "Annabella" }, { data: { name: "Annabel" } }, { data: null }, 7]) {
      assert.isFalse(accept(with_({ buyer })), JSON.stringify(buyer))
    }
  })

  it("13.1 a bound moves to the largest value that was seen", () => {
    const accept = accepts(proposalOf(Order, [with_({ tags: ["a", "b", "c"] }), with_({ tags: ["a", "b", "c", "d"] })]))
    assert.isTrue(accept(with_({ tags: ["a", "b", "c", "d"] })))
    assert.isFalse(accept(with_({ tags: ["a", "b", "c", "d", "e"] })))
  })

  it("13.1 an object of an unknown form gets the schema that infer finds for its values", () => {
    const accept = accepts(proposalOf(Order, [with_({ tags: { first: "a" } }), with_({ tags: { first: "b" } })]))
    assert.isTrue(accept(with_({ tags: { first: "c" } })))
    assert.isFalse(accept(with_({ tags: { second: 1 } })))
  })

  it("13.1 a member of a union is changed alone", () => {
    const Shapes = Schema.Struct({
      shape: Schema.Union([
        Schema.Struct({ kind: Schema.Literal("circle"), size: Schema.Int }),
        Schema.Struct({ kind: Schema.Literal("square"), size: Schema.Int })
      ])
    })
    const accept = accepts(proposalOf(Shapes, [{ shape: { kind: "square", size: null } }]))
    assert.isTrue(accept({ shape: { kind: "square", size: null } }))
    assert.isFalse(accept({ shape: { kind: "circle", size: null } }))
  })

  it("13.1 a group whose schema is kept changes nothing", () => {
    const proposal = proposalOf(Order, [{ oops: 1 }, with_({ id: null })])
    assert.deepStrictEqual(
      [proposal.changes, proposal.kept].map((groups) => groups.map(({ fault }) => fault.path)),
      [["id"], [""]]
    )
    assert.isFalse(accepts(proposal)({ oops: 1 }))
  })
})

describe("Proposal.source", () => {
  it("13.1 writes the whole schema with a comment above each changed line", () => {
    const proposal = proposalOf(Order, [
      with_({ id: null }),
      with_({ status: "late" }),
      with_({ tree: leaf(null) }),
      with_({ prices: { AAPL: { cents: "12" } } }),
      { oops: 1 }
    ])
    const written = Proposal.source([proposal])
    assert.strictEqual(
      written.slice(written.indexOf("const GetOrderSuccessNode")),
      `const GetOrderSuccessNode: Schema.Codec<unknown> = Schema.Struct({
  value: Schema.NullOr(Schema.Int),
  children: Schema.Array(Schema.suspend((): Schema.Codec<unknown> => GetOrderSuccessNode))
})

/**
 * The result of "get_order". 10 recorded results violated the schema; 8 would pass now.
 *
 * - Changed id: expected string, got null, in 2 calls. 2 of 10 different answers have it.
 * - Changed prices.*.cents: expected integer, got a number as text, in 2 calls. 2 of 10 different answers have it.
 * - Changed status: not one of 2 values, in 2 calls. 2 of 10 different answers have it.
 * - Changed tree.value: expected integer, got null, in 2 calls. 2 of 10 different answers have it.
 * - Kept (whole): an object with none of the declared fields, in 2 calls. The value is not the kind of object that the
 * schema describes.
 */
export const GetOrderSuccess = Schema.Struct({
  // Changed: allow null. 2 calls would pass with this change alone.
  id: Schema.NullOr(Schema.String),
  // Changed: allow "late". 2 calls would pass with this change alone.
  status: Schema.Literals(["placed", "shipped", "late"]),
  buyer: Schema.Struct({
    name: Schema.String.check(Schema.isMaxCodePoints(3))
  }),
  seller: Schema.Struct({
    name: Schema.String.check(Schema.isMaxCodePoints(3))
  }),
  tree: Schema.Struct({
    // Changed: allow null. 2 calls would pass with this change alone.
    value: Schema.NullOr(Schema.Int),
    children: Schema.Array(Schema.suspend((): Schema.Codec<unknown> => GetOrderSuccessNode))
  }),
  tags: Schema.Array(Schema.String).check(Schema.isMaxLength(2)),
  prices: Schema.Record(
    Schema.String,
    Schema.Struct({
      // Changed: also allow a number as text. 2 calls would pass with this change alone.
      cents: Schema.Union([
        Schema.Int,
        Schema.String.check(Schema.isPattern(/^-?(?:0|[1-9]\\d{0,15})(?:\\.\\d{1,16})?(?:[eE][+-]?\\d{1,3})?$/u)).pipe(Schema.decodeTo(Schema.FiniteFromString)).check(Schema.isInt())
      ])
    })
  )
}).annotate({ description: "An order." })
`
    )
  })

  it("13.1 writes JSON Schemas of results, with the changes", () => {
    const written = Proposal.jsonSchemas([proposalOf(Person, [{ name: null }])])
    assert.deepStrictEqual(written, {
      get_order: {
        changes: [
          {
            path: "name",
            problem: "expected string, got null",
            count: 2,
            suggestion: { _tag: "nullable" },
            reason: "2 of 2 different answers have it.",
            passes: { alone: 2, together: 2 }
          }
        ],
        outputSchema: {
          type: "object",
          properties: { name: { type: ["string", "null"], maxLength: 3 } },
          required: ["name"],
          additionalProperties: false
        }
      }
    })
  })
})
