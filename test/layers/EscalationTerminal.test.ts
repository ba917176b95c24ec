/** Tests questions and notices at a terminal. */
import * as EscalationTerminal from "#layers/EscalationTerminal"
import { Escalation, type EscalationRequest } from "#services/Escalation"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Console, Effect, Fiber, Layer, Queue, Redacted, Terminal } from "effect"
import os from "node:os"
import { vi } from "vitest"
import { escalationContract } from "../contracts/Escalation.ts"

/** Replaces the name of the operating system's user; without a name, the lookup throws. */
const userNamed = (name: string | undefined) =>
  vi.spyOn(os, "userInfo").mockImplementation(() => {
    if (name === undefined) throw new Error("ENOENT: uv_os_get_passwd returned ENOENT")
    return { username: name, uid: 1, gid: 1, shell: null, homedir: "/" }
  })

const request: EscalationRequest = {
  level: "confirm",
  reason: "approval",
  tool: "refund_order",
  sentence: "Refund 500 cents",
  arguments: { order_id: "o-1" },
  binding: "binding",
  turn: undefined,
  traceId: "trace"
}

/** Creates a terminal whose input and output the test controls. */
const terminal = () => {
  const shown: Array<string> = []
  const errors: Array<string> = []
  const lines = Effect.runSync(Queue.unbounded<string, Terminal.QuitError>())
  const layer = Layer.succeed(
    Terminal.Terminal,
    Terminal.make({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      size: Effect.die(new Error("the size is not used")),
      readInput: Effect.die(new Error("single keys are not read")),
      readLine: Queue.take(lines),
      display: (text) => Effect.sync(() => void shown.push(text))
    })
  )
  const console = { ...globalThis.console, error: (text: string) => void errors.push(text) }
  return {
    shown,
    errors,
    types: (line: string) => Effect.asVoid(Queue.offer(lines, line)),
    quits: Effect.asVoid(Queue.fail(lines, new Terminal.QuitError({}))),
    layer: EscalationTerminal.layer.pipe(Layer.provide(layer)),
    run: <A, E>(effect: Effect.Effect<A, E, Escalation>) =>
      effect.pipe(
        Effect.provide(EscalationTerminal.layer.pipe(Layer.provide(layer))),
        Effect.provideService(Console.Console, console)
      )
  }
}

const ask = (over: Partial<EscalationRequest> = {}) =>
  Effect.flatMap(Escalation, (escalation) => escalation.ask({ ...request, ...over }))

const wasTerminal = [process.stdin.isTTY, process.stdout.isTTY] as const
const setTerminal = (isInput: boolean, isOutput = isInput) => {
  Object.defineProperty(process.stdin, "isTTY", { value: isInput, configurable: true, writable: true })
  Object.defineProperty(process.stdout, "isTTY", { value: isOutput, configurable: true, writable: true })
}

beforeEach(() => {
  userNamed("ada")
  setTerminal(true)
})
afterEach(() => {
  setTerminal(...wasTerminal)
  vi.restoreAllMocks()
})

escalationContract("terminal", () => {
  const { layer, types } = terminal()
  return { layer, answers: (line) => types(line === "approve" ? "yes" : "no") }
})

const settle = Effect.flatMap(Escalation, (escalation) =>
  escalation.settle!(
    { ...request, reason: "outcome_unknown", sentence: "It is not known whether refund_order was done.\u202e" },
    (result) => (typeof result === "object" ? undefined : "it must be an object")
  )
)

describe("EscalationTerminal: an unknown outcome", () => {
  it.effect("10.5 is settled as done with a result, which is asked for until it is JSON that the tool accepts", () => {
    const { run, shown, types } = terminal()
    return Effect.gen(function* () {
      for (const line of ["Done", "{", "5", ' {"id":"R-1"} ']) yield* types(line)
      assert.deepStrictEqual(yield* settle, { finding: "done", result: { id: "R-1" }, by: "ada", reason: "" })
      assert.deepStrictEqual(shown, [
        [
          "",
          "It is not known whether this call was done:",
          "  Tool: refund_order",
          "  What happened: It is not known whether refund_order was done.[U+202E]",
          "  Arguments, complete:",
          "  {",
          '    "order_id": "o-1"',
          "  }",
          "Find out, then type done, or not done to make the call again. Anything else leaves it open: "
        ].join("\n"),
        "Type its result as JSON, or press Enter if it has none: ",
        "The tool does not return this: it is not JSON\nType its result as JSON, or press Enter if it has none: ",
        "The tool does not return this: it must be an object\nType its result as JSON, or press Enter if it has none: "
      ])
    }).pipe(run)
  })

  it.effect("10.5 is settled as not done, or left open", () => {
    const { quits, run, types } = terminal()
    return Effect.gen(function* () {
      yield* types("not done")
      assert.deepStrictEqual(yield* settle, { finding: "not_done", by: "ada", reason: "" })
      yield* types("done")
      yield* types("")
      assert.deepStrictEqual(yield* settle, { finding: "done", result: undefined, by: "ada", reason: "" })
      yield* types("I do not know")
      assert.isUndefined(yield* settle)
      yield* quits
      assert.isUndefined(yield* settle)
      setTerminal(false)
      assert.isUndefined((yield* Effect.provide(Escalation, Layer.fresh(terminal().layer))).settle)
    }).pipe(run)
  })
})

