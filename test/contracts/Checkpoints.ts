/** Tests that every layer of Checkpoints must pass [12.1, 12.2]. */
import {
  type CheckpointError,
  Checkpoints,
  type JournalRow,
  type OpenOptions,
  type OpenRun,
  type RunKey
} from "#services/Checkpoints"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

const lease = Duration.seconds(30)
const make: OpenOptions = { mayMake: true, format: 1, lease, takeOver: false }
const resume: OpenOptions = { ...make, mayMake: false }

export const row = (seq: number, body = `{"step":${seq}}`): JournalRow => ({ seq, body, sum: `sum of ${seq} ${body}` })

/** Ids with a special meaning in a shell, a path, a database or a program, and ids that are easily confused. */
const ids = [
  "../../etc/passwd",
  "C:\\nul",
  "'; DROP TABLE toolguard_runs; --",
  `" \\ \${x} {{x}} %s`,
  "👩‍👩‍👧‍👦 é",
  "e\u0301",
  "a\u0000b",
  "\u0000",
  "\ud800",
  "\udfff",
  "\\u0000",
  "line\nbreak\ttab",
  " ",
  "run",
  "RUN",
  "x".repeat(200),
  "\u0000".repeat(200),
  "漢".repeat(200)
]

/** Returns why an operation was refused. */
const reason = (operation: Effect.Effect<unknown, CheckpointError>) =>
  Effect.map(Effect.flip(operation), (error) => (error._tag === "CheckpointRefused" ? error.reason : error._tag))

const contents = ({ end, format, lastSum, rows, written }: OpenRun) => ({ end, format, lastSum, rows, written })

