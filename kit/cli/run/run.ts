/**
 * `toolguard run`: asks a model with a backend's tools, first in the loop that everybody has, then behind the guard, and
 * prints what both did and cost.
 */
import * as EscalationTerminal from "effect-toolguard/layers/EscalationTerminal"
import type { Backend, Settings } from "effect-toolguard/internal/tool/Backend"
import { Guard } from "effect-toolguard/internal/guard/Guard"
import * as Prompt from "effect/ai/Prompt"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Terminal from "effect/Terminal"
import * as Bill from "./Bill.ts"
import { choose } from "./ChooseModel.ts"
import { bare, bareCalls, guarded, type Plan } from "./Comparison.ts"
import * as LiveView from "./LiveView.ts"
import { load } from "#kit/cli/console/LoadBackend"
import * as Prices from "#kit/cli/console/Prices"
import * as Screen from "#kit/cli/console/Screen"
import * as Tokens from "#kit/cli/console/Tokens"

const atLeast = (minimum: number) => Schema.Int.check(Schema.isGreaterThanOrEqualTo(minimum))

const flags = {
  backend: Argument.String("backend").pipe(
    Argument.withDescription("Module that exports `backend`. Default: the orders example"),
    Argument.optional
  ),
  model: Flag.String("model").pipe(
    Flag.withAlias("m"),
    Flag.withMetavar("<name>"),
    Flag.withDescription("A model of the backend's own. Default: see above"),
    Flag.optional
  ),
  prompt: Flag.String("prompt").pipe(
    Flag.withAlias("p"),
    Flag.withMetavar("<text>"),
    Flag.withDescription("What the user asks. Default: the backend's question"),
    Flag.optional
  ),
  gatewayLimit: Flag.Int("gateway-limit").pipe(
    Flag.withSchema(atLeast(1)),
    Flag.withMetavar("<bytes>"),
    Flag.withDescription("Where the example's gateway cuts an answer. Default: 4096"),
    Flag.optional
  ),
  maxRounds: Flag.Int("max-rounds").pipe(
    Flag.withSchema(atLeast(1)),
    Flag.withMetavar("<n>"),
    Flag.withDescription("Most requests to the model in a run. Default: 50"),
    Flag.withDefault(50)
  ),
  bare: Flag.Boolean("bare").pipe(
    Flag.withDescription("Run the bare loop first; --no-bare does not. Default: see above"),
    Flag.optional
  ),
  ...Prices.flags,
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON object and nothing else. Default: false"),
    Flag.withDefault(false)
  )
}

const description = `Asks a model with a backend's tools: first in the loop that everybody has, stopped
  after ${bareCalls} calls, then behind the guard. Shows each call, and ends with the bill.

  The model is the one that --model names: stubborn (calls again as long as it is
  told nothing of use), deaf (calls again whatever it reads) or obedient in the
  example. Without --model it is that of OPENAI_BASE_URL, OPENAI_API_KEY and
  OPENAI_MODEL where one of the first two is set, or that of the same variables with
  ANTHROPIC_, else the backend's first.

  The bare loop asks nobody before it writes. It runs where a backend allows it, and
  where every tool only reads.

  A backend is a module: export const backend = Backend.make({ name, tools, layer, prompt })
  --json prints { "bare": …, "guarded": …, "decisions": … }; bare is null where it did not run.`

const promptOf = ({ prompt, system }: Backend, given: string | undefined): Prompt.Prompt =>
  Prompt.fromMessages([
    ...(system === undefined ? [] : [Prompt.systemMessage({ content: system })]),
    Prompt.userMessage({ content: [Prompt.textPart({ text: given ?? prompt })] })
  ])

const onlyReads = ({ tools }: Backend): boolean => [...tools.tools.values()].every(({ access }) => access === "read")

/** The guard, with the person at the terminal where there is one. */
const guardFor = (isAttended: boolean): Layer.Layer<Guard, never, Terminal.Terminal> =>
  isAttended ? Guard.layerMemoryWith(EscalationTerminal.layer) : Guard.layerMemory

export const run = Command.make(
  "run",
  flags,
  Effect.fnUntraced(function* (given) {
    const limit = Option.getOrUndefined(given.gatewayLimit)
    const settings: Settings = limit === undefined ? {} : { gatewayLimit: limit }
    const prices = yield* Prices.read(given)
    const backend = yield* load(Option.getOrUndefined(given.backend), settings)
    const chosen = yield* choose(backend, Option.getOrUndefined(given.model), Console.error)
    const screen = yield* Screen.make(given.json)
    const plan: Plan = {
      backend,
      chosen,
      prompt: promptOf(backend, Option.getOrUndefined(given.prompt)),
      maxRounds: given.maxRounds,
      screen,
      count: yield* Tokens.load
    }
    LiveView.opening(screen, backend, chosen.label, Option.getOrUndefined(given.prompt))
    const isCompared = Option.getOrElse(given.bare, () => backend.compareBare ?? onlyReads(backend))
    const before = isCompared ? yield* bare(plan) : undefined
    const isAttended = !given.json && process.stdin.isTTY === true && process.stdout.isTTY === true
    const after = yield* guarded(plan, guardFor(isAttended))
    const price = prices === undefined ? undefined : Bill.priceOf(prices, chosen.model)
    const bill: Bill.Bill = { bare: before, guarded: after.cost, decisions: after.decisions, price }
    if (given.json) yield* Console.log(Bill.json(bill))
    else Bill.print(screen, bill)
  })
).pipe(
  Command.withShortDescription("Run a model with guarded tools, and compare it with the bare loop"),
  Command.withDescription(description),
  Command.withExamples([
    { command: "toolguard run", description: "The example: an order service behind a gateway that cuts answers" },
    { command: "toolguard run --model deaf", description: "A model that makes the same call whatever it reads" },
    {
      command: "toolguard run --gateway-limit 65536",
      description: "A gateway that lets the whole answer through"
    },
    {
      command: "OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_MODEL=qwen3 toolguard run",
      description: "A model of your own"
    },
    { command: "ANTHROPIC_API_KEY=… toolguard run", description: "A model of Anthropic" },
    { command: "toolguard run ./backend.ts --no-bare", description: "Tools of your own, behind the guard alone" }
  ])
)
