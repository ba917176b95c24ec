/**
 * Stores facts about a response that are not in the decoded body, for the checks of the same attempt. The key is the
 * arguments object of the call, which handler and checks share.
 */
import type { JsonObject } from "#domain/json/JsonObject"

export interface ResponseNotes {
  /** The URL of the next page. */
  readonly link: WeakMap<object, string>
  /** The error of a partial result from a guarded server. */
  readonly more: WeakMap<object, JsonObject>
}

/** Creates empty notes. */
export const make = (): ResponseNotes => ({ link: new WeakMap(), more: new WeakMap() })
