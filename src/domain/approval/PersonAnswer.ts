/**
 * A person's answer in words, and how the model reads it: always as a quotation of that person [10.3].
 *
 * The words are a JSON string, with hidden characters as escapes, so that they cannot end the quotation early.
 */
import { shownOnOneLine, visibleJson } from "#domain/text/VisibleText"
import * as Schema from "effect/Schema"

/** The words of a person. */
export const PersonAnswer = Schema.Struct({ by: Schema.String, text: Schema.String })
export type PersonAnswer = typeof PersonAnswer.Type

/** The maximum length of an answer, in UTF-16 units. A longer answer is cut. */
export const longestAnswer = 2_000

/** The maximum length of a person's name, in UTF-16 units. */
const longestName = 100

/** Returns the answer in a value that a client sent; empty if the value is not a string. */
export const answerIn = (value: unknown): string =>
  typeof value === "string" ? value.trim().slice(0, longestAnswer) : ""

const quoted = (text: string): string => visibleJson(JSON.stringify(text.trim().slice(0, longestAnswer)))

const nameOf = (by: string): string => shownOnOneLine(by.slice(0, longestName)).replaceAll('"', "'")

/** Returns the detail of a call that was answered instead of made. */
export const detailOf = ({ by, text }: PersonAnswer): string =>
  `${nameOf(by)} did not approve this call, and answered: ${quoted(text)}`

/** Returns the message that gives the answer to the model of a stopped run. */
export const messageOf = ({ by, text }: PersonAnswer): string =>
  `A person (${nameOf(by)}) was asked whether this run may continue. It may, and the person answered: ${quoted(text)}`
