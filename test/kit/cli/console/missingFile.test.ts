/** Tests that commands and options report a file that does not exist with the same sentence. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Database from "#kit/cli/console/Database"
import * as InputText from "#kit/cli/console/InputText"
import * as LoadBackend from "#kit/cli/console/LoadBackend"
import * as LoadTools from "#kit/cli/console/LoadTools"
import * as Prices from "#kit/cli/console/Prices"
import type { Problem } from "#kit/cli/console/Problem"
import * as Configuration from "#kit/cli/lint/Configuration"
import * as Config from "#kit/cli/mcp/Config"
import { serverOf } from "#kit/cli/mcp/ServerConnection"
import { refusal } from "#kit/cli/traffic/Refusal"
import * as ForgetSql from "#layers/ForgetSql"
import { Forget } from "#services/Forget"

const path = "gone/nothing.here"

const server = {
  command: [],
  env: [],
  url: Option.some("http://127.0.0.1:9/mcp"),
  urlEnv: Option.none(),
  header: [],
  headerEnv: [],
  headerFile: [path]
}

const forget = { service: Forget, layer: ForgetSql.layer, table: "toolguard_calls", contents: "stores" }

const readers: Readonly<Record<string, Effect.Effect<unknown, Problem>>> = {
  "a backend": LoadBackend.load(path, {}),
  "a module of tools": LoadTools.load(path),
  "a list or a document": InputText.read(path, "Name a list."),
  "--prices": Prices.read({ price: Option.none(), prices: Option.some(path) }),
  "--database": Effect.provide(Effect.void, Database.open(forget, Option.some(path))),
  "the configuration of lint": Configuration.find(Option.some(path)),
  "the configuration of the proxy": Config.read(path),
  "--header-file": serverOf(server),
  "a log": Effect.fail(refusal(path, Object.assign(new Error("gone"), { code: "ENOENT" })))
}

describe("a file that does not exist", () => {
  for (const [reader, read] of Object.entries(readers)) {
    it.effect(`13.1 ${reader} reports it with the same sentence, which has the path and the remedy`, () =>
      Effect.gen(function* () {
        const { message, remedy } = yield* Effect.flip(read)
        assert.deepStrictEqual(
          [message, remedy],
          [`There is no file ${path}.`, "Correct the path. A relative path starts at the working directory."]
        )
      })
    )
  }
})
