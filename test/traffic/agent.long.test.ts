/**
 * Recorded conversations of real models through the agent loop, with tools that answer from the log.
 *
 * All of them are played with a person who lets everything go on, so that each is heard to its end; those in which that
 * person was asked are played again where nobody can be reached.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { recordedData } from "../support/data.ts"
import { needs } from "../support/prerequisites.ts"
import { root } from "../support/sources.ts"
import { type Conversation, read, type Recorded, sources } from "./conversations.ts"
import { type Answered, play, type Played, secret } from "./play.ts"

/** Most characters of an error that a model reads, `next` and `approval_url` left out (SPEC 5.5). */
const longestError = 600

const resultsOf = (prompt: Prompt.Prompt) =>
  prompt.content.flatMap((message) =>
    message.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : []
  )

/** One envelope for each call that the log holds, in its order; as many as were made before the end. */
const isComplete = ({ id, results }: Conversation, { ends }: Played, isWhole: boolean): void => {
  const last = ends.at(-1)
  assert.isDefined(last, id)
  if (last === undefined) return
  const made = [...results.keys()]
  const answered = resultsOf(last.transcript)
  assert.deepStrictEqual(Transcript.validate(last.transcript), [], id)
  assert.deepStrictEqual(
    answered.map((result) => result.id),
    isWhole ? made : made.slice(0, answered.length),
    id
  )
  for (const { result } of answered) {
    const { error, status } = JSON.parse(String(result))
    assert.include(["success", "partial", "error"], status)
    if (error === undefined) continue
    const { approval_url: _url, next: _next, ...text } = error
    assert.isAtMost(JSON.stringify(text).length, longestError, id)
    for (const hidden of [secret, root, "play.ts", "node:internal", "node_modules"]) {
      assert.notInclude(String(result), hidden, id)
    }
  }
}

/** A success envelope around a failure, as the recorded marketplace sends it. */
const isFailure = ({ isError, text }: Recorded): boolean => isError || /^\{"error": ?"[^"]/.test(text)

/** Calls that were not made, though the log has a new and good answer for them (SPEC 13.1: suspects). */
const suspects = (answered: ReadonlyArray<Answered>): ReadonlyArray<string> => {
  const given = new Map<string, string>()
  return answered.flatMap(({ answer, key, recorded }) => {
    const isKnown = given.get(key) === recorded.text
    given.set(key, recorded.text)
    return answer.attempts > 0 || isKnown || isFailure(recorded) ? [] : [`${answer.text.slice(0, 200)} for ${key}`]
  })
}

/** Of the calls that ended runs: those that brought something new. */
const wronglyEnded = ({ answered, ends }: Played): boolean => {
  const last = answered.at(-1)
  if (ends.at(-1)?._tag !== "LoopDetected" || last === undefined) return false
  const before = answered.slice(0, -1).findLast(({ key }) => key === last.key)
  return before?.recorded.text !== last.recorded.text && !isFailure(last.recorded)
}

describe("recorded conversations", needs(recordedData), () => {
  /** Source: conversations, calls, and those of them that are not made, at least. */
  const bounds: Record<(typeof sources)[number], readonly [conversations: number, calls: number, saved: number]> = {
    coding: [8, 454, 0],
    livemcpbench: [60, 591, 0],
    openhands: [3, 105, 0],
    "recorded-tests": [171, 249, 0],
    "tau-bench-airline": [85, 621, 1],
    "tau2-airline": [89, 837, 180],
    "tau2-telecom": [179, 2168, 370],
    toolbench: [15, 328, 65]
  }
  for (const source of sources) {
    it.live(`7.0 ${source}: every call is answered once, in order, and none withheld whose answer was new`, () =>
      Effect.gen(function* () {
        const conversations = read(source)
        let calls = 0
        let saved = 0
        for (const [index, conversation] of conversations.entries()) {
          const streaming = index % 2 === 1
          const played = yield* play(conversation, true, streaming)
          isComplete(conversation, played, true)
          assert.deepStrictEqual(
            played.ends.map(({ _tag }) => _tag),
            conversation.turns.map(() => "Answered"),
            conversation.id
          )
          assert.deepStrictEqual(suspects(played.answered), [], conversation.id)
          calls += played.answered.length
          saved += played.answered.filter(({ answer }) => answer.attempts === 0).length
          if (played.asked === 0) continue
          const alone = yield* play(conversation, false, streaming)
          isComplete(conversation, alone, false)
          assert.include(["Answered", "LoopDetected"], alone.ends.at(-1)?._tag, conversation.id)
          assert.deepStrictEqual(suspects(alone.answered), [], conversation.id)
          assert.isFalse(wronglyEnded(alone), conversation.id)
        }
        const [expected, made, leastSaved] = bounds[source]
        assert.deepStrictEqual([conversations.length, calls], [expected, made])
        assert.isAtLeast(saved, leastSaved)
      })
    )
  }
})
