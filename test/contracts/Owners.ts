/** Tests that stores separate the data of tenants, principals, conversations and turns with similar ids [8.3]. */
import type { Turn } from "#domain/turn/Turn"
import { Artifacts } from "#services/Artifacts"
import { Budgets } from "#services/Budgets"
import { Checkpoints } from "#services/Checkpoints"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { TurnMemory } from "#services/TurnMemory"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, type Layer } from "effect"
import { actionOf } from "./IdempotencyKeys.ts"
import { row } from "./Checkpoints.ts"
import { done } from "./values.ts"

/** Ids that differ only in case, form, spaces or separators, or that look like the encoding of other ids or values. */
const ids = [
  "a",
  "A",
  " a",
  "a ",
  "a\u0000",
  "a\u200b",
  "ａ",
  "à",
  "a\u0300",
  "ß",
  "ss",
  "SS",
  "ı",
  "i",
  "I",
  "a/b",
  "a:b",
  "a|b",
  "a,b",
  `a","b`,
  "[",
  `["a"]`,
  `["a","b"]`,
  `["a",{"principal":"b"}]`,
  `{"principal":"b"}`,
  "\\u0000",
  "\u0000",
  "\ud800",
  "\udc00",
  "\ufffd",
  "%",
  "*",
  "x".repeat(200),
  "x".repeat(201),
  "",
  "null",
  "undefined",
  "__proto__"
]

const base: Turn = { tenant: "t", conversation: "c", turn: "1" }

/** The owners: each id as a tenant, a principal, a conversation and a turn, and ids that are equal if they are joined. */
const turns: ReadonlyArray<Turn> = [
  base,
  ...ids.flatMap((id): ReadonlyArray<Turn> => [
    { ...base, tenant: id },
    { ...base, principal: id },
    { ...base, tenant: id, principal: id },
    { ...base, conversation: id },
    { ...base, turn: id }
  ]),
  { tenant: "a", conversation: "b", turn: "c" },
  { tenant: "a/b", conversation: "c", turn: "c" },
  { tenant: "a", conversation: "b/c", turn: "c" },
  { tenant: `a","b`, conversation: "c", turn: "c" },
  { tenant: "a", conversation: `b","c`, turn: "c" },
  { tenant: "a", conversation: "b", turn: `{"principal":"c"}` },
  { tenant: "a", conversation: "b", turn: "c", principal: "c" }
]

const unique = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values()
]

/** Writes a different word for each value, and then asserts that each value reads its own word. */
const ownWords = <A, E1, E2, R1, R2>(
  values: ReadonlyArray<A>,
  write: (value: A, word: string) => Effect.Effect<unknown, E1, R1>,
  read: (value: A) => Effect.Effect<string | undefined, E2, R2>
) =>
  Effect.gen(function* () {
    const all = unique(values)
    yield* Effect.forEach(all, (value, index) => write(value, `word ${index}`), { discard: true })
    const wrong = yield* Effect.forEach(all, (value, index) =>
      Effect.map(read(value), (word) => (word === `word ${index}` ? undefined : [value, `word ${index}`, word]))
    )
    assert.deepStrictEqual(
      wrong.filter((one) => one !== undefined),
      []
    )
  })

export const ownersOfKeys = <E>(name: string, layer: Layer.Layer<IdempotencyKeys, E>): void => {
  describe(`owners of idempotency keys (${name})`, () => {
    const claimOf = ({ principal, tenant }: Turn, key = "idem_1") => ({
      ...actionOf(tenant),
      key,
      ...(principal === undefined ? {} : { principal })
    })
    it.effect("8.3 of tenants and principals with similar ids, none reads the outcome of another", () =>
      Effect.flatMap(IdempotencyKeys, ({ claim, complete, find }) =>
        ownWords(
          [
            ...turns.map(({ principal, tenant }) =>
              claimOf({ ...base, tenant, ...(principal === undefined ? {} : { principal }) })
            ),
            ...ids.map((key) => claimOf(base, key))
          ],
          (action, word) =>
            Effect.flatMap(claim(action), (claimed) =>
              claimed._tag === "Claimed"
                ? complete(action, claimed.owner, word, true)
                : Effect.die(`${claimed._tag}: ${JSON.stringify(action)}`)
            ),
          (action) => Effect.map(find(action), (found) => (found?._tag === "Done" ? found.outcome : undefined))
        )
      ).pipe(Effect.provide(layer))
    )
  })
}