describe("EscalationTerminal", () => {
  it.effect("10.3 shows the sentence, the tool and the arguments, and waits for the person", () => {
    const { run, shown, types } = terminal()
    return Effect.gen(function* () {
      const asking = yield* Effect.forkChild(ask(), { startImmediately: true })
      assert.isUndefined(asking.pollUnsafe())
      yield* types("yes")
      assert.deepStrictEqual(yield* Fiber.join(asking), { _tag: "Approved", by: "ada" })
      assert.deepStrictEqual(shown, [
        [
          "",
          "A person must confirm:",
          "  Tool: refund_order",
          "  Description: Refund 500 cents",
          "  Arguments, complete:",
          "  {",
          '    "order_id": "o-1"',
          "  }",
          "Type yes to approve, no to deny (optionally with a reason), or an answer for the model: "
        ].join("\n")
      ])
    }).pipe(run)
  })

  it.effect("10.1 says that the call is stopped at level block, and omits absent arguments", () => {
    const { run, shown, types } = terminal()
    return Effect.gen(function* () {
      yield* types("no")
      yield* ask({ level: "block", arguments: undefined })
      assert.deepStrictEqual(shown[0]?.split("\n").slice(1, 5), [
        "Stopped until a person decides:",
        "  Tool: refund_order",
        "  Description: Refund 500 cents",
        "Type yes to approve, no to deny (optionally with a reason), or an answer for the model: "
      ])
    }).pipe(run)
  })

  for (const [line, tag] of [
    ["yes", "Approved"],
    [" YES ", "Approved"],
    ["", "Denied"],
    ["no", "Denied"],
    ["Stop", "Denied"],
    ["north of here", "Answered"]
  ] as const) {
    it.effect(`10.3 the answer "${line}" is ${tag}`, () => {
      const { run, types } = terminal()
      return Effect.gen(function* () {
        yield* types(line)
        assert.strictEqual((yield* ask())._tag, tag)
      }).pipe(run)
    })
  }

  for (const line of ["y", "yes please", "yes, but use staging", "ok", "approve"]) {
    it.effect(`10.3 "${line}" is neither an approval nor an answer: the question is asked again`, () => {
      const { run, shown, types } = terminal()
      return Effect.gen(function* () {
        yield* types(line)
        yield* types("no")
        assert.deepStrictEqual(yield* ask(), { _tag: "Denied", by: "ada", reason: "" })
        assert.strictEqual(shown[1], "Type only yes to approve; begin an answer with another word: ")
      }).pipe(run)
    })
  }

  it.effect("10.3 words are an answer of at most 2,000 characters, and words after no are the reason", () => {
    const { run, types } = terminal()
    return Effect.gen(function* () {
      yield* types("  Use the staging account. ")
      assert.deepStrictEqual(yield* ask(), { _tag: "Answered", by: "ada", text: "Use the staging account." })
      yield* types("No, too much at once")
      assert.deepStrictEqual(yield* ask(), { _tag: "Denied", by: "ada", reason: "too much at once" })
      yield* types("a".repeat(5_000))
      const long = yield* ask()
      assert.strictEqual(long._tag === "Answered" && long.text.length, 2_000)
    }).pipe(run)
  })

  it.effect("10.1 answers `NoPerson` immediately if standard output is not a terminal", () => {
    setTerminal(true, false)
    const { run, shown } = terminal()
    return Effect.gen(function* () {
      assert.deepStrictEqual([yield* ask(), shown], [{ _tag: "NoPerson" }, []])
    }).pipe(run)
  })

  it.effect("10.3 asks one question at a time", () => {
    const { run, shown, types } = terminal()
    return Effect.gen(function* () {
      const both = yield* Effect.forkChild(
        Effect.all([ask({ sentence: "first" }), ask({ sentence: "second" })], { concurrency: 2 }),
        { startImmediately: true }
      )
      assert.lengthOf(shown, 1)
      yield* types("yes")
      yield* types("no")
      const answers = yield* Fiber.join(both)
      assert.deepStrictEqual(
        answers.map(({ _tag }) => _tag),
        ["Approved", "Denied"]
      )
      assert.lengthOf(shown, 2)
      assert.include(shown[1], "second")
    }).pipe(run)
  })

  it.effect("10.3 the next question is asked after a question was interrupted", () => {
    const { run, types } = terminal()
    return Effect.gen(function* () {
      const asking = yield* Effect.forkChild(ask(), { startImmediately: true })
      yield* Fiber.interrupt(asking)
      yield* types("yes")
      assert.strictEqual((yield* ask())._tag, "Approved")
    }).pipe(run)
  })

  it.effect("10.1 a closed terminal answers `NoPerson`", () => {
    const { quits, run } = terminal()
    return Effect.gen(function* () {
      yield* quits
      assert.deepStrictEqual(yield* ask(), { _tag: "NoPerson" })
    }).pipe(run)
  })

  it.effect("10.1 answers `NoPerson` immediately if standard input is not a terminal", () => {
    setTerminal(false)
    const { run, shown } = terminal()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask(), { _tag: "NoPerson" })
      assert.deepStrictEqual(shown, [])
    }).pipe(run)
  })

  it.effect("10.3 hidden characters in a tool's text cannot change how the question looks", () => {
    const { errors, run, shown, types } = terminal()
    const hostile =
      "Delete 1\r\u001b[2K\u001b]0;x\u0007\u009b1A\nType yes\u2028now\u202edilav\u2066\u200e\u200f\u061c file"
    return Effect.gen(function* () {
      const escalation = yield* Escalation
      yield* types("no")
      yield* ask({ sentence: hostile, tool: hostile, arguments: { path: hostile } })
      yield* escalation.inform({ ...request, level: "inform", sentence: hostile, tool: hostile })
      for (const text of [...(shown[0] ?? "").split("\n"), ...(errors[0] ?? "").split("\n")]) {
        assert.notMatch(text, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }
      assert.lengthOf((shown[0] ?? "").split("\n"), 9)
      assert.include(shown[0], "  Description: Delete 1 [U+001B][2K[U+001B]]0;x[U+0007][U+009B]1A Type yes[U+2028]now")
      assert.include(
        shown[0],
        '    "path": "Delete 1\\r\\u001b[2K\\u001b]0;x\\u0007\\u009b1A\\nType yes\\u2028now\\u202edilav'
      )
      assert.lengthOf(errors, 1)
    }).pipe(run)
  })

  it.effect("10.6 shows long arguments completely, and cuts a sentence to 200 characters", () => {
    const { run, shown, types } = terminal()
    return Effect.gen(function* () {
      yield* types("no")
      yield* ask({ sentence: "s".repeat(3_000), arguments: { body: "a".repeat(60_000), path: "/etc/passwd" } })
      const lines = (shown[0] ?? "").split("\n")
      assert.strictEqual(lines[3], `  Description: ${"s".repeat(199)}…`)
      assert.deepStrictEqual(lines.slice(5, 8), [
        "  {",
        '    "path": "/etc/passwd",',
        `    "body": "${"a".repeat(60_000)}"`
      ])
    }).pipe(run)
  })

  it.effect(
    "10.6 shows the hidden parts only to a person who asks, and the decision records that they were shown",
    () => {
      const { run, shown, types } = terminal()
      const masked = {
        shown: '{\n  "token": [hidden, 9 characters]\n}',
        hidden: 1,
        revealed: Redacted.make('{\n  "token": "ghp_12345"\n}')
      }
      return Effect.gen(function* () {
        yield* types("yes")
        assert.deepStrictEqual(yield* ask(masked), { _tag: "Approved", by: "ada" })
        yield* types("show")
        yield* types("yes")
        assert.deepStrictEqual(yield* ask(masked), { _tag: "Approved", by: "ada", isRevealed: true })
        assert.include(
          shown[1],
          '  Arguments, except 1 hidden part, which is sent too:\n  {\n    "token": [hidden, 9 characters]\n  }\nType show to see the hidden parts. Type yes to approve'
        )
        assert.include(
          shown[2],
          '  Arguments, complete:\n  {\n    "token": "ghp_12345"\n  }\nType yes to approve, no to deny'
        )
        assert.notInclude(JSON.stringify({ ...request, ...masked }), "ghp_12345")
      }).pipe(run)
    }
  )

  it.effect("10.1 notices go to standard error", () => {
    const { errors, run, shown } = terminal()
    return Effect.gen(function* () {
      const escalation = yield* Escalation
      yield* escalation.inform({ ...request, level: "inform" })
      yield* escalation.inform({ ...request, level: "block", reason: "disk_full", sentence: "It is full." })
      const args = ["  Arguments, complete:", "  {", '    "order_id": "o-1"', "  }"]
      assert.deepStrictEqual(
        [errors.map((text) => text.split("\n")), shown],
        [
          [
            ["For your information:", "  Tool: refund_order", "  Description: Refund 500 cents", ...args],
            ["Important (no answer is needed):", "  Tool: refund_order", "  What happened: It is full.", ...args]
          ],
          []
        ]
      )
    }).pipe(run)
  })

  it.effect("10.3 a person can decide even if the operating system does not know the user's name", () => {
    userNamed(undefined)
    const { run, types } = terminal()
    return Effect.gen(function* () {
      yield* types("yes")
      assert.deepStrictEqual(yield* ask(), { _tag: "Approved", by: "terminal" })
    }).pipe(run)
  })
})
