/**
 * Tests that an answer of an MCP tool ends a call in a replay as it ends the live call, with and without a contract of
 * the results. The answers are the vectors, and messages of errors.
 */
import * as Guard from "#src/guard/Guard"
import * as RemoteTool from "#src/mcp/remote/RemoteTool"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as Replay from "#kit/replay/Replay"
import { needsParsing } from "#kit/replay/Prefilter"
import { unflaggedFailureIn } from "#domain/answers/texts/SoleFailure"
import { answersIn } from "#domain/answers/WrappedAnswers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, References, type Scope } from "effect"
import { read } from "../../support/sources.ts"
import { conversation, user } from "./logs.ts"

const vectors = (name: string): ReadonlyArray<Record<string, any>> =>
  read(`test/vectors/${name}.jsonl`)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

const textOf = (answer: unknown): string => (typeof answer === "string" ? answer : JSON.stringify(answer))

const unflagged = vectors("unflagged").map(({ answer, tool }) => ({ tool: String(tool), text: textOf(answer) }))
const messages = vectors("errors-own").map(({ message }) => String(message))

/** The contracts of results: none, one that every object meets, and one that no answer meets. */
const contracts: ReadonlyArray<JsonObject | undefined> = [
  undefined,
  { type: "object" },
  { type: "object", properties: { zzz: { type: "string" } }, required: ["zzz"] }
]

const isObject = (text: string): boolean => {
  try {
    return isJsonObject(JSON.parse(text))
  } catch {
    return false
  }
}

const ended = (of: { readonly _tag: string; readonly failure?: { readonly _tag: string; readonly code: string } }) =>
  of.failure === undefined ? of._tag : `${of.failure._tag} ${of.failure.code}`

type Access = "read" | "write"

/** An answer of a tool, and whether it is marked as an error. */
interface Answer {
  readonly tool: string
  readonly text: string
  readonly isError?: boolean
}

/** Creates live calls. A tool is made once for each contract, because it takes milliseconds to compile. */
const liveCalls = (access: Access) => {
  let given: Answer = { tool: "", text: "" }
  const made = new Map<string, ReturnType<typeof RemoteTool.make>>()
  const toolOf = (name: string, output: JsonObject | undefined) => {
    const key = JSON.stringify([name, output])
    const known = made.get(key)
    if (known !== undefined) return known
    const listed = {
      name,
      description: access === "read" ? "Reads." : "Writes.",
      inputSchema: {},
      outputSchema: output,
      annotations: { readOnlyHint: access === "read", destructiveHint: false },
      raw: {}
    }
    const tool = RemoteTool.make(name, listed, { retry: { attempts: 1 }, circuit: false }, () =>
      Effect.succeed({
        content: [{ type: "text", text: given.text }],
        ...(given.isError === true ? { isError: true } : {}),
        ...(output === undefined ? {} : { structuredContent: JSON.parse(given.text) })
      })
    )
    made.set(key, tool)
    return tool
  }
  return (answer: Answer, output?: JsonObject) =>
    Effect.suspend(() => {
      given = answer
      return Effect.match(toolOf(answer.tool, output).call({}), {
        onFailure: (failure) => ended({ _tag: "Failure", failure }),
        onSuccess: () => "Success"
      })
    })
}

const replayed = (replay: Replay.Replay, access: Access, { isError, text, tool }: Answer, output?: JsonObject) => {
  const listed = {
    name: tool,
    parameters: {},
    access,
    ...(output === undefined ? {} : { result: output })
  }
  const { calls } = replay.play(
    conversation(
      [listed],
      [
        user("go"),
        { role: "assistant", text: "", calls: [{ id: "a", name: tool, arguments: "{}" }] },
        { role: "tool", callId: "a", text, ...(isError === true ? { isError } : {}) }
      ]
    )
  )
  return ended(calls[0]!.record.outcome)
}

const withGuard = <A, E>(program: Effect.Effect<A, E, Guard.Guard | Scope.Scope>): Effect.Effect<A, E> =>
  program.pipe(
    Effect.scoped,
    Effect.provide(Guard.Guard.layerMemory),
    Effect.provideService(References.MinimumLogLevel, "None")
  )

describe("an answer", () => {
  for (const access of ["read", "write"] as const) {
    it.effect(`13.1 of a ${access} ends the call in a replay as live, with and without a contract of the results`, () =>
      Effect.gen(function* () {
        const replay = yield* Replay.make()
        const live = liveCalls(access)
        for (const answer of unflagged) {
          for (const output of contracts) {
            if (output !== undefined && !isObject(answer.text)) continue
            const expected = yield* live(answer, output)
            const what = `${answer.tool} ${answer.text} ${JSON.stringify(output)}`
            assert.strictEqual(replayed(replay, access, answer, output), expected, what)
          }
        }
      }).pipe(withGuard)
    )

    it.effect(`13.1 of a ${access} that is marked as an error ends the call in a replay as live`, () =>
      Effect.gen(function* () {
        const replay = yield* Replay.make()
        const live = liveCalls(access)
        for (const text of messages.filter((_, index) => index % 3 === 0)) {
          const answer = { tool: "handle_order", text, isError: true }
          assert.strictEqual(replayed(replay, access, answer), yield* live(answer), text)
        }
      }).pipe(withGuard)
    )
  }

  it("13.1 is parsed if the live guard finds a failure in it, in the forms in which programs print errors", () => {
    const forms: ReadonlyArray<(message: string) => string> = [
      (message) => message,
      (message) => `npm start\n${message}`,
      (message) => `Error: ${message}\n${"Running step 1 of the import\n".repeat(40)}`,
      (message) => `${"Running step 1 of the import\n".repeat(40)}Error: ${message}`,
      (message) => JSON.stringify({ problem: message }),
      (message) => JSON.stringify({ retcode: 12, retmsg: message }),
      (message) => JSON.stringify({ name: [message] }),
      (message) => JSON.stringify([{ error: message, trace: "t".repeat(900) }]),
      (message) => JSON.stringify({ message, documentation_url: "x".repeat(900) }),
      (message) => JSON.stringify({ error: "", response: JSON.stringify({ message }) })
    ]
    const skipped = [
      ...unflagged.map(({ text }) => text),
      ...messages.flatMap((message) => forms.map((form) => form(message)))
    ]
      .filter((text) => !needsParsing(text))
      .filter((text) => unflaggedFailureIn(answersIn(text), "request", "read") !== undefined)
    assert.deepStrictEqual(skipped, [])
  })
})
