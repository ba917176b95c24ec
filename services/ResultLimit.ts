/**
 * How large a result may be to be given whole where a model would read it: past it there is a preview, and a link.
 *
 * A reference with a default, so that it never shows in requirements.
 */
import * as Context from "effect/Context"

/** Most UTF-8 bytes of a result as JSON. Default 10,240. */
export const ResultLimit = Context.Reference<number>("effect-toolguard/ResultLimit", { defaultValue: () => 10_240 })