export const checkpointsContract = <E>(name: string, layer: Layer.Layer<Checkpoints, E>): void => {
  let count = 0
  const test = (what: string, use: (store: Checkpoints["Service"], key: RunKey) => Effect.Effect<void, unknown>) =>
    it.effect(what, () =>
      Effect.flatMap(Checkpoints, (store) => {
        count += 1
        return use(store, { tenant: `${name} ${count}`, run: "run" })
      }).pipe(Effect.provide(layer))
    )

  describe(`Checkpoints (${name})`, () => {
    test("12.1 a run is created once, and opened with its rows", (store, key) =>
      Effect.gen(function* () {
        const first = yield* store.open(key, { ...make, format: 7 })
        assert.deepStrictEqual(contents(first), { rows: [], written: 0, lastSum: "", format: 7, end: undefined })
        const rows = [row(1, `{"text":"a\\u0000b \\ud800 👩‍👩‍👧‍👦 ${"x".repeat(100_000)}"}`), row(2), row(3)]
        for (const one of rows) yield* store.append(key, first.owner, one)
        yield* store.close(key, first.owner, undefined)
        const second = yield* store.open(key, resume)
        assert.deepStrictEqual(contents(second), {
          rows,
          written: 3,
          lastSum: rows[2]?.sum ?? "",
          format: 7,
          end: undefined
        })
        assert.notStrictEqual(second.owner, first.owner)
      }))

    test("12.1 an unknown run is not created unless `mayMake` is set", (store, key) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* reason(store.open(key, resume)), "unknown_run")
        assert.deepStrictEqual(yield* store.unfinished(key.tenant), [])
      }))

    test("12.1 one process owns a run until its lease ends", (store, key) =>
      Effect.gen(function* () {
        const { owner } = yield* store.open(key, make)
        assert.strictEqual(yield* reason(store.open(key, make)), "in_use")
        assert.strictEqual(yield* reason(store.open(key, resume)), "in_use")
        yield* TestClock.adjust("29 seconds")
        yield* store.renew(key, owner, lease)
        yield* TestClock.adjust("29 seconds")
        assert.strictEqual(yield* reason(store.open(key, resume)), "in_use")
        yield* TestClock.adjust("1 second")
        yield* store.open(key, resume)
      }))

    test("12.1 a former owner cannot write; an owner can write after its lease if no other process took over", (store, key) =>
      Effect.gen(function* () {
        const former = yield* store.open(key, make)
        yield* store.append(key, former.owner, row(1))
        yield* TestClock.adjust("1 minute")
        yield* store.append(key, former.owner, row(2))
        const { owner } = yield* store.open(key, resume)
        assert.strictEqual(yield* reason(store.append(key, former.owner, row(3))), "in_use")
        assert.strictEqual(yield* reason(store.append(key, former.owner, row(2))), "in_use")
        assert.strictEqual(yield* reason(store.renew(key, former.owner, lease)), "in_use")
        assert.strictEqual(yield* reason(store.close(key, former.owner, undefined)), "in_use")
        assert.strictEqual(yield* reason(store.close(key, former.owner, "an end")), "in_use")
        yield* store.append(key, owner, row(3, "of the new owner"))
        yield* store.close(key, owner, undefined)
        assert.strictEqual(yield* reason(store.renew(key, owner, lease)), "in_use")
        const { end, rows } = yield* store.open(key, resume)
        assert.deepStrictEqual([rows, end], [[row(1), row(2), row(3, "of the new owner")], undefined])
      }))

    test("12.1 `takeOver` takes over a run before its lease ends", (store, key) =>
      Effect.gen(function* () {
        const former = yield* store.open(key, make)
        const { owner } = yield* store.open(key, { ...resume, takeOver: true })
        assert.strictEqual(yield* reason(store.append(key, former.owner, row(1))), "in_use")
        yield* store.append(key, owner, row(1))
      }))

    test("12.1 the last row can be written again, but not replaced by a different row", (store, key) =>
      Effect.gen(function* () {
        const { owner } = yield* store.open(key, make)
        for (const one of [row(1), row(1), row(2), row(2)]) yield* store.append(key, owner, one)
        const wrong = [row(2, "another"), row(1), row(4), row(0)]
        for (const one of wrong) assert.strictEqual(yield* reason(store.append(key, owner, one)), "in_use")
        yield* store.close(key, owner, undefined)
        const { lastSum, rows, written } = yield* store.open(key, resume)
        assert.deepStrictEqual([rows, written, lastSum], [[row(1), row(2)], 2, row(2).sum])
      }))

    test("12.1 a completed run has its end and no rows, and any number of processes can open it", (store, key) =>
      Effect.gen(function* () {
        const { owner } = yield* store.open(key, make)
        yield* store.append(key, owner, row(1))
        assert.deepStrictEqual(yield* store.unfinished(key.tenant), [key])
        yield* store.close(key, owner, `{"an":"end \\u0000"}`)
        for (const options of [make, resume, make]) {
          assert.deepStrictEqual(contents(yield* store.open(key, options)), {
            rows: [],
            written: 0,
            lastSum: "",
            format: 1,
            end: `{"an":"end \\u0000"}`
          })
        }
        assert.deepStrictEqual(yield* store.unfinished(key.tenant), [])
      }))

    test("12.1 a removed run does not exist, even for its owner", (store, key) =>
      Effect.gen(function* () {
        const { owner } = yield* store.open(key, make)
        yield* store.append(key, owner, row(1))
        yield* store.remove(key)
        assert.strictEqual(yield* reason(store.append(key, owner, row(2))), "in_use")
        assert.strictEqual(yield* reason(store.open(key, resume)), "unknown_run")
        assert.deepStrictEqual((yield* store.open(key, make)).rows, [])
        yield* store.remove({ ...key, run: "unknown" })
      }))

    test("12.1 lists a tenant's runs that are not completed, oldest first", (store, key) =>
      Effect.gen(function* () {
        for (const run of ["c", "a", "b"]) {
          yield* TestClock.adjust("1 second")
          const { owner } = yield* store.open({ ...key, run }, make)
          yield* store.close({ ...key, run }, owner, run === "a" ? "done" : undefined)
        }
        assert.deepStrictEqual(yield* store.unfinished(key.tenant), [
          { ...key, run: "c" },
          { ...key, run: "b" }
        ])
        assert.deepStrictEqual(yield* store.unfinished(`${key.tenant}!`), [])
      }))

    test("12.1 tenants do not see each other's runs with the same id", (store, key) =>
      Effect.gen(function* () {
        const other = { ...key, tenant: `${key.tenant}, another` }
        const mine = yield* store.open(key, make)
        const theirs = yield* store.open(other, make)
        yield* store.append(key, mine.owner, row(1, "mine"))
        assert.strictEqual(yield* reason(store.append(other, mine.owner, row(1))), "in_use")
        yield* store.append(other, theirs.owner, row(1, "theirs"))
        yield* store.remove(key)
        yield* store.close(other, theirs.owner, undefined)
        assert.deepStrictEqual((yield* store.open(other, resume)).rows, [row(1, "theirs")])
      }))

    test("8.3 principals do not see, take over or change each other's runs with the same id", (store, key) =>
      Effect.gen(function* () {
        const keys = [key, { ...key, principal: "ana" }, { ...key, principal: "ben" }]
        const [theirs, mine, none] = [{ ...key, principal: "ana" }, { ...key, principal: "ben" }, key]
        const { owner } = yield* store.open(theirs, make)
        yield* store.append(theirs, owner, row(1, "theirs"))
        for (const other of [mine, none, { ...theirs, tenant: `${key.tenant}, another` }]) {
          assert.isUndefined(yield* store.find(other))
          for (const takeOver of [false, true])
            assert.strictEqual(yield* reason(store.open(other, { ...resume, takeOver })), "unknown_run")
          assert.strictEqual(yield* reason(store.append(other, owner, row(2))), "in_use")
          assert.strictEqual(yield* reason(store.renew(other, owner, lease)), "in_use")
          assert.strictEqual(yield* reason(store.close(other, owner, "an end")), "in_use")
          yield* store.remove(other)
        }
        yield* store.renew(theirs, owner, lease)
        yield* store.append(theirs, owner, row(2, "theirs"))
        // each principal can have a run with this id
        const opened = yield* store.open(mine, { ...make, takeOver: true })
        assert.deepStrictEqual(opened.rows, [])
        yield* store.append(mine, opened.owner, row(1, "mine"))
        yield* store.open(none, make)
        assert.sameDeepMembers([...(yield* store.unfinished(key.tenant))], keys)
        const listed = (yield* store.list).filter(({ tenant }) => tenant === key.tenant)
        assert.sameDeepMembers(
          listed.map(({ principal, written }) => [principal, written]),
          [
            [undefined, 0],
            ["ana", 2],
            ["ben", 1]
          ]
        )
        const copy = yield* store.find(theirs)
        assert.deepStrictEqual([copy?.principal, copy?.rows], ["ana", [row(1, "theirs"), row(2, "theirs")]])
        if (copy !== undefined) yield* store.put({ ...copy, principal: "cleo" })
        assert.deepStrictEqual((yield* store.find({ ...key, principal: "cleo" }))?.rows, copy?.rows)
        yield* store.close(mine, opened.owner, "an end of mine")
        yield* store.remove(mine)
        yield* store.append(theirs, owner, row(3, "theirs"))
      }))

    test("12.2 ids with any characters identify different runs", (store, { tenant }) =>
      Effect.gen(function* () {
        for (const id of ids) {
          for (const key of [
            { tenant, run: id },
            { tenant: `${id.slice(0, 150)}${tenant}`, run: id }
          ]) {
            const { owner, rows } = yield* store.open(key, make)
            assert.deepStrictEqual(rows, [])
            yield* store.append(key, owner, row(1, JSON.stringify(key)))
            yield* store.close(key, owner, undefined)
            assert.deepStrictEqual((yield* store.open(key, resume)).rows, [row(1, JSON.stringify(key))])
          }
        }
        assert.sameDeepMembers(
          [...(yield* store.unfinished(tenant))],
          ids.map((run) => ({ tenant, run }))
        )
      }))

    test("12.1 only one of fifty concurrent attempts to open a run owns it", (store, key) =>
      Effect.gen(function* () {
        const opened = yield* Effect.all(
          Array.from({ length: 50 }, () =>
            Effect.match(store.open(key, make), {
              onSuccess: () => "opened",
              onFailure: (error) => (error._tag === "CheckpointRefused" ? error.reason : error._tag)
            })
          ),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(opened.toSorted(), [...Array.from({ length: 49 }, () => "in_use"), "opened"])
      }))

    test("12.1 a copy of a run has its rows, and does not replace an existing run", (store, key) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(1_000)
        const { owner } = yield* store.open(key, { ...make, format: 3 })
        yield* TestClock.setTime(2_000)
        for (const one of [row(1), row(2)]) yield* store.append(key, owner, one)
        const found = yield* store.find(key)
        assert.deepStrictEqual(found, {
          ...key,
          format: 3,
          rows: [row(1), row(2)],
          written: 2,
          lastSum: row(2).sum,
          end: undefined,
          createdAt: 1_000,
          updatedAt: 2_000
        })
        if (found === undefined) return
        assert.strictEqual(yield* reason(store.put(found)), "exists")
        assert.strictEqual((yield* store.find(key))?.written, 2)
        const moved = { ...found, run: "moved" }
        yield* store.put(moved)
        assert.deepStrictEqual(yield* store.find(moved), moved)
        assert.deepStrictEqual((yield* store.open(moved, resume)).rows, found.rows)
        const ended = { ...found, run: "ended", rows: [], written: 0, lastSum: "", end: "an end" }
        yield* store.put(ended)
        assert.deepStrictEqual(yield* store.find(ended), ended)
        assert.isUndefined(yield* store.find({ ...key, run: "unknown" }))
        const mine = (yield* store.list).filter(({ tenant }) => tenant === key.tenant)
        const times = { tenant: key.tenant, format: 3, createdAt: 1_000, updatedAt: 2_000 }
        assert.sameDeepMembers(
          [...mine],
          [
            { ...times, run: "run", written: 2, isCompleted: false, isInUse: true },
            { ...times, run: "moved", written: 2, isCompleted: false, isInUse: true },
            { ...times, run: "ended", written: 0, isCompleted: true, isInUse: false }
          ]
        )
      }))
  })
}
