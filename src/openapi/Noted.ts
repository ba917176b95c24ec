/**
 * What a response said beside its body, until the checks of the same attempt have read it. By the arguments of the call, which
 * are one object from the handler to the checks.
 */
import type { JsonObject } from "#domain/json/JsonObject"

export interface Noted {
  /** The address of the next page. */
  readonly link: WeakMap<object, string>
  /** Of a partial result of ours: its error. */
  readonly more: WeakMap<object, JsonObject>
}

export const make = (): Noted => ({ link: new WeakMap(), more: new WeakMap() })
