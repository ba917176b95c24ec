/**
 * Reads sessions of the Codex CLI (`rollout-*.jsonl`), one event per line. The payload of a `response_item` is an item
 * of OpenAI's Responses API.
 *
 * **Details**
 *
 * - `session_meta` has the id of the session. One with another id starts another conversation, as in joined files.
 * - `turn_context` has the model. Other events repeat what the items say, or contain no messages.
 * - `timestamp` is the time of a result.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatLog from "#kit/traffic/ChatLog"
import type { Place } from "#kit/traffic/Conversation"
import * as Draft from "#kit/traffic/Draft"
import * as OpenConversation from "#kit/traffic/OpenConversation"
import { type Item, nothing, type Reader, skipped } from "#kit/traffic/Reader"
import * as Shape from "#kit/traffic/Shape"
import * as Time from "#kit/traffic/Time"
import * as Window from "#kit/traffic/Window"
import * as OpenAiResponses from "./OpenAiResponses.ts"

const { add } = OpenAiResponses.dialect()

/** The types of items that are messages, calls or results. Snapshots and compactions are none. */
const isOfConversation = (type: unknown): boolean =>
  typeof type === "string" && /^(?:message|reasoning)$|_call$|_call_output$/u.test(type)

/** Reads the events of sessions. */
export const reader = (): Reader => {
  const window = Window.make<OpenConversation.OpenConversation>()
  let id = ""

  const sessionOf = (place: Place): readonly [OpenConversation.OpenConversation, ReadonlyArray<Item>] => {
    const known = window.get(id)
    if (known !== undefined) return [known, nothing]
    const open = OpenConversation.make(id === "" ? place.file : id, place)
    return [open, window.open(id, open) ? [Window.split(open.id, place)] : nothing]
  }

  const readItem = (line: JsonObject, item: JsonObject, place: Place): ReadonlyArray<Item> => {
    const [open, reports] = sessionOf(place)
    const { draft } = open
    const before = draft.messages.length
    draft.skippedCount = 0
    if (!add(draft, item)) Draft.skip(draft, "it has another format")
    Draft.stamp(draft, before, Time.ofMessage(line))
    window.grow(id, Window.sizeOf(item))
    const closed = window.overflow().flatMap(OpenConversation.itemsOf)
    const problem = draft.skippedCount === 0 ? undefined : draft.reason
    return [
      ...closed,
      ...reports,
      ...(problem === undefined ? nothing : [skipped(place, `The item was skipped: ${problem}.`)])
    ]
  }

  return {
    read: (value, place) => {
      const line = Fields.of(value)
      if (!Shape.isCodexEvent(line)) return [ChatLog.otherFormat("codex", value, place)]
      const payload = Fields.of(line["payload"])
      switch (line["type"]) {
        case "session_meta":
          id = Fields.string(payload["id"]) || id
          return nothing
        case "turn_context": {
          const [open, reports] = sessionOf(place)
          if (typeof payload["model"] === "string") open.model ??= payload["model"]
          return reports
        }
        case "response_item":
          return isOfConversation(payload["type"]) ? readItem(line, payload, place) : nothing
        default:
          return nothing
      }
    },
    end: () => window.all().flatMap(OpenConversation.itemsOf)
  }
}
