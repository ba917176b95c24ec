/**
 * `toolguard run`: runs a model with a backend's tools, first in the bare loop, then behind the guard, and prints the
 * bill of both.
 */
import * as GracefulShutdown from "effect-toolguard/layers/GracefulShutdown"
import type { Backend, Settings } from "effect-toolguard/internal/tool/Backend"
import * as Prompt from "effect/ai/Prompt"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Bill from "./Bill.ts"
import { choose } from "./ModelChoice.ts"
import { bare, bareCalls, guarded, type Plan } from "./Comparison.ts"
import * as LiveView from "./LiveView.ts"
import * as SavedRun from "./SavedRun.ts"
import { load } from "#kit/cli/console/LoadBackend"
import * as Prices from "#kit/cli/console/Prices"
import * as Screen from "#kit/cli/console/Screen"
import * as Tokens from "#kit/cli/console/Tokens"

const atLeast = (minimum: number) => Schema.Int.check(Schema.isGreaterThanOrEqualTo(minimum))

const config = {
  backend: Argument.String("backend").pipe(
    Argument.withDescription("Module that exports `backend`. Default: the orders example"),
    Argument.optional
  ),
  model: Flag.String("model").pipe(
    Flag.withAlias("m"),
    Flag.withMetavar("<name>"),
    Flag.withDescription("Model of the backend. Default: see above"),
    Flag.optional
  ),
  prompt: Flag.String("prompt").pipe(
    Flag.withAlias("p"),
    Flag.withMetavar("<text>"),
    Flag.withDescription("The user's message. Default: the prompt of the backend"),
    Flag.optional
  ),
  gatewayLimit: Flag.Int("gateway-limit").pipe(
    Flag.withSchema(atLeast(1)),
    Flag.withMetavar("<bytes>"),
    Flag.withDescription("Size at which the example's gateway cuts an answer. Default: 4096"),
    Flag.optional
  ),
  maxRounds: Flag.Int("max-rounds").pipe(
    Flag.withSchema(atLeast(1)),
    Flag.withMetavar("<n>"),
    Flag.withDescription("Maximum number of requests to the model per run. Default: 50"),
    Flag.withDefault(50)
  ),
  bare: Flag.Boolean("bare").pipe(
    Flag.withDescription("Run the bare loop first; --no-bare skips it. Default: see above"),
    Flag.optional
  ),
  ...SavedRun.flags,
  ...Prices.flags,
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON object and nothing else. Default: false"),
    Flag.withDefault(false)
  )
}

const description = `Runs a model with a backend's tools: first in a bare loop of at most ${bareCalls} calls, then
  behind the guard. Shows each call, and prints the cost of both runs.

  --model selects a model of the backend. The example has three: stubborn repeats a call until it
  reads an instruction, deaf repeats a call whatever it reads, and obedient follows instructions
  and gives up after a useless answer. Without --model, the environment selects the model:
  OPENAI_BASE_URL or OPENAI_API_KEY, with OPENAI_MODEL, or the same variables with the prefix
  ANTHROPIC_. OPENAI_API=responses uses the Responses API instead of chat completions. If none of
  them is set, the first model of the backend runs.

  The bare loop calls tools that write without asking for approval. By default it runs only if the
  backend allows it, or if no tool writes.

  --save RUN stores the guarded run in the database of the guard's stores (--database), and
  --resume RUN continues it after a crash, a limit or a person's decision. If no person is at the
  terminal, approval requests are stored in the database, and toolguard approvals decides them.

  On SIGTERM or SIGINT, running calls have 30 seconds to finish. Then the guarded run ends, and the
  costs are printed. A second signal ends the command at once.

  A backend is a module: export const backend = Backend.make({ name, tools, layer, prompt })
  --json prints { "bare": …, "guarded": …, "decisions": …, "resume": … }. bare is null if the bare
  loop did not run. resume is the id for --resume, or null if the run has ended or was not saved.`

const promptOf = ({ prompt, system }: Backend, override: string | undefined): Prompt.Prompt =>
  Prompt.fromMessages([
    ...(system === undefined ? [] : [Prompt.systemMessage({ content: system })]),
    Prompt.userMessage({ content: [Prompt.textPart({ text: override ?? prompt })] })
  ])

const onlyReads = ({ tools }: Backend): boolean => [...tools.tools.values()].every(({ access }) => access === "read")

export const run = Command.make(
  "run",
  config,
  Effect.fnUntraced(function* (options) {
    const limit = Option.getOrUndefined(options.gatewayLimit)
    const settings: Settings = limit === undefined ? {} : { gatewayLimit: limit }
    const prices = yield* Prices.read(options)
    const saved = yield* SavedRun.read(options)
    const backend = yield* load(Option.getOrUndefined(options.backend), settings)
    const chosen = yield* choose(backend, Option.getOrUndefined(options.model), Console.error)
    const screen = yield* Screen.make(options.json)
    const plan: Plan = {
      backend,
      chosen,
      prompt: promptOf(backend, Option.getOrUndefined(options.prompt)),
      maxRounds: options.maxRounds,
      saved,
      screen,
      count: yield* Tokens.load
    }
    const isResumed = saved?.isResumed === true
    const shownPrompt = isResumed ? `of the run ${saved.run}` : Option.getOrUndefined(options.prompt)
    LiveView.opening(screen, backend, chosen.label, shownPrompt)
    const isCompared = !isResumed && Option.getOrElse(options.bare, () => backend.compareBare ?? onlyReads(backend))
    const bareCost = isCompared ? yield* bare(plan) : undefined
    const isAttended = !options.json && process.stdin.isTTY === true && process.stdout.isTTY === true
    const guardedRun = Effect.gen(function* () {
      const ended = yield* guarded(plan, SavedRun.guardFor(isAttended, saved, options))
      const price = prices === undefined ? undefined : Bill.priceOf(prices, chosen.model)
      const bill: Bill.Bill = { bare: bareCost, ...ended, price }
      if (options.json) yield* Console.log(Bill.json(bill))
      else Bill.print(screen, bill)
    })
    // a run that ends because of a signal is printed too
    yield* GracefulShutdown.track(guardedRun)
  }, GracefulShutdown.run())
).pipe(
  Command.withShortDescription("Run a model with guarded tools, and compare it with the bare loop"),
  Command.withDescription(description),
  Command.withExamples([
    { command: "toolguard run", description: "Run the example: orders behind a gateway that truncates answers" },
    { command: "toolguard run --model deaf", description: "Run a model that repeats a call whatever it reads" },
    {
      command: "toolguard run --gateway-limit 65536",
      description: "Run with a gateway that truncates nothing"
    },
    {
      command: "OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_MODEL=qwen3 toolguard run",
      description: "Run your own model"
    },
    { command: "ANTHROPIC_API_KEY=… toolguard run", description: "Run an Anthropic model" },
    { command: "toolguard run ./backend.ts --no-bare", description: "Run your own tools, only behind the guard" },
    { command: "toolguard run ./backend.ts --save job-17 -d stores.db", description: "Keep the run in a database" },
    { command: "toolguard run ./backend.ts --resume job-17 -d stores.db", description: "Resume it from its checkpoint" }
  ])
)
