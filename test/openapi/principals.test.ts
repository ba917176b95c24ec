/** Tests that no principal reads the results, or blocks the actions, of another over HTTP [8.3]. */
import { CurrentTurn } from "#services/CurrentTurn"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { tool } from "../pipeline/support.ts"
import { box, post, serving } from "./support.ts"

/** The handler of a tool whose result names the caller. */
const ofCaller = () => Effect.map(CurrentTurn, (turn) => ({ owner: turn?.principal ?? "nobody" }))
const success = Schema.Struct({ owner: Schema.String })

/** Serves a keyed write, a derived write and a read that fails, to callers who name themselves in a header. */
const bank = Effect.gen(function* () {
  const redeem = tool("redeem", { access: "write", success, idempotency: "key" }, ofCaller)
  const book = tool("book", { access: "write", success, idempotency: "derived" }, ofCaller)
  const find = tool("find", {}, { n: "never" })
  const url = yield* serving(
    box([redeem.tool, book.tool, find.tool]),
    Layer.mergeAll(redeem.layer, book.layer, find.layer),
    {
      identify: ({ headers }) => {
        const { "x-tenant": tenant, "x-user": principal } = headers
        return Effect.succeed({
          ...(tenant === undefined ? {} : { tenant }),
          ...(principal === undefined ? {} : { principal })
        })
      }
    }
  )
  const call = (name: string, who: Readonly<Record<string, string>>, body: object = { q: "a" }) =>
    Effect.map(post(`${url}/tools/${name}`, body, who), ({ json, status }) => ({ status, json }))
  return { redeem, book, find, call }
})

const callers = [{}, { "x-user": "alice" }, { "x-user": "bob" }, { "x-user": "alice", "x-tenant": "other" }] as const
const ownerOf = (who: { readonly "x-user"?: string }) => who["x-user"] ?? "nobody"
const named = { idempotency_key: "voucher-2026-november" }

describe("principals over HTTP", () => {
  const ways: ReadonlyArray<readonly [what: string, tool: "book" | "redeem", headers: object, body: object]> = [
    ["a key in the body", "redeem", {}, named],
    ["a key in the body of a turn", "redeem", { "toolguard-turn": "1" }, named],
    ["a key in the body of a conversation", "redeem", { "toolguard-conversation": "c" }, named],
    ["a key in the header", "redeem", { "idempotency-key": "voucher-2026-november" }, {}],
    ["a key in the header, for a derived write", "book", { "idempotency-key": "voucher-2026-november" }, {}],
    ["a turn without a conversation", "book", { "toolguard-turn": "1" }, {}],
    ["a turn of a conversation", "book", { "toolguard-turn": "1", "toolguard-conversation": "c" }, {}]
  ]
  for (const [what, name, headers, body] of ways) {
    it.live(
      `8.3 with ${what}, the same call is a separate action for each principal and tenant, and is made once`,
      () =>
        Effect.gen(function* () {
          const { call, ...tools } = yield* bank
          for (const repeated of [false, true])
            for (const who of callers) {
              const { json } = yield* call(name, { ...headers, ...who }, { q: "a", ...body })
              assert.deepStrictEqual(json.data, { owner: ownerOf(who) })
              // in a turn, the first result is recalled
              assert.strictEqual(json._idempotent === true || json.executed === false, repeated)
            }
          const { calls } = tools[name]
          assert.lengthOf(calls, callers.length)
          assert.strictEqual(new Set(calls.map(({ context }) => context.idempotencyKey)).size, callers.length)
          // another principal's key with other arguments is not a conflict
          const other = yield* call(name, { ...headers, "x-user": "cleo" }, { q: "b", ...body })
          assert.deepStrictEqual(other.json.data, { owner: "cleo" })
        })
    )
  }

  it.live("8.3 after a failure in a turn without a conversation, other principals' identical calls are made", () =>
    Effect.gen(function* () {
      const { call, find } = yield* bank
      for (const who of callers) {
        const { json } = yield* call("find", { "toolguard-turn": "1", ...who })
        assert.notMatch(json.detail, /already made/u)
      }
      assert.strictEqual(find.runs(), callers.length)
      const again = yield* call("find", { "toolguard-turn": "1", "x-user": "bob" })
      assert.match(again.json.detail, /already made/u)
    })
  )

  it.live(
    "8.3 if an anonymous client writes ids that imitate a principal's conversation, its calls are not in this conversation",
    () =>
      Effect.gen(function* () {
        const { book, call } = yield* bank
        yield* call("book", { "x-user": "alice", "toolguard-conversation": "c", "toolguard-turn": "1" })
        const [seen] = book.calls
        assert.isDefined(seen)
        const guesses = [
          '["alice","c"]',
          '["http","c"]',
          '["default","c",{"principal":"alice"}]',
          '["default","[\\"http\\",\\"c\\"]","1",{"principal":"alice"}]',
          '[{"principal":"alice"},"c"]'
        ]
        for (const guess of guesses)
          for (const turn of ["1", '1",{"principal":"alice"}', '["1",{"principal":"alice"}]']) {
            const { json } = yield* call("book", { "toolguard-conversation": guess, "toolguard-turn": turn })
            assert.deepStrictEqual([json.data, json._idempotent], [{ owner: "nobody" }, undefined])
          }
      })
  )

  it.live("8.3 the conversation that a client names has a key that is marked with `http`", () =>
    Effect.gen(function* () {
      const seen: Array<string | undefined> = []
      const look = tool("look", {}, () => Effect.map(CurrentTurn, (turn) => ({ n: seen.push(turn?.conversation) })))
      const url = yield* serving(box([look.tool]), look.layer)
      yield* post(`${url}/tools/look`, { q: "a" }, { "toolguard-conversation": "chat-7" })
      yield* post(`${url}/tools/look`, { q: "a" }, { "toolguard-turn": "chat-7" })
      assert.deepStrictEqual(seen, ['["http","chat-7"]', '["http",null]'])
    })
  )
})
