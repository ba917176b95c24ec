/** Tests which sentences state that the request failed. */
import { assert, describe, it } from "@effect/vitest"
import { isFailure, isRefusal, isSuccess, statesFailure } from "#domain/answers/texts/FailureSentence"

const long = "x".repeat(300)

/** A text, and whether it states a failure, is a failed sentence, reports a success, and is about the request. */
type Row = readonly [text: string, states: boolean, fails: boolean, succeeds: boolean, refuses: boolean]

const rows: ReadonlyArray<Row> = [
  ["The branch is protected and cannot be pushed to.", true, true, false, false],
  ["Das Konto wurde nicht gefunden.", true, true, false, false],
  ["  You do not have access  ", true, true, false, true],
  ["Sorry, you cannot list resources", true, true, false, true],
  ["  Sorry, but we could not reach it", true, true, false, true],
  ["Is it not found?", true, true, false, false],
  ["Why was it not found?", false, false, false, false],
  ["How to fix it when it cannot connect?", false, false, false, false],
  ["Cannot connect. Is it running?", true, true, false, true],
  ["Was it not found? Really.", true, true, false, false],
  ["Order created. It cannot be changed.", false, false, true, false],
  ["If the order was not found, retry.", false, false, false, false],
  ["Order cancelled: it was not paid.", false, false, false, false],
  ["It was saved, but not found", false, false, true, false],
  ["It was not found after it was saved", true, true, false, false],
  ["Tickets cannot be changed. Refunds take a week.", false, true, false, false],
  ["Tickets cannot be changed.", true, true, false, false],
  ["The order was not found. Please check the id.", true, true, false, false],
  ["The order was not found. It rains. Snow falls.", true, true, false, false],
  ["The order was not found. Rain. Snow. Hail. Fog.", false, true, false, false],
  ["The order was not found. Cats sleep. Dogs bark.", false, true, false, false],
  ["The order was not found. Cats sleep.", true, true, false, false],
  ["Access denied. Token expired. Cats sleep. Dogs bark.", true, true, false, true],
  ["Access denied. Token expired. Key invalid. Cats sleep. Dogs bark. Cows eat.", false, true, false, true],
  ["Cats sleep. The order was not found.", true, true, false, false],
  ["Cats sleep. Dogs bark. The order was not found.", false, true, false, false],
  ["Cats sleep. The order was not found. Access denied.", true, true, false, false],
  ["Cats sleep. Dogs bark. Cows eat. Access denied.", false, true, false, false],
  ["Cats sleep. Access denied. Token expired. Key invalid.", false, true, false, false],
  ["Users must be registered before they pay. Cats sleep.", false, true, false, false],
  ["The limit must be at most 5. Please reduce it.", true, true, false, false],
  ["The limit must be at most 5. Cats sleep.", false, true, false, false],
  ["The limit must be at most 5.", true, true, false, false],
  ["He had an error. Cats sleep.", false, false, false, false],
  ["The weather rate did not rise.", false, false, false, false],
  ["No errors found", false, false, false, false],
  ["No results found", false, false, false, false],
  ["'not found' is the title", false, false, false, false],
  [`The phrase "${"x".repeat(20)} not found" is here`, false, false, false, false],
  [`${long} not found`, false, false, false, false],
  [`${"x ".repeat(140)}was not found`, true, true, false, false],
  [`${"The order was not found. Please check. ".repeat(18)}`, false, true, false, false],
  [`The order was not found. ${"Please check it. ".repeat(39)}`, true, true, false, false],
  ["用户不存在。请重试。", true, true, false, false],
  ["abc не найден", true, true, false, false],
  ["le fichier est introuvable", true, true, false, false],
  ["ab non è valido", true, true, false, false],
  ["无效", true, true, false, false],
  ["成功，但不存在", false, false, true, false],
  ["   ", false, false, false, false],
  ["The file has been replaced", false, false, true, false],
  ["  The order was not found", true, true, false, false]
]

describe("a text of sentences", () => {
  for (const [text, states, fails, succeeds, refuses] of rows)
    it(`3.4 "${text.slice(0, 80)}" ${states ? "states a failure" : "states no failure"}`, () =>
      assert.deepStrictEqual(
        [statesFailure(text), isFailure(text), isSuccess(text), isRefusal(text)],
        [states, fails, succeeds, refuses]
      ))
})
