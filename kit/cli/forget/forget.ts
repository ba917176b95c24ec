/** `toolguard forget`: erases the stored data of a tenant, a conversation, a principal or a turn. */
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as ForgetFile from "effect-toolguard/layers/ForgetFile"
import * as ForgetRedis from "effect-toolguard/layers/ForgetRedis"
import * as ForgetSql from "effect-toolguard/layers/ForgetSql"
import * as RedisNode from "effect-toolguard/layers/RedisNode"
import { AtRestUnreadable } from "effect-toolguard/services/AtRest"
import { Forget, type ForgetReport, type ForgetUnavailable } from "effect-toolguard/services/Forget"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { existsSync } from "node:fs"
import { atRest } from "#kit/cli/console/AtRest"
import { isNamed, open } from "#kit/cli/console/Database"
import { database, json } from "#kit/cli/console/Flags"
import * as Json from "#kit/cli/console/Json"
import { lineOf, missingFile, misuse, type Problem, problem } from "#kit/cli/console/Problem"
import * as Scope from "#kit/cli/console/Scope"
import * as Screen from "#kit/cli/console/Screen"

const redisVariable = "TOOLGUARD_REDIS"

const flags = {
  ...Scope.flags("erase"),
  database,
  redisPrefix: Flag.String("redis-prefix").pipe(
    Flag.withMetavar("<prefix>"),
    Flag.withDescription(`Prefix of the keys in the Redis that ${redisVariable} names. Default: toolguard:`),
    Flag.withDefault("toolguard:")
  ),
  log: Flag.String("log").pipe(
    Flag.withMetavar("<file>"),
    Flag.withDescription("File of call records; repeatable"),
    Flag.between(0, 1_000)
  ),
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Report what would be removed, and remove nothing. Default: false"),
    Flag.withDefault(false)
  ),
  json
}

const failed = ({ cause }: ForgetUnavailable): Problem =>
  cause instanceof AtRestUnreadable
    ? problem(cause.detail, `${cause.remedy} Nothing was removed from this store.`)
    : problem(`A store cannot be searched: ${lineOf(cause)}`, "Check the store and run the command again.")

type Store = Layer.Layer<Forget, Problem>

/** Returns the stores that the flags and the environment name. Files come first, because their records name the turns. */
const storesOf = (options: {
  readonly database: Option.Option<string>
  readonly log: ReadonlyArray<string>
  readonly redisPrefix: string
}): Effect.Effect<ReadonlyArray<Store>, Problem> =>
  Effect.gen(function* () {
    for (const file of options.log) {
      if (!existsSync(file)) return yield* missingFile(file)
    }
    const files = options.log.map((file): Store => Layer.provide(ForgetFile.layer(file), atRest))
    const sql: ReadonlyArray<Store> = (yield* isNamed(options.database))
      ? [
          open(
            { service: Forget, layer: ForgetSql.layer, table: "toolguard_calls", contents: "stores of the guard" },
            options.database
          )
        ]
      : []
    const url = yield* Effect.orElseSucceed(Config.option(Config.Redacted(redisVariable)), () => Option.none())
    const redis: ReadonlyArray<Store> = Option.isNone(url)
      ? []
      : [
          ForgetRedis.layerWith({ prefix: options.redisPrefix }).pipe(
            Layer.provide(RedisNode.layer({ url: url.value })),
            Layer.catchTag("DatabaseUnavailable", ({ place, remedy }) =>
              Layer.effect(Forget, Effect.fail(problem(`Cannot use ${place}.`, remedy)))
            )
          )
        ]
    const all = [...files, ...sql, ...redis]
    if (all.length > 0) return all
    return yield* misuse(
      "No store is named.",
      `Name the database (--database or TOOLGUARD_DATABASE), the Redis (${redisVariable}) or a file (--log).`
    )
  })

/** The data that this command does not search. */
const notSearched: ForgetReport["left"] = [
  {
    store: "other files",
    reason: "Backups, exported runs, golden files, reports and traces are not searched: remove them where they are."
  }
]

export const forget = Command.make(
  "forget",
  flags,
  Effect.fnUntraced(function* (options) {
    const scope = yield* Scope.read(options)
    if (scope === undefined) {
      return yield* misuse(
        "No tenant, conversation or principal is named.",
        "Name --tenant, --conversation or --principal."
      )
    }
    const removed: Array<ForgetReport["removed"][number]> = []
    const left: Array<ForgetReport["left"][number]> = []
    let turns: ReadonlyArray<string> = []
    for (const store of yield* storesOf(options)) {
      const found = yield* Effect.flatMap(Forget, (service) =>
        Effect.mapError(service.forget(scope, { dryRun: options.dryRun, turns, compact: true }), failed)
      ).pipe(Effect.provide(store))
      removed.push(...found.removed)
      left.push(...found.left)
      turns = found.turns
    }
    left.push(...notSearched)
    if (options.json) return yield* Console.log(Json.text({ scope, dryRun: options.dryRun, removed, left }))
    const screen = yield* Screen.make(false)
    for (const { count, store } of removed) {
      screen.line(`${options.dryRun ? "would remove" : "removed"} ${count}  ${shown(store)}`)
    }
    for (const { reason, store } of left) screen.line(`not removed  ${shown(store)}: ${shown(reason)}`)
  })
).pipe(
  Command.withShortDescription("Erase the stored data of a tenant, a conversation, a principal or a turn"),
  Command.withDescription(`Erases the stored data of a tenant, a conversation, a principal or a turn.

  Searches the database, the Redis that ${redisVariable} names, and the files of --log. Reports what
  it removed from each store, and what it could not remove. Stop the tenant's calls first.
  Encrypted stores need their key: TOOLGUARD_AT_REST_KEY.`)
)
