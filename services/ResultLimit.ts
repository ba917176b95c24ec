/**
 * The size up to which a model reads a complete result. For a larger result, it reads a preview and a link.
 *
 * A reference with a default, so that it never appears in requirements.
 */
import * as Context from "effect/Context"

/** The largest size of a result as JSON, in UTF-8 bytes. Default 10,240. */
export const ResultLimit = Context.Reference<number>("effect-toolguard/ResultLimit", { defaultValue: () => 10_240 })