export const ownersOfBudgets = <E>(name: string, layer: Layer.Layer<Budgets, E>): void => {
  describe(`owners of budgets (${name})`, () => {
    const limit = { limit: 1, onlyAfterTransient: false }
    it.effect("8.3 of turns with similar ids, none spends the budget of another or reads its last result", () =>
      Effect.flatMap(Budgets, ({ settle, spend }) =>
        ownWords(
          turns,
          (turn, word) =>
            Effect.flatMap(spend(turn, "key", limit, { now: 0 }), ({ _tag }) =>
              _tag === "Spent"
                ? settle(turn, "key", { outcome: done(word), digest: word, isLast: true })
                : Effect.die(`${_tag}: ${JSON.stringify(turn)}`)
            ),
          (turn) =>
            Effect.map(spend(turn, "key", limit, { now: 0 }), (spending) =>
              spending._tag === "Exhausted" && spending.last?._tag === "Success"
                ? spending.last.json?.slice(1, -1)
                : undefined
            )
        )
      ).pipe(Effect.provide(layer))
    )
  })
}

export const ownersOfArtifacts = <E>(name: string, layer: Layer.Layer<Artifacts, E>): void => {
  describe(`owners of artifacts (${name})`, () => {
    it.effect("8.3 of conversations with similar ids, none reads the artifact of another", () =>
      Effect.gen(function* () {
        const { put, read } = yield* Artifacts
        const conversations = unique(turns.map((turn) => ({ ...turn, turn: "1" })))
        const stored = yield* Effect.forEach(conversations, (turn) =>
          Effect.map(put({ turn, text: JSON.stringify(turn), timeToLive: Duration.hours(1) }), (id) => ({ id, turn }))
        )
        for (const [index, { id, turn }] of stored.entries()) {
          assert.strictEqual(yield* read(turn, id), JSON.stringify(turn))
          // all pairs would be too many requests, so that only forty neighbours of similar form try each artifact
          for (const other of [...stored.slice(Math.max(0, index - 20), index), ...stored.slice(index + 1, index + 21)])
            assert.isUndefined(yield* read(other.turn, id), JSON.stringify([turn, other.turn]))
        }
      }).pipe(Effect.provide(layer))
    )
  })
}

export const ownersOfCheckpoints = <E>(name: string, layer: Layer.Layer<Checkpoints, E>): void => {
  describe(`owners of checkpoints (${name})`, () => {
    const options = { mayMake: true, format: 1, lease: Duration.seconds(30), takeOver: false }
    it.effect("8.3 of tenants, principals and runs with similar ids, none reads or opens the run of another", () =>
      Effect.flatMap(Checkpoints, ({ append, find, open }) =>
        ownWords(
          ids.flatMap((id) => [
            { tenant: id, run: "a" },
            { tenant: "a", run: id },
            { tenant: "a", principal: id, run: "a" },
            { tenant: "a", principal: "b", run: id },
            { tenant: "a", run: JSON.stringify(["a", { principal: id }]) }
          ]),
          (key, word) => Effect.flatMap(open(key, options), ({ owner }) => append(key, owner, row(1, word))),
          (key) => Effect.map(find(key), (run) => run?.rows[0]?.body)
        )
      ).pipe(Effect.provide(layer))
    )
  })
}

export const ownersOfTexts = <E>(name: string, layer: Layer.Layer<TurnMemory, E>): void => {
  describe(`owners of texts (${name})`, () => {
    it.effect("8.3 of conversations with similar ids, none has seen the texts of another", () =>
      Effect.gen(function* () {
        const { hasSeen, saw } = yield* TurnMemory
        const conversations = unique(turns.map((turn) => ({ ...turn, turn: "1" })))
        for (const [index, turn] of conversations.entries()) yield* saw(turn, `word${index}z`)
        for (const [index, turn] of conversations.entries()) {
          const seen: Array<Turn> = []
          for (const [other, owner] of conversations.entries()) {
            if (yield* hasSeen(turn, `word${other}z`)) seen.push(owner)
          }
          assert.deepStrictEqual(seen, [turn], String(index))
        }
      }).pipe(Effect.provide(layer))
    )
  })
}
