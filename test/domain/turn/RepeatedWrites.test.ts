import { assert, describe, it } from "@effect/vitest"
import type { Success } from "#domain/call/Outcome"
import * as RepeatedWrites from "#domain/turn/RepeatedWrites"
import { heldBytes } from "#domain/turn/Account"

const question = (over: Partial<RepeatedWrites.WriteQuestion> = {}): RepeatedWrites.WriteQuestion => ({
  call: "add {}",
  repeats: "once",
  maxRepeats: 10,
  isKeyed: false,
  modelKey: "",
  isContinued: false,
  resumedId: undefined,
  ...over
})
const result = (value: unknown, json = "1"): Success => ({ _tag: "Success", value, json, digest: "d", unchanged: true })

/** Makes a write. Returns the decision, and the writes after its success. */
const made = (
  self: RepeatedWrites.RepeatedWrites,
  over: Partial<RepeatedWrites.WriteQuestion> = {},
  value: Success = result(1),
  id = { key: "", callId: "c" }
): readonly [RepeatedWrites.WriteDecision, RepeatedWrites.RepeatedWrites] => {
  const asked = question(over)
  const [decision, running] = RepeatedWrites.begin(self, asked)
  if (decision._tag !== "Made") return [decision, running]
  return [decision, RepeatedWrites.succeeded(RepeatedWrites.end(running, asked.call), asked.call, value, id)]
}

/** Returns the tags of the decisions on calls, in order. */
const decisions = (calls: ReadonlyArray<Partial<RepeatedWrites.WriteQuestion>>): ReadonlyArray<string> => {
  let self = RepeatedWrites.empty
  return calls.map((over) => {
    const [decision, after] = made(self, over)
    self = after
    return decision._tag
  })
}

