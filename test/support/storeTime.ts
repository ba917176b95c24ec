/** Makes databases use the test clock. */
import { StoreTime } from "#layers/internal/sql/StoreTime"
import { Layer } from "effect"

/** Makes the stores of a database use the test clock. */
export const onTestTime = <A, E, R>(database: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.merge(database, Layer.succeed(StoreTime, "process"))
