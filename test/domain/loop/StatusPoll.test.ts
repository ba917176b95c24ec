import { assert, describe, it } from "@effect/vitest"
import * as PendingResult from "#domain/loop/PendingResult"
import * as StatusPoll from "#domain/loop/StatusPoll"

describe("StatusPoll", () => {
  const first = StatusPoll.read(undefined, 100, 100, false)

  it("7.2 states a wait of a second after the first reading, then twice as long, up to 30 seconds", () => {
    const waits: Array<number> = []
    let poll = first
    for (let n = 0; n < 7; n++) {
      waits.push(poll.toldMillis)
      poll = StatusPoll.read(poll, poll.endedAt, poll.endedAt, false)
    }
    assert.deepStrictEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  })

  it("7.2 states the same wait after a reading that failed", () => {
    assert.strictEqual(StatusPoll.read(first, 200, 200, true).toldMillis, 1_000)
    const failed = StatusPoll.read(undefined, 200, 200, true)
    assert.strictEqual(failed.toldMillis, 0)
    assert.strictEqual(StatusPoll.read(failed, 300, 300, false).toldMillis, 1_000)
  })

  it("7.2 is due when the wait has passed since the reading ended", () => {
    const poll = StatusPoll.read(undefined, 100, 400, false)
    assert.deepStrictEqual(poll, { toldMillis: 1_000, endedAt: 400, askedAt: 400 })
    assert.deepStrictEqual(
      [1_399, 1_400, 1_401].map((at) => StatusPoll.isDue(poll, at)),
      [false, true, true]
    )
    assert.strictEqual(StatusPoll.read(undefined, 400, 100, false).endedAt, 400, "a call does not end before it starts")
  })

  it("7.2 the guard waits for the rest of the wait, at most ten seconds", () => {
    assert.deepStrictEqual(StatusPoll.waiting(first, 500), { waitMillis: 600, at: 1_100 })
    assert.deepStrictEqual(StatusPoll.waiting(first, 1_100), { waitMillis: 0, at: 1_100 })
    assert.deepStrictEqual(StatusPoll.waiting(first, 9_000), { waitMillis: 0, at: 9_000 })
    const long = { toldMillis: 30_000, endedAt: 0, askedAt: 0 }
    assert.deepStrictEqual(StatusPoll.waiting(long, 1), { waitMillis: 10_000, at: 10_001 })
  })

  it("7.2 the guard's earlier waits count even if the clock of recorded calls does not advance", () => {
    const asked = StatusPoll.asked({ toldMillis: 30_000, endedAt: 0, askedAt: 0 }, 10_000)
    assert.deepStrictEqual(asked, { toldMillis: 30_000, endedAt: 0, askedAt: 10_000 })
    assert.deepStrictEqual(StatusPoll.waiting(asked, 0), { waitMillis: 10_000, at: 20_000 })
    assert.strictEqual(StatusPoll.asked(asked, 5_000).askedAt, 10_000)
    assert.deepStrictEqual(StatusPoll.waiting({ toldMillis: 1_000, endedAt: 700, askedAt: 0 }, 0), {
      waitMillis: 1_000,
      at: 1_700
    })
  })
})

describe("PendingResult", () => {
  const pending = PendingResult.after(undefined, { at: 100, endedAt: 200, isPending: true }, false)

  it("7.2 a pending result may be read again a second after its call ended", () => {
    assert.deepStrictEqual(pending, { dueAt: 1_200, isTold: false })
    assert.deepStrictEqual(
      [200, 1_199, 1_200, 1_201].map((now) => PendingResult.earlyMillis(pending!, now)),
      [1_000, 1, 0, 0]
    )
    assert.deepStrictEqual(PendingResult.after(undefined, { isPending: true }, false)?.dueAt, 1_000)
  })

  it("7.2 a call that came too soon is remembered, and a result that is not pending ends the wait", () => {
    assert.deepStrictEqual(PendingResult.after(pending, { at: 300 }, true), { dueAt: 1_200, isTold: true })
    assert.strictEqual(PendingResult.after(pending, {}, true), pending)
    assert.isUndefined(PendingResult.after(undefined, { at: 300, isPending: true }, true))
    assert.isUndefined(PendingResult.after(pending, { at: 300, endedAt: 300 }, false))
    assert.isUndefined(PendingResult.after(pending, { at: 300, isPending: false }, false))
  })
})