describe("RepeatedWrites", () => {
  it("4.6 a write that succeeded is not made again, and its first result is returned without notes", () => {
    const [, once] = made(RepeatedWrites.empty, {}, result("first"))
    const [again, same] = made(once, {}, result("second"))
    assert.deepStrictEqual(again, {
      _tag: "Repeated",
      times: 1,
      first: { _tag: "Success", value: "first", json: "1", digest: "d" },
      isProven: true
    })
    assert.strictEqual(same, once)
  })

  for (const [what, by, isProven, times, sentence] of [
    ["once", undefined, true, 1, "add was done before with these arguments in this turn. It was not done again"],
    [
      "without a proof",
      undefined,
      false,
      1,
      "add was called before with these arguments in this turn. It was not called again"
    ],
    [
      "ten times",
      undefined,
      true,
      10,
      "add was done 10 times with these arguments in this turn. It was not done again"
    ],
    ["by a fallback", "put", true, 1, "put was done before, in place of add with these arguments, in this turn."],
    [
      "by a fallback at first",
      "put",
      true,
      2,
      "add was done 2 times with these arguments in this turn, the first time by put."
    ]
  ] as const) {
    it(`4.6, 4.12 the sentence about a write that was done ${what} names the tool that acted`, () => {
      assert.include(RepeatedWrites.notAgain("add", { by, isProven, times }), sentence)
    })
  }

  it("4.6 a write that did not succeed is made again", () => {
    const [, running] = RepeatedWrites.begin(RepeatedWrites.empty, question())
    assert.strictEqual(RepeatedWrites.begin(RepeatedWrites.end(running, "add {}"), question())[0]._tag, "Made")
  })

  it("4.6 a write whose repeats are allowed is made ten times; a person's consent starts counting again", () => {
    const ten = Array.from({ length: 10 }, () => ({ repeats: "allowed" as const }))
    assert.deepStrictEqual(decisions([...ten, ...ten.slice(8)]), [...ten.map(() => "Made"), "Repeated", "Repeated"])
    const consent = { repeats: "allowed", isContinued: true } as const
    assert.deepStrictEqual(decisions([...ten, consent, ...ten]).slice(10), [...ten.map(() => "Made"), "Repeated"])
    assert.deepStrictEqual(decisions([{}, { isContinued: true }]), ["Made", "Repeated"])
  })

  it("4.6 concurrent writes count: at most ten are made, or one if the write must not be repeated", () => {
    const begin = (repeats: "once" | "allowed", isKeyed = false) => {
      let self = RepeatedWrites.empty
      return Array.from({ length: 12 }, () => {
        const [decision, after] = RepeatedWrites.begin(self, question({ repeats, isKeyed }))
        self = after
        return decision._tag
      })
    }
    assert.deepStrictEqual(begin("allowed"), [...Array(10).fill("Made"), "Running", "Running"])
    assert.deepStrictEqual(begin("once"), ["Made", ...Array(11).fill("Running")])
    assert.deepStrictEqual(begin("once", true), Array(12).fill("Made"))
  })

  it("4.6 a call with another key is left to the stage idempotency", () => {
    const key = { key: "0123456789abcdef", callId: "c" }
    const [, once] = made(RepeatedWrites.empty, { modelKey: key.key }, result(1), key)
    const tag = (modelKey: string) => RepeatedWrites.begin(once, question({ modelKey }))[0]._tag
    assert.deepStrictEqual([tag(""), tag(key.key), tag("another key, longer")], ["Repeated", "Repeated", "Made"])
  })

  it("12.2 a call that is resumed is not its own repetition", () => {
    const [, once] = made(RepeatedWrites.empty)
    const tag = (resumedId: string) => RepeatedWrites.begin(once, question({ resumedId }))[0]._tag
    assert.deepStrictEqual([tag("c"), tag("d")], ["Made", "Repeated"])
  })

  it("13.1 a write without a rule is always made", () =>
    assert.deepStrictEqual(
      decisions(Array.from({ length: 12 }, () => ({ repeats: undefined }))),
      Array(12).fill("Made")
    ))

  it("4.6 a write whose result is too large, or older than the latest twenty, is not made again either", () => {
    const [, large] = made(RepeatedWrites.empty, {}, result(1, "x".repeat(heldBytes + 1)))
    assert.deepStrictEqual(made(large)[0], { _tag: "Repeated", times: 1, first: undefined, isProven: true })
    let self = RepeatedWrites.empty
    for (let n = 0; n < 21; n++) [, self] = made(self, { call: `add ${n}` }, result(n))
    const first = (n: number) => {
      const [decision] = RepeatedWrites.begin(self, question({ call: `add ${n}` }))
      return decision._tag === "Repeated" ? decision.first?.value : decision._tag
    }
    assert.deepStrictEqual([first(0), first(1), first(20)], [undefined, 1, 20])
  })

  it("4.6 a write whose first result proves nothing stays unproven, even if the result is not held", () => {
    const large = result(1, "x".repeat(heldBytes + 1))
    for (const first of [
      { ...large, isAccepted: true },
      { ...large, statedFailure: 'The answer says that "ok" is false.' }
    ] satisfies ReadonlyArray<Success>) {
      const [, once] = made(RepeatedWrites.empty, {}, first)
      assert.deepStrictEqual(made(once)[0], { _tag: "Repeated", times: 1, first: undefined, isProven: false })
      const [, later] = made(RepeatedWrites.lapsed(once, "add {}"), {}, large)
      assert.deepInclude(made(later)[0], { first: undefined, isProven: true })
    }
  })

  it("4.6 a held result keeps what the model and the handler need, and loses the notes on its call", () => {
    const parts = [{ type: "text", text: "x" }] as const
    const facts = {
      bytes: 3,
      isAccepted: true,
      isRaw: true,
      parts,
      statedFailure: "It failed.",
      usedFallback: "b"
    } as const
    const [, once] = made(RepeatedWrites.empty, {}, { ...result(1), ...facts, idempotent: true, readAgainMillis: 5 })
    const [again] = made(once)
    assert.deepStrictEqual(again, {
      _tag: "Repeated",
      times: 1,
      first: { _tag: "Success", value: 1, json: "1", digest: "d", ...facts },
      isProven: false
    })
    const [, bare] = made(RepeatedWrites.empty, {}, { _tag: "Success", value: 1 })
    assert.deepStrictEqual(made(bare)[0], {
      _tag: "Repeated",
      times: 1,
      first: { _tag: "Success", value: 1 },
      isProven: true
    })
  })

  it("4.6 a result of 256 KiB with its parts is held, and a larger result is not", () => {
    const isHeld = (over: Partial<Success>) => {
      const [, once] = made(RepeatedWrites.empty, {}, { _tag: "Success", value: 1, ...over })
      const [again] = made(once)
      return again._tag === "Repeated" && again.first !== undefined
    }
    const parts = [{ type: "text", text: "x" }] as const
    const partBytes = JSON.stringify(parts).length
    const json = (length: number) => ({ json: "1".repeat(length) })
    assert.deepStrictEqual(
      [
        isHeld(json(heldBytes)),
        isHeld(json(heldBytes + 1)),
        isHeld({ bytes: heldBytes }),
        isHeld({ bytes: heldBytes + 1 }),
        isHeld({ ...json(heldBytes - partBytes), parts }),
        isHeld({ ...json(heldBytes - partBytes + 1), parts })
      ],
      [true, false, true, false, true, false]
    )
  })

  it("7.1 after a lapse, the next success is held as the first, and as the newest", () => {
    let self = RepeatedWrites.empty
    const add = (n: number) => {
      ;[, self] = made(self, { call: `add ${n}` }, result(n))
    }
    for (let n = 0; n < 20; n++) add(n)
    self = RepeatedWrites.lapsed(self, "add 0")
    assert.strictEqual(RepeatedWrites.lapsed(self, "unknown"), self)
    ;[, self] = made(self, { call: "add 0" }, result("again"))
    add(20)
    const first = (n: number) => {
      const [decision] = RepeatedWrites.begin(self, question({ call: `add ${n}` }))
      return decision._tag === "Repeated" ? decision.first?.value : decision._tag
    }
    assert.deepStrictEqual([first(0), first(1), first(2), first(20)], ["again", undefined, 2, 20])
    add(21)
    assert.deepStrictEqual([first(0), first(2), first(3)], ["again", undefined, 3])
  })

  it("4.6 the sentence on a repetition says how often the write was done, or only called without a proof", () => {
    const sentence = (times: number, isProven: boolean) => RepeatedWrites.notAgain("add", { times, isProven })
    const end = "this is its first result."
    assert.deepStrictEqual(
      [sentence(1, true), sentence(2, true), sentence(2, false)],
      [
        `add was done before with these arguments in this turn. It was not done again; ${end}`,
        `add was done 2 times with these arguments in this turn. It was not done again; ${end}`,
        `add was called 2 times with these arguments in this turn. It was not called again; ${end}`
      ]
    )
  })

  it("4.6 a result that is too large does not replace a held result", () => {
    let self = RepeatedWrites.empty
    for (let n = 0; n < 20; n++) [, self] = made(self, { call: `add ${n}` }, result(n))
    ;[, self] = made(self, { call: "add large" }, result(1, "x".repeat(heldBytes + 1)))
    ;[, self] = made(self, { call: "add 0" })
    const [decision] = RepeatedWrites.begin(self, question({ call: "add 0" }))
    assert.strictEqual(decision._tag === "Repeated" && decision.first?.value, 0)
    ;[, self] = made(self, { call: "add 20" }, result(20))
    const [second] = RepeatedWrites.begin(self, question({ call: "add 1" }))
    assert.strictEqual(second._tag === "Repeated" && second.first?.value, 1)
  })

  it("4.6 if a write ends twice, the count of running writes does not fall below zero", () => {
    const [, running] = RepeatedWrites.begin(RepeatedWrites.empty, question())
    const ended = RepeatedWrites.end(running, "add {}")
    const twice = RepeatedWrites.end(ended, "add {}")
    const [, again] = RepeatedWrites.begin(twice, question())
    assert.deepStrictEqual(RepeatedWrites.begin(again, question())[0], { _tag: "Running" })
  })

  it("12.2 a resumed call whose successes no longer count waits for the identical write that is running", () => {
    const [, once] = made(RepeatedWrites.empty)
    const [, running] = RepeatedWrites.begin(RepeatedWrites.restarted(once, "add {}"), question())
    assert.deepStrictEqual(RepeatedWrites.begin(running, question({ resumedId: "c" }))[0], { _tag: "Running" })
  })
})
