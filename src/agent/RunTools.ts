/**
 * The tools of a run: its toolbox, and `read_result` if large results are stored.
 *
 * The model is offered `read_result` once the conversation contains a link. Before then, the tool has no use, and its
 * description would cost tokens in every round. If the toolbox has a tool of that name, that tool is used.
 */
import * as ArtifactLink from "#domain/envelope/artifact/ArtifactLink"
import * as ShownPart from "#domain/parts/ShownPart"
import type * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Journal } from "#pipeline/ToolRegistry"
import type { Guard, GuardedTurn } from "#src/guard/Guard"
import { ReadResult } from "#src/tool/ReadResult"
import type { AnyTool } from "#src/tool/ToolClass"
import * as Toolbox from "#src/tool/Toolbox"

interface RunTools<Tools extends AnyTool> {
  /** The tools, including `read_result`. */
  readonly tools: Toolbox.Toolbox<Tools>
  /** Implements the added `read_result`. */
  readonly layer: Layer.Layer<never, never, Guard>
  /** Returns the tools to offer in a round. Messages before `from` are unchanged since the last round. */
  readonly offered: (transcript: Prompt.Prompt, from: number) => Toolbox.Toolbox<Tools>
}

/**
 * Registers the tools of a run with the guard. Dies with a RangeError if two classes share an id that the guard cannot
 * keep apart [2.10], and with a TypeError for tools that are not a toolbox.
 */
export const admit = <Tools extends AnyTool>(
  toolbox: Toolbox.Toolbox<Tools>,
  guard: Pick<GuardedTurn["Service"], "admit">,
  journal?: Journal
): Effect.Effect<void> => Effect.suspend(() => guard.admit(toolsOf(toolbox).values(), journal))

/**
 * Returns the tools of a toolbox. Throws a TypeError for anything else, because JavaScript callers may pass anything.
 */
const toolsOf = <Tools extends AnyTool>(toolbox: Toolbox.Toolbox<Tools>): ReadonlyMap<string, Tools> => {
  const tools = (toolbox as Partial<typeof toolbox> | undefined)?.tools
  if (tools instanceof Map) return tools
  throw new TypeError("`tools` of a run must be a toolbox: `tools: Toolbox.make(GetOrder, CancelOrder)`.")
}

/** Adds `read_result` to a toolbox, if results are stored. Throws a TypeError for tools that are not a toolbox. */
export const make = <Tools extends AnyTool>(
  toolbox: Toolbox.Toolbox<Tools>,
  { isKeeping }: Pick<GuardedTurn["Service"], "isKeeping">
): RunTools<Tools> => {
  if (toolsOf(toolbox).has(ReadResult.toolName) || !isKeeping) {
    return { tools: toolbox, layer: Layer.empty, offered: () => toolbox }
  }
  // the type contains only the caller's tools: read_result adds no requirements
  const tools = Toolbox.merge(toolbox, Toolbox.make(ReadResult) as never) as unknown as Toolbox.Toolbox<Tools>
  let isLinked = false
  return {
    tools,
    // the layer requires only the guard
    layer: ReadResult.layerGuard as Layer.Layer<never, never, Guard>,
    offered: ({ content }, from) => {
      isLinked ||= hasLink(content.slice(from))
      return isLinked ? tools : toolbox
    }
  }
}

const hasLink = (messages: ReadonlyArray<Prompt.Message>): boolean =>
  messages.some(
    (message) =>
      message.role === "tool" &&
      message.content.some(
        (part) =>
          part.type === "tool-result" &&
          ((typeof part.result === "string" && ArtifactLink.isLinked(part.result)) ||
            ShownPart.hasReadable(part.modelOutput ?? []))
      )
  )
