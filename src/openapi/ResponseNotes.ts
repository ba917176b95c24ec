/**
 * Facts of a response beyond its body, stored for the checks of the same attempt under the call's arguments object, which
 * handler and checks share.
 */
import type { JsonObject } from "#domain/json/JsonObject"

export interface Noted {
  /** The address of the next page. */
  readonly link: WeakMap<object, string>
  /** The error of a partial result from a guarded server. */
  readonly more: WeakMap<object, JsonObject>
}

export const make = (): Noted => ({ link: new WeakMap(), more: new WeakMap() })
