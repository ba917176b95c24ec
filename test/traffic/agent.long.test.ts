/**
 * Plays recorded conversations of real models through the agent loop, with tools that answer from the log.
 *
 * Each conversation is first played to its end with a person who approves everything. If the person was asked, the
 * conversation is played again without a person.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Prompt } from "effect/ai"
import * as Transcript from "#domain/transcript/Transcript"
import { recordedData } from "../support/data.ts"
import { needs } from "../support/prerequisites.ts"
import { root } from "../support/sources.ts"
import { type Conversation, read, type RecordedResult, sources } from "./conversations.ts"
import { type AnsweredCall, play, type Playback, secret } from "./play.ts"

/** The maximum number of characters of an error that a model reads, without `next` and `approval_url` [5.5]. */
const maxErrorLength = 600

const resultsOf = (prompt: Prompt.Prompt) =>
  prompt.content.flatMap((message) =>
    message.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : []
  )

/** Asserts one envelope for each call of the log, in order. Without `isComplete`, the last calls may be missing. */
const assertAnswered = ({ id, results }: Conversation, { ends }: Playback, isComplete: boolean): void => {
  const last = ends.at(-1)
  assert.isDefined(last, id)
  if (last === undefined) return
  const made = [...results.keys()]
  const answered = resultsOf(last.transcript)
  assert.deepStrictEqual(Transcript.validate(last.transcript), [], id)
  assert.deepStrictEqual(
    answered.map((result) => result.id),
    isComplete ? made : made.slice(0, answered.length),
    id
  )
  for (const { result } of answered) {
    const { error, status } = JSON.parse(String(result))
    assert.include(["success", "partial", "error"], status)
    if (error === undefined) continue
    const { approval_url: _url, next: _next, ...text } = error
    assert.isAtMost(JSON.stringify(text).length, maxErrorLength, id)
    for (const hidden of [secret, root, "play.ts", "node:internal", "node_modules"]) {
      assert.notInclude(String(result), hidden, id)
    }
  }
}

/** True if a recorded answer is a failure. One of the recorded services reports failures as `{"error": "…"}`. */
const isFailure = ({ isError, text }: RecordedResult): boolean => isError || /^\{"error": ?"[^"]/.test(text)

/** Returns the suspects [13.1]: calls without an attempt although the log has a new, successful answer for them. */
const suspects = (answered: ReadonlyArray<AnsweredCall>): ReadonlyArray<string> => {
  const previous = new Map<string, string>()
  return answered.flatMap(({ answer, key, recorded }) => {
    const isKnown = previous.get(key) === recorded.text
    previous.set(key, recorded.text)
    return answer.attempts > 0 || isKnown || isFailure(recorded) ? [] : [`${answer.text.slice(0, 200)} for ${key}`]
  })
}

/** True if the loop detector ended a run at a call whose recorded answer was new. */
const wronglyEnded = ({ answered, ends }: Playback): boolean => {
  const last = answered.at(-1)
  if (ends.at(-1)?._tag !== "LoopDetected" || last === undefined) return false
  const before = answered.slice(0, -1).findLast(({ key }) => key === last.key)
  return before?.recorded.text !== last.recorded.text && !isFailure(last.recorded)
}

describe("recorded conversations", needs(recordedData), () => {
  /** For each source: the conversations, the calls, and the minimum number of calls without an attempt. */
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
    it.live(`7.0 ${source}: answers every call once and in order, and blocks no call with a new answer`, () =>
      Effect.gen(function* () {
        const conversations = read(source)
        let calls = 0
        let saved = 0
        for (const [index, conversation] of conversations.entries()) {
          const streaming = index % 2 === 1
          const approved = yield* play(conversation, true, streaming)
          assertAnswered(conversation, approved, true)
          assert.deepStrictEqual(
            approved.ends.map(({ _tag }) => _tag),
            conversation.turns.map(() => "Answered"),
            conversation.id
          )
          assert.deepStrictEqual(suspects(approved.answered), [], conversation.id)
          calls += approved.answered.length
          saved += approved.answered.filter(({ answer }) => answer.attempts === 0).length
          if (approved.asked === 0) continue
          const unattended = yield* play(conversation, false, streaming)
          assertAnswered(conversation, unattended, false)
          assert.include(["Answered", "LoopDetected"], unattended.ends.at(-1)?._tag, conversation.id)
          assert.deepStrictEqual(suspects(unattended.answered), [], conversation.id)
          assert.isFalse(wronglyEnded(unattended), conversation.id)
        }
        const [expected, made, leastSaved] = bounds[source]
        assert.deepStrictEqual([conversations.length, calls], [expected, made])
        assert.isAtLeast(saved, leastSaved)
      })
    )
  }
})
