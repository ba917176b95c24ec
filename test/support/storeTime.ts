/** Creates databases whose time is that of the test clock. */
import { StoreTime } from "#layers/internal/sql/StoreTime"
import { Layer } from "effect"

/** Lets the stores on a database take the time from the clock of the test. */
export const onTestTime = <A, E, R>(database: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.merge(database, Layer.succeed(StoreTime, "process"))
