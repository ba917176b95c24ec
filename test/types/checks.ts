/** The functions of ready-made checks get their types from the tool, and the verdicts appear in its error channel. */
import { Schema } from "effect"
import {
  type CallFailure,
  Checks,
  countAgainstLimit,
  cutAt,
  echoed,
  emptyFirstPage,
  fresh,
  GuardedTool,
  hiddenFailure,
  morePages,
  nonEmpty,
  type PartialData,
  type SemanticGarbage,
  statedGarbage,
  statedPartial,
  unit
} from "effect-toolguard"
import { assertType, type Equals } from "./kit.ts"
import { base, type Orders, Page, type Sent } from "./tools.ts"

class More extends GuardedTool.Service<More>()("more", {
  ...base,
  access: "read",
  checks: { more: morePages((result, args) => (result.has_more ? { page: args.page + 1 } : undefined)) }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof More>, CallFailure | PartialData<Orders, Sent>>>()

class Right extends GuardedTool.Service<Right>()("right", {
  ...base,
  access: "read",
  checks: {
    empty: emptyFirstPage((result) => result.orders),
    page: echoed(
      (args) => args.page,
      (result) => result.page
    ),
    some: nonEmpty((result) => result.orders, { when: (args) => args.customer_id.startsWith("C-") })
  }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof Right>, CallFailure | SemanticGarbage>>()

// a result with a count, a cursor, units and a time

class Weather extends Schema.Opaque<Weather>()(
  Schema.Struct({
    readings: Schema.Array(Schema.Struct({ temperature: Schema.Finite })),
    unit: Schema.NullOr(Schema.String),
    next_cursor: Schema.NullOr(Schema.String),
    total: Schema.Int,
    at: Schema.DateTimeUtc
  })
) {}
const weather = {
  description: "Reads the weather. Read-only.",
  access: "read",
  parameters: Schema.Struct({
    city: Schema.String,
    limit: Page,
    offset: Page,
    cursor: Schema.optionalKey(Schema.String),
    unit: Schema.Literals(["celsius", "fahrenheit"])
  }),
  success: Weather
} as const
type WeatherArguments = (typeof weather.parameters)["Encoded"]

class Counted extends GuardedTool.Service<Counted>()("counted", {
  ...weather,
  checks: {
    all: countAgainstLimit({
      items: (result) => result.readings,
      limit: (args) => args.limit,
      total: (result) => result.total,
      offset: (args) => args.offset,
      next: (result, args) => ({ offset: args.offset + result.readings.length })
    })
  }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof Counted>, CallFailure | PartialData<Weather, WeatherArguments>>>()

class CountedOnce extends GuardedTool.Service<CountedOnce>()("counted_once", {
  ...weather,
  checks: { all: countAgainstLimit({ items: (result) => result.readings, limit: 100, narrow: "Ask for one day." }) }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof CountedOnce>, CallFailure | PartialData<Weather, undefined>>>()

class Measured extends GuardedTool.Service<Measured>()("measured", {
  ...weather,
  checks: {
    first: Checks.emptyFirstPage((result) => result.readings, {
      hasMore: (result) => result.next_cursor !== null,
      isFirst: (args, result) => args.cursor === undefined && result.total > 0
    }),
    unit: unit({
      unit: (args) => args.unit,
      stated: (result) => result.unit,
      values: (result) => result.readings.map(({ temperature }) => temperature),
      minimum: -90,
      maximum: 60
    }),
    fresh: fresh((result) => result.at, "1 hour"),
    more: morePages((result) => (result.next_cursor === null ? undefined : { cursor: result.next_cursor }))
  }
}) {}
assertType<
  Equals<GuardedTool.ErrorOf<typeof Measured>, CallFailure | SemanticGarbage | PartialData<Weather, WeatherArguments>>
>()

// recognisers accept any result

class Fetched extends GuardedTool.Service<Fetched>()("fetched", {
  ...base,
  access: "read",
  success: Schema.String,
  checks: { failure: hiddenFailure, cut: cutAt({ length: 4096 }) }
}) {}
assertType<
  Equals<GuardedTool.ErrorOf<typeof Fetched>, CallFailure | SemanticGarbage | PartialData<string, undefined>>
>()

// what a tool's answers state about themselves

class Stated extends GuardedTool.Service<Stated>()("stated", {
  ...base,
  access: "read",
  checks: { statedPartial }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof Stated>, CallFailure | PartialData<Orders, Sent | undefined>>>()

class Rejected extends GuardedTool.Service<Rejected>()("rejected", {
  ...base,
  access: "read",
  checks: { wrong: statedGarbage, part: Checks.statedPartial }
}) {}
assertType<
  Equals<GuardedTool.ErrorOf<typeof Rejected>, CallFailure | SemanticGarbage | PartialData<Orders, Sent | undefined>>
>()

class RejectedOnly extends GuardedTool.Service<RejectedOnly>()("rejected_only", {
  ...base,
  access: "write",
  checks: { statedGarbage }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof RejectedOnly>, CallFailure | SemanticGarbage>>()

// a tool without parameters has nothing to continue with
class Listed extends GuardedTool.Service<Listed>()("listed", {
  ...base,
  access: "read",
  parameters: Schema.Struct({}),
  checks: { statedPartial }
}) {}
assertType<Equals<GuardedTool.ErrorOf<typeof Listed>, CallFailure | PartialData<Orders, undefined>>>()
