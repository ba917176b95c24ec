/** `toolguard describe`: shows the effective policy of the tools of a module. */
import type { DescribedField, ToolDescription } from "effect-toolguard/internal/guard/Description"
import { Guard } from "effect-toolguard/internal/guard/Guard"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { nearest } from "effect-toolguard/internal/domain/text/NearestName"
import * as Toolbox from "effect-toolguard/internal/tool/Toolbox"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Json from "#kit/cli/console/Json"
import { json } from "#kit/cli/console/Flags"
import * as LoadTools from "#kit/cli/console/LoadTools"
import { problem } from "#kit/cli/console/Problem"
import * as Screen from "#kit/cli/console/Screen"

const flags = {
  module: Argument.String("module").pipe(Argument.withDescription("Module that exports tools, a toolbox or a backend")),
  tool: Argument.String("tool").pipe(Argument.withDescription("Name of one tool. Default: all"), Argument.optional),
  all: Flag.Boolean("all").pipe(
    Flag.withDescription("Also show fields that have their default value. Default: true with a tool, otherwise false"),
    Flag.withDefault(false)
  ),
  json
}

export const describe = Command.make(
  "describe",
  flags,
  Effect.fnUntraced(function* (options) {
    const loaded = yield* LoadTools.load(options.module)
    const tools = yield* selected(loaded, options.tool)
    const make: (...tools: ReadonlyArray<AnyTool>) => Toolbox.Toolbox<AnyTool> = Toolbox.make
    const descriptions = yield* Effect.provide(Toolbox.describe(make(...tools)), Guard.layerMemory)
    if (options.json) return yield* Console.log(Json.text({ tools: descriptions }))
    const screen = yield* Screen.make(false)
    const isWhole = options.all || Option.isSome(options.tool)
    for (const description of descriptions) linesOf(screen, description, isWhole).forEach(screen.line)
  })
).pipe(
  Command.withShortDescription("Show the effective policy of tools"),
  Command.withDescription(`Shows the effective policy of the tools of a module: each field with its value and where it
  was set, and the stages that do something for the tool.

  The policy is that of the default guard. In code, Toolbox.describe also shows the settings
  that a backend passes to its own guard or to a call.`),
  Command.withExamples([
    { command: "toolguard describe ./tools.ts", description: "Show what each tool sets" },
    { command: "toolguard describe ./tools.ts refund_order", description: "Show every field of one tool" },
    { command: "toolguard describe ./tools.ts --json", description: "Print every field of all tools as JSON" }
  ])
)

const selected = (tools: ReadonlyMap<string, AnyTool>, name: Option.Option<string>) => {
  if (Option.isNone(name)) return Effect.succeed([...tools.values()])
  const tool = tools.get(name.value)
  if (tool !== undefined) return Effect.succeed([tool])
  const [similar] = nearest(name.value, tools.keys(), 1)
  return Effect.fail(
    problem(
      `The module has no tool named ${shown(name.value)}.`,
      similar === undefined ? `Tools: ${[...tools.keys()].join(", ")}.` : `Did you mean ${similar}?`
    )
  )
}

const linesOf = (
  screen: Screen.Screen,
  { fields, id, refusal, stages, tool }: ToolDescription,
  isWhole: boolean
): ReadonlyArray<string> => {
  const listed = fields.filter(({ origin }) => isWhole || origin !== "default")
  const width = Math.max(0, ...listed.map(({ field }) => field.length))
  const values = listed.map((field) => textOf(field))
  const valueWidth = Math.max(0, ...values.map((text) => text.length))
  return [
    screen.styled("bold", shown(tool)) + (id === tool ? "" : `  id ${shown(id)}`),
    ...(refusal === undefined ? [] : [`  ${shown(refusal)}`]),
    ...listed.map(
      (described, index) =>
        `  ${described.field.padEnd(width)}  ${(values[index] ?? "").padEnd(valueWidth)}  ${screen.styled("dim", originOf(described))}`
    ),
    ...Screen.wrap(`stages: ${stages.join(" ")}`, screen.columns - 2).map((line) => `  ${line}`)
  ]
}

/** Returns the origin of a value: `tool`, or `tool, follows timeout`. */
const originOf = ({ follows, origin }: DescribedField): string =>
  follows === undefined ? origin : `${origin}, follows ${follows}`

/** Returns the value of a field as text, with its unit. */
const textOf = ({ unit, value }: DescribedField): string => {
  if (value === null) return "none"
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(shown).join(", ")
  if (typeof value !== "number") return shown(String(value))
  if (unit === undefined) return String(value)
  return unit === "ms" ? Duration.format(Duration.millis(value)) : `${value.toLocaleString("en")} ${unit}`
}
